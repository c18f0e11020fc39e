"""What half precision changes in occlusion's maps."""

from statistics import median
from typing import Any

import numpy as np
import torch
from scipy.stats import spearmanr

from bench.book import Effort, Measured, table
from bench.parts.xai_data import NETWORKS, photographs, weights_of
from bench.parts.xai_racing import device_of
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.methods.occlusion import PRECISIONS, Occlusion
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import read_photo
from xai_backend.models.image_model import as_images

PHOTOGRAPHS, STRIDE_PX = 4, 32
HALF = [name for name, kind in PRECISIONS.items() if kind is not None]


def measure(effort: Effort) -> Measured:
    """Compare maps of real photographs by real networks with those in float32."""
    device = device_of(effort)
    files = [one.path for one in photographs(1 if effort.quick else PHOTOGRAPHS)]
    found = []
    for name in list(NETWORKS)[: 1 if effort.quick else None]:
        classifier = classifier_at_hand(name, str(weights_of(name)), str(device))
        codes = np.stack([classifier.frame.codes(read_photo(file)) for file in files])
        effort.say(f"half precision of {name}")
        found += _compared(classifier, as_images(torch.from_numpy(codes)))
    return Measured(_text(found, len(files)), {"device": device.type, "compared": found})


def _compared(classifier: Classifier, images: torch.Tensor) -> list[dict[str, Any]]:
    model = classifier.model
    with torch.no_grad():
        targets = model(images.to(model.device)).argmax(dim=1).cpu()
    exact = Occlusion(stride_px=STRIDE_PX).explain(model, images, targets)
    rows = []
    for precision in HALF:
        maps = Occlusion(stride_px=STRIDE_PX, precision=precision).explain(model, images, targets)
        pairs = list(zip(maps.flatten(1), exact.flatten(1), strict=True))
        off = [float((one - other).abs().max() / other.abs().max()) for one, other in pairs]
        alike = [float(spearmanr(one, other)[0]) for one, other in pairs]
        rows.append(
            {
                "network": classifier.name,
                "precision": precision,
                "largest_difference": max(off),
                "median_difference": median(off),
                "least_spearman": min(alike),
            }
        )
    return rows


def _text(found: list[dict[str, Any]], count: int) -> str:
    rows = [
        [
            row["network"],
            row["precision"],
            f"{100 * row['median_difference']:.1f} %",
            f"{100 * row['largest_difference']:.1f} %",
            f"{row['least_spearman']:.3f}",
        ]
        for row in found
    ]
    headings = ["network", "precision", "difference, median", "largest", "Spearman, least"]
    return (
        "`--method occlusion --set precision=bfloat16` (or `float16`) computes all layers but the "
        "last in half precision. No other method has this setting. The table compares the maps of "
        f"{count} photographs with those in float32 (trained weights, patch 32, stride "
        f"{STRIDE_PX}): the largest difference of a map as a share of its largest value, and the "
        "rank correlation of a map's pixels. No speed is given, since a CPU without instructions "
        "for half precision gains nothing from it.\n\n" + table(headings, rows)
    )

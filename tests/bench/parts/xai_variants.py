"""Extremal perturbation in the suite's own way and as published: map by map on photographs."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tests.bench.book import Effort, Measured, Part, table
from tests.bench.parts.xai_data import class_names, photographs
from tests.bench.parts.xai_sheet import draw_sheet
from tests.bench.parts.xai_work import subject
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.methods.smooth_mask import blurred
from xai_backend.metrics.agreement import spearman
from xai_backend.metrics.faithfulness import deletion, insertion
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.models.image_model import ImageModel, as_images

NETWORK = "squeezenet1_1"
SIDE_PX, PUBLISHED_SIDE_PX = 112, 224
"""Half the usual side: a map takes a quarter of the time."""
POOL = 6
COUNTS = {"quick": 1, "full": 2}
"""Photographs, the first of the pool: on one core a map takes about a minute."""
ITERATIONS = {"quick": 4, "full": 800}
STEPS = 20
"""Of deletion and insertion."""
KEPT = 0.2
"""Share of the image whose overlap is measured."""
JPEG_QUALITY = 80
VARIANTS = ("suite", "published")


@dataclass(frozen=True, slots=True)
class Explained:
    """A photograph with its two maps.

    Attributes
    ----------
    name, codes, target
        Its file, its picture (H, W, 3), and the class that is explained.
    areas, maps
        By variant each mask's mean, and the map (H, W).
    scores
        By variant the areas under the deletion and the insertion curve.
    """

    name: str
    codes: NDArray[np.uint8]
    target: int
    areas: dict[str, list[float]]
    maps: dict[str, NDArray[np.float32]]
    scores: dict[str, tuple[float, float]]


def measure(effort: Effort) -> Measured:
    """Explain photographs by both variants, and compare the maps of each."""
    size = "quick" if effort.quick else "full"
    model = subject(NETWORK).classifier.model
    frame = InputFrame(SIDE_PX, SIDE_PX)
    found = []
    for photograph in photographs(POOL)[: COUNTS[size]]:
        effort.say(f"extremal perturbation of {photograph.path.name}")
        codes = np.ascontiguousarray(frame.codes(read_photo(photograph.path)))
        found.append(_explained(model, photograph.path.stem, codes, ITERATIONS[size]))
    _draw(found, effort)
    figures = {
        "iterations": ITERATIONS[size],
        "asked": list(ExtremalPerturbation().areas),
        "photographs": [_compared(one) for one in found],
    }
    return Measured(_text(figures, effort), figures)


def _explained(
    model: ImageModel, name: str, codes: NDArray[np.uint8], iterations: int
) -> Explained:
    images = as_images(torch.from_numpy(codes[None].copy()))
    with torch.no_grad():
        targets = model(images).argmax(dim=1)
    scale, usual = SIDE_PX / PUBLISHED_SIDE_PX, ExtremalPerturbation()
    areas, maps, scores = {}, {}, {}
    for variant in VARIANTS:
        method = ExtremalPerturbation(
            iterations=iterations,
            step_px=round(usual.step_px * scale),
            sigma_px=usual.sigma_px * scale,
            blur_px=usual.blur_px * scale,
            variant=variant,
        )
        masks = method.masks(model, images, targets)
        areas[variant] = masks[0].mean(dim=(1, 2)).tolist()
        total = blurred(masks.sum(dim=1, keepdim=True), method.smoothing * SIDE_PX)
        maps[variant] = total[0, 0].numpy()
        asked = (model, images, targets, maps[variant][None], STEPS)
        scores[variant] = (float(deletion(*asked).area[0]), float(insertion(*asked).area[0]))
    return Explained(name, codes, int(targets), areas, maps, scores)


def _compared(one: Explained) -> dict[str, Any]:
    suite, published = (one.maps[variant] for variant in VARIANTS)
    peaks = [
        np.array(np.unravel_index(values.argmax(), values.shape)) for values in one.maps.values()
    ]
    tops = [values >= np.quantile(values, 1 - KEPT) for values in (suite, published)]
    return {
        "file": one.name,
        "spearman": float(spearman(suite[None], published[None])[0]),
        "overlap": float((tops[0] & tops[1]).sum() / (tops[0] | tops[1]).sum()),
        "peaks_apart": float(np.hypot(*(peaks[0] - peaks[1])) / SIDE_PX),
        "areas": one.areas,
        "deletion": {variant: scores[0] for variant, scores in one.scores.items()},
        "insertion": {variant: scores[1] for variant, scores in one.scores.items()},
    }


def _draw(found: Sequence[Explained], effort: Effort) -> None:
    names = class_names()
    rows = [(one.codes, names[one.target], list(one.maps.values())) for one in found]
    draw_sheet(["photograph", *VARIANTS], rows).save(
        effort.picture("variants.jpg"), quality=JPEG_QUALITY
    )


def _text(figures: dict[str, Any], effort: Effort) -> str:
    each = figures["photographs"]
    rows = [
        [
            one["file"],
            f"{one['spearman']:.2f}",
            f"{one['overlap']:.2f}",
            f"{one['peaks_apart']:.2f}",
            *(
                f"{one[name][variant]:.3f}"
                for name in ("deletion", "insertion")
                for variant in VARIANTS
            ),
        ]
        for one in each
    ]
    headings = (
        "photograph", "Spearman", "overlap", "peaks apart", "deletion, suite", "published",
        "insertion, suite", "published",
    )  # fmt: skip
    published = [
        mean(some) for some in zip(*(one["areas"]["published"] for one in each), strict=True)
    ]
    areas = "; ".join(
        f"{100 * asked:g} % asked, {100 * found:.1f} % found"
        for asked, found in zip(figures["asked"], published, strict=True)
    )
    return "\n\n".join(
        [
            f"{NETWORK}, {len(each)} photographs of {SIDE_PX} px (lengths of the method halved "
            f"with them), {figures['iterations']} iterations, four areas. Overlap is intersection "
            f"over union of the {100 * KEPT:g} % of pixels with the largest values, and peaks are "
            "apart by that share of the side. A lower area under the deletion curve and a higher "
            "one under the insertion curve are better.",
            table(headings, rows),
            f"Medians: Spearman {median(one['spearman'] for one in each):.2f}, overlap "
            f"{median(one['overlap'] for one in each):.2f}, peaks apart "
            f"{median(one['peaks_apart'] for one in each):.2f} of the side. The suite's masks have "
            f"exactly the area that is asked. Published masks have, on average: {areas}.",
            effort.shown("variants.jpg", "Photographs with both variants' maps"),
        ]
    )


PARTS = (Part("variants", "Extremal perturbation, two variants", measure),)

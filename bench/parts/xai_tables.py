"""Tables I and II of Dawoud et al. (2023) made anew: size of maps, and maps a second."""

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bench.book import Effort, Measured, Part, table
from bench.parts.xai_data import NETWORKS, photographs
from bench.parts.xai_work import peak_memory, subject
from xai_backend.explain.answering import Network
from xai_backend.explain.precompute import TAKE_SEVERAL
from xai_backend.methods import Execution, Method, method_of
from xai_backend.metrics.maps import compressed_size
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import read_photo
from xai_backend.models.image_model import as_images
from xai_backend.models.torchvision_models import load_classifier

METHODS = ("occlusion", "lrp")
PUBLISHED_BYTES = {"vgg16": (698.4, 1828.3), "resnet50": (693.6, 2928.2)}
PUBLISHED_RATE = {"vgg16": (2.4, 204.1), "resnet50": (4.0, 188.7)}
SIZES, QUICK_SIZES = 20, 1
"""Photographs whose maps are weighed."""
RATES = {"occlusion": 1, "lrp": 16}
"""Maps a run, of LRP in one batch."""
RUNS, QUICK_RUNS = 3, 1
SETTINGS: Mapping[str, Any] = {"patch_px": 32, "stride_px": 8}
QUICK_SETTINGS: Mapping[str, Any] = {"patch_px": 112, "stride_px": 56}
Figures = dict[str, Any]


def measure(effort: Effort) -> Measured:
    """Weigh maps of real networks, and time those of the paper's."""
    device = effort.options.get("device", "cpu")
    asked = effort.options.get("model")
    weighed = [asked] if asked else list(NETWORKS)
    timed = [asked] if asked else ["squeezenet1_1", *([] if effort.quick else PUBLISHED_RATE)]
    sizes = {name: _sizes(name, device, effort) for name in weighed}
    rates = {name: _rates(name, device, effort) for name in timed}
    threads = {"threads": torch.get_num_threads(), "device": device}
    figures = {"bytes": sizes, "rates": rates, **threads}
    return Measured(_text(sizes, rates, device), figures)


def _sizes(name: str, device: str, effort: Effort) -> Figures:
    """Return the mean size of a network's maps of real photographs, by method and format."""
    file = effort.options.get("weights")
    of = subject(name, Path(file) if file else None, device)
    shown = photographs(QUICK_SIZES if effort.quick else SIZES)
    codes = np.stack([of.classifier.frame.codes(read_photo(photo.path)) for photo in shown])
    images = as_images(torch.from_numpy(codes))
    with torch.no_grad():
        targets = torch.cat([of.classifier.model(x[None].to(device)).argmax(1) for x in images])
    found = {}
    for method in METHODS:
        effort.say(f"{name}: size of {method}'s maps")
        maps = _method(method, effort).explain(of.classifier.model, images, targets.cpu()).numpy()
        found[method] = {
            codec: float(compressed_size(maps, codec).mean()) for codec in ("png", "jpeg")
        }
    return found | {"n": len(shown)}


def _rates(name: str, device: str, effort: Effort) -> Figures:
    """Return maps a second; weights don't change the speed, so that random ones do."""
    from torchvision import models  # after what mends its import

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "random.pt"
        torch.manual_seed(0)
        torch.save(models.get_model(name, weights=None).state_dict(), file)
        classifier = load_classifier(name, str(file), device)
        network = Network(name, str(file), device, classifier.weights_sha256)
        found = {method: _rate(classifier, method, effort) for method in METHODS}
        settings = QUICK_SETTINGS if effort.quick else SETTINGS
        used = {"occlusion": settings, "lrp": {}}
        peaks = peak_memory([(network, method, used[method]) for method in METHODS])
    for method, peak in zip(METHODS, peaks, strict=True):
        found[method]["peak_mib"] = peak
    return found


def _rate(classifier: Classifier, name: str, effort: Effort) -> Figures:
    method = _method(name, effort)
    count = 1 if effort.quick else RATES[name]
    side = classifier.frame.crop_px
    images = torch.rand(count, 3, side, side, generator=torch.Generator().manual_seed(3))
    effort.say(f"{classifier.name}: speed of {name}")
    runs = 1 + (QUICK_RUNS if effort.quick else RUNS)
    seconds = [_seconds(classifier, method, images) for _ in range(runs)][1:]
    return {"per_s": count / median(seconds), "runs": len(seconds), "maps_a_run": count}


def _seconds(classifier: Classifier, method: Method, images: Tensor) -> float:
    # A batch that is smaller than usual would be filled up, and paid for.
    together = len(images) if method.name in TAKE_SEVERAL else None
    execution = Execution(at_once=together, threads=torch.get_num_threads())
    targets = torch.zeros(len(images), dtype=torch.int64)
    begun = time.perf_counter()
    method.explain(classifier.model, images, targets, execution)
    return time.perf_counter() - begun


def _method(name: str, effort: Effort) -> Method:
    return method_of(name, QUICK_SETTINGS if effort.quick else SETTINGS)


def _text(sizes: Mapping[str, Figures], rates: Mapping[str, Figures], device: str) -> str:
    return "\n\n".join(
        [
            "Dawoud et al. (2023) give the mean size of a stored map (their Table I) and maps per "
            "second (Table II). Both are from Samek et al. (2021), who don't state the file format "
            "or the graphics card. Here a map is stored as an 8-bit grey image of 224 × 224 pixels "
            "(zero is mid-grey, the largest value is black or white), as PNG and as JPEG of "
            "quality 75. Sizes are measured with trained weights on real photographs, since "
            "others mean "
            "nothing. To measure another network: `python3 lab.py bench xai --only tables --set "
            "model=resnet50 --set weights=FILE --set device=cuda`.",
            _size_table(sizes),
            f"Maps per second on {device} (occlusion: patch 32, stride 8, 625 windows; random "
            "weights; median of the runs after the first), and peak memory of a map in addition to "
            "the loaded network:",
            _rate_table(rates),
        ]
    )


def _size_table(sizes: Mapping[str, Figures]) -> str:
    rows = [
        [name, *(f"{found[m][codec]:.0f}" for m in METHODS for codec in ("png", "jpeg"))]
        for name, found in sizes.items()
    ]
    rows += [
        [f"{name}, published", f"{occlusion}", "", f"{lrp}", ""]
        for name, (occlusion, lrp) in PUBLISHED_BYTES.items()
    ]
    headings = ["bytes", "occlusion, PNG", "occlusion, JPEG", "LRP, PNG", "LRP, JPEG"]
    return table(headings, rows)


def _rate_table(rates: Mapping[str, Figures]) -> str:
    rows = [
        [
            name,
            f"{found['occlusion']['per_s']:.3g}",
            f"{found['lrp']['per_s']:.3g}",
            _mib(found["occlusion"]["peak_mib"]),
            _mib(found["lrp"]["peak_mib"]),
        ]
        for name, found in rates.items()
    ]
    rows += [
        [f"{name}, published (GPU)", f"{occlusion}", f"{lrp}", "", ""]
        for name, (occlusion, lrp) in PUBLISHED_RATE.items()
    ]
    headings = ["maps/s", "occlusion", "LRP", "occlusion, MiB", "LRP, MiB"]
    return table(headings, rows)


def _mib(peak: float | None) -> str:
    return "–" if peak is None else f"{peak:.0f}"


PARTS = (Part("tables", "Size and speed: tables I and II of Dawoud et al.", measure),)

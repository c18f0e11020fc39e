"""Extremal perturbation in the suite's own way and as published: map by map on photographs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import bootstrap

from bench.book import Effort, Measured, Part, table
from bench.parts.xai_data import class_names, photographs
from bench.parts.xai_racing import device_of
from bench.parts.xai_sheet import draw_sheet
from bench.parts.xai_work import subject
from xai_backend.methods import Execution
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation, blurred
from xai_backend.metrics.faithfulness import deletion, insertion
from xai_backend.metrics.maps import spearman
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.models.image_model import ImageModel, as_images, logits_of

NETWORKS = {"cpu": ("squeezenet1_1",), "cuda": ("squeezenet1_1", "mobilenet_v2")}
PUBLISHED_SIDE_PX = 224
SIDES_PX = {"cpu": 112, "cuda": PUBLISHED_SIDE_PX}
"""On a CPU half the usual side: a map takes a quarter of the time."""
POOL = 6
COUNTS = {"cpu": 2, "cuda": 96}
"""Photographs: on one core a map takes about a minute."""
ITERATIONS = {"quick": 4, "full": 800}
TOGETHER = {"cpu": 1, "cuda": 32}
"""Photographs in one ascent."""
SHOWN = 8
"""Photographs in the picture; more of them have no lines of their own in the table."""
STEPS = 20
"""Of deletion and insertion."""
KEPT = 0.2
"""Share of the image whose overlap is measured."""
JPEG_QUALITY = 80
VARIANTS = ("suite", "published")
QUARTILES = (0.25, 0.5, 0.75)
BETTER = {"deletion": -1, "insertion": 1}
"""The sign of a better score."""
RESAMPLES = 2000


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
    device = device_of(effort)
    usual = 1 if effort.quick else COUNTS[device.type]
    count = int(effort.options.get("photographs", usual))
    iterations = ITERATIONS["quick" if effort.quick else "full"]
    side_px = SIDES_PX[device.type]
    files = [one.path for one in photographs(max(POOL, count))[:count]]
    by_network = {}
    for network in NETWORKS[device.type]:
        found = _found(network, files, iterations, effort)
        _draw(found[:SHOWN], effort, _picture(network, device.type))
        by_network[network] = [_compared(one) for one in found]
    figures = {
        "device": device.type,
        "side_px": side_px,
        "iterations": iterations,
        "asked": list(ExtremalPerturbation().areas),
        "photographs": by_network,
    }
    return Measured(_text(figures, effort), figures)


def _found(network: str, files: Sequence[Path], iterations: int, effort: Effort) -> list[Explained]:
    """Explain a network's answer to each photograph by both variants."""
    device = device_of(effort)
    model = subject(network, device=str(device)).classifier.model
    side_px, together = SIDES_PX[device.type], TOGETHER[device.type]
    frame = InputFrame(side_px, side_px)
    found: list[Explained] = []
    for start in range(0, len(files), together):
        some = files[start : start + together]
        effort.say(f"{network}: photographs {start + 1} to {start + len(some)} of {len(files)}")
        codes = np.stack([frame.codes(read_photo(file)) for file in some])
        found += _explained(model, [file.stem for file in some], codes, iterations)
    return found


def _explained(
    model: ImageModel, names: Sequence[str], codes: NDArray[np.uint8], iterations: int
) -> list[Explained]:
    images = as_images(torch.from_numpy(codes))
    targets = logits_of(model, images).argmax(dim=1)
    side_px = codes.shape[1]
    scale, usual = side_px / PUBLISHED_SIDE_PX, ExtremalPerturbation()
    together = Execution(at_once=len(names) * len(usual.areas))
    areas, maps, scores = {}, {}, {}
    for variant in VARIANTS:
        method = ExtremalPerturbation(
            iterations=iterations,
            step_px=round(usual.step_px * scale),
            sigma_px=usual.sigma_px * scale,
            blur_px=usual.blur_px * scale,
            variant=variant,
        )
        masks = method.masks(model, images, targets, together)
        areas[variant] = masks.mean(dim=(2, 3)).tolist()
        total = blurred(masks.sum(dim=1, keepdim=True), method.smoothing * side_px)
        maps[variant] = total[:, 0].numpy()
        asked = (model, images, targets, maps[variant], STEPS)
        scores[variant] = list(
            zip(deletion(*asked).area.tolist(), insertion(*asked).area.tolist(), strict=True)
        )
    return [
        Explained(
            name,
            codes[k],
            int(targets[k]),
            {variant: areas[variant][k] for variant in VARIANTS},
            {variant: maps[variant][k] for variant in VARIANTS},
            {variant: scores[variant][k] for variant in VARIANTS},
        )
        for k, name in enumerate(names)
    ]


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
        "peaks_apart": float(np.hypot(*(peaks[0] - peaks[1])) / len(suite)),
        "areas": one.areas,
        "deletion": {variant: scores[0] for variant, scores in one.scores.items()},
        "insertion": {variant: scores[1] for variant, scores in one.scores.items()},
    }


def _picture(network: str, device: str) -> str:
    return f"variants_{network}.jpg" if device == "cpu" else f"variants_{network}_{device}.jpg"


def _draw(found: Sequence[Explained], effort: Effort, file: str) -> None:
    names = class_names()
    rows = [(one.codes, names[one.target], list(one.maps.values())) for one in found]
    draw_sheet(["photograph", *VARIANTS], rows).save(effort.picture(file), quality=JPEG_QUALITY)


def _text(figures: dict[str, Any], effort: Effort) -> str:
    count = len(next(iter(figures["photographs"].values())))
    halved = (
        ""
        if figures["side_px"] == PUBLISHED_SIDE_PX
        else " (lengths of the method halved with them)"
    )
    intro = (
        f"{count} photographs of {figures['side_px']} px{halved}, {figures['iterations']} "
        f"iterations, four areas. Overlap is intersection over union of the {100 * KEPT:g} % of "
        "pixels with the largest values, and peaks are apart by that share of the side. A lower "
        "area under the deletion curve and a higher one under the insertion curve are better."
    )
    return "\n\n".join(
        [intro, *(_of_network(network, figures, effort) for network in figures["photographs"])]
    )


def _of_network(network: str, figures: dict[str, Any], effort: Effort) -> str:
    each = figures["photographs"][network]
    published = [
        mean(some) for some in zip(*(one["areas"]["published"] for one in each), strict=True)
    ]
    areas = "; ".join(
        f"{100 * asked:g} % asked, {100 * found:.1f} % found"
        for asked, found in zip(figures["asked"], published, strict=True)
    )
    return "\n\n".join(
        [
            f"{network}:",
            _one_by_one(each) if len(each) <= SHOWN else _together(each),
            f"Medians: Spearman {median(one['spearman'] for one in each):.2f}, overlap "
            f"{median(one['overlap'] for one in each):.2f}, peaks apart "
            f"{median(one['peaks_apart'] for one in each):.2f} of the side. The suite's masks have "
            f"exactly the area that is asked. Published masks have, on average: {areas}.",
            effort.shown(
                _picture(network, figures["device"]),
                f"Photographs with both variants' maps, {network}",
            ),
        ]
    )


def _one_by_one(each: Sequence[dict[str, Any]]) -> str:
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
    return table(headings, rows)


def _together(each: Sequence[dict[str, Any]]) -> str:
    """Return what many photographs say: quartiles, and how often each variant is better."""
    rows = [
        [name, *(f"{value:.2f}" for value in np.quantile([one[key] for one in each], QUARTILES))]
        for key, name in (
            ("spearman", "Spearman"), ("overlap", "overlap"), ("peaks_apart", "peaks apart")
        )
    ]  # fmt: skip
    for name in ("deletion", "insertion"):
        for variant in VARIANTS:
            values = np.quantile([one[name][variant] for one in each], QUARTILES)
            rows.append([f"{name}, {variant}", *(f"{value:.3f}" for value in values)])
    headings = ("", "lower quartile", "median", "upper quartile")
    return "\n\n".join([table(headings, rows), *(_better(each, name) for name in BETTER)])


def _better(each: Sequence[dict[str, Any]], name: str) -> str:
    """Return the mean difference of a score, with its interval, and how often it is better."""
    gains = np.array([one[name]["suite"] - one[name]["published"] for one in each])
    drawn = bootstrap((gains,), np.mean, rng=np.random.default_rng(1), n_resamples=RESAMPLES)
    low, high = drawn.confidence_interval
    better = float((BETTER[name] * gains > 0).mean())
    return (
        f"The area under the {name} curve, suite minus published: {gains.mean():+.3f} on average "
        f"(95 % interval over photographs {low:+.3f} to {high:+.3f}); the suite's is better for "
        f"{100 * better:.0f} % of photographs."
    )


PARTS = (Part("variants", "Extremal perturbation, two variants", measure),)

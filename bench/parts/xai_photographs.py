"""All methods on real photographs by real networks: how faithful, how alike, how large."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured, Part, table
from bench.parts.words import share
from bench.parts.xai_data import class_names, photographs
from bench.parts.xai_mosaics import localisation, localisation_text
from bench.parts.xai_sheet import draw_sheet
from bench.parts.xai_work import (
    Scoring,
    Subject,
    chance_maps,
    faithfulness,
    peak_memory,
    precompute,
    subject,
)
from xai_backend.explain.precompute import ComputedMap, Picture, Precompute
from xai_backend.methods import method_of
from xai_backend.metrics.maps import compressed_size, covered_area, spearman
from xai_backend.models.frame import read_photo

CHANCE = "chance"
LEAST = 24
"""Photographs that the network is asked about, so that mosaics can be made of some."""
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """How many photographs each method explains, and how.

    Attributes
    ----------
    photographs
        By network, whose answers are explained, and method: the first so many.
    settings
        Of methods, where they aren't the usual ones.
    scored
        Photographs whose maps' faithfulness is measured, at most.
    steps
        Of deletion and insertion.
    mosaics
        Mosaics for localisation.
    shown
        Photographs on the sheets.
    """

    photographs: Mapping[str, Mapping[str, int]]
    settings: Mapping[str, Mapping[str, Any]]
    scored: int
    steps: int
    mosaics: int
    shown: int


ALL = 200
METHODS: Mapping[str, int] = {
    "gradcam": ALL,
    "lrp": ALL,
    "saliency_sod": ALL,
    "integrated_gradients": ALL,
    "smoothgrad": ALL,
    "gradient_shap": ALL,
    "occlusion": ALL,
    "kernel_shap": 40,
    "extremal_perturbation": 40,
}
"""Photographs by method; fewer for those that take minutes a map."""
SOME = 40
"""The second network's methods explain no more than so many, the two slow ones a fifth of it."""

FULL = Plan(
    photographs={
        "squeezenet1_1": METHODS,
        "mobilenet_v2": {
            name: SOME if count == ALL else SOME // 5 for name, count in METHODS.items()
        },
    },
    settings={
        "kernel_shap": {"samples": 500},
        "extremal_perturbation": {"iterations": 100, "variant": "suite"},
    },
    scored=100,
    steps=20,
    mosaics=16,
    shown=8,
)
QUICK = Plan(
    photographs={"squeezenet1_1": dict.fromkeys(METHODS, 2)},
    settings={
        "kernel_shap": {"samples": 60},
        "extremal_perturbation": {"iterations": 2},
        "occlusion": {"patch_px": 64, "stride_px": 32},
        "integrated_gradients": {"steps": 4},
        "smoothgrad": {"samples": 4},
        "gradient_shap": {"samples": 4},
    },
    scored=2,
    steps=4,
    mosaics=2,
    shown=2,
)


def measure(effort: Effort) -> Measured:
    """Explain photographs by all methods, and measure what comes of it."""
    plan = QUICK if effort.quick else FULL
    parts, figures = [], {}
    for name in plan.photographs:
        found = _of_network(name, plan, effort)
        figures[name] = found
        parts.append(_text(name, found, plan, effort))
    return Measured("\n\n".join([_intro(plan), *parts]), {"networks": figures})


def _of_network(name: str, plan: Plan, effort: Effort) -> Figures:
    of = subject(name)
    with tempfile.TemporaryDirectory() as folder:
        work = precompute(of, Path(folder), effort)
        try:
            return _measured(of, work, plan, effort)
        finally:
            work.store.close()


def _measured(of: Subject, work: Precompute, plan: Plan, effort: Effort) -> Figures:
    counts = plan.photographs[of.network.name]
    shown = photographs(max(LEAST, *counts.values()))
    codes = {p.path.stem: of.classifier.frame.codes(read_photo(p.path)) for p in shown}
    pictures = [Picture.of(stem, values) for stem, values in codes.items()]
    logits = work.logits(pictures)
    targets = {stem: int(values.argmax()) for stem, values in logits.items()}
    right = sum(targets[photo.path.stem] == photo.label for photo in shown)
    maps: dict[str, dict[str, ComputedMap]] = {}
    for method, count in counts.items():
        effort.say(f"{of.network.name}: {method} on {count} photographs")
        some = pictures[:count]
        chosen = [targets[picture.name] for picture in some]
        maps[method] = work.maps(_method(method, plan), some, chosen)
    effort.say(f"{of.network.name}: deletion and insertion")
    scores = _scores(of, codes, targets, maps, plan, effort)
    effort.say(f"{of.network.name}: memory")
    memory = _memory(of, plan)
    effort.say(f"{of.network.name}: mosaics")
    explain = {method: _method(method, plan) for method in counts}
    where = localisation(of, work, explain, shown, logits, plan.mosaics, TOO_SLOW)
    names = class_names()
    _sheet(of, codes, targets, maps, plan, effort, names)
    return {
        "photographs": len(shown),
        "right": right,
        "methods": {
            method: _row(found) | scores[method] | {"peak_mib": memory[method]}
            for method, found in maps.items()
        },
        CHANCE: scores[CHANCE],
        "alike": _alike(maps),
        "localisation": where,
    }


JPEG_QUALITY = 80

TOO_SLOW = frozenset({"extremal_perturbation", "kernel_shap"})
"""Methods that are too slow for the mosaics."""


def _method(name: str, plan: Plan) -> Any:
    return method_of(name, plan.settings.get(name, {}))


def _row(found: Mapping[str, ComputedMap]) -> Figures:
    values = np.stack([one.values for one in found.values()])
    return {
        "n": len(found),
        "seconds": median(one.seconds or 0.0 for one in found.values()),
        "png_bytes": float(np.mean(compressed_size(values))),
        "area": float(np.mean(covered_area(values))),
        "empty": int((values.max(axis=(1, 2)) <= 0).sum()),
    }


def _scores(
    of: Subject,
    codes: Mapping[str, NDArray[np.uint8]],
    targets: Mapping[str, int],
    maps: Mapping[str, Mapping[str, ComputedMap]],
    plan: Plan,
    effort: Effort,
) -> dict[str, Figures]:
    """Return the mean areas under deletion and insertion of each method, and of chance."""
    scored = list(codes)[: plan.scored]
    side = of.classifier.frame.crop_px
    values = {
        method: {stem: one.values for stem, one in found.items() if stem in scored}
        for method, found in maps.items()
    }
    values[CHANCE] = chance_maps(scored, (side, side))
    flat = [(method, stem) for method, some in values.items() for stem in some]
    scorings = (
        Scoring(of.network, codes[stem], targets[stem], values[method][stem], plan.steps)
        for method, stem in flat
    )
    areas = faithfulness(scorings, effort)
    rows = {}
    for method in values:
        own = areas[[k for k, (name, _) in enumerate(flat) if name == method]]
        rows[method] = {
            "scored": len(own),
            "deletion": float(own[:, 0].mean()),
            "insertion": float(own[:, 1].mean()),
        }
    return rows


def _memory(of: Subject, plan: Plan) -> dict[str, float | None]:
    short = {"extremal_perturbation": {"iterations": 2}}
    jobs = [
        (of.network, method, {**plan.settings.get(method, {}), **short.get(method, {})})
        for method in METHODS
    ]
    return dict(zip(METHODS, peak_memory(jobs), strict=True))


def _alike(maps: Mapping[str, Mapping[str, ComputedMap]]) -> dict[str, dict[str, float]]:
    """Return mean rank correlations of each pair of methods over the photographs of both."""
    alike: dict[str, dict[str, float]] = {}
    for one, first in maps.items():
        for other, second in maps.items():
            common = [stem for stem in first if stem in second][:20]
            both = (np.stack([some[stem].values for stem in common]) for some in (first, second))
            alike.setdefault(one, {})[other] = float(np.nanmean(spearman(*both)))
    return alike


def _sheet(
    of: Subject,
    codes: Mapping[str, NDArray[np.uint8]],
    targets: Mapping[str, int],
    maps: Mapping[str, Mapping[str, ComputedMap]],
    plan: Plan,
    effort: Effort,
    names: Sequence[str],
) -> None:
    stems = list(codes)[: plan.shown]
    rows = [
        (codes[stem], names[targets[stem]], [maps[method][stem].values for method in maps])
        for stem in stems
    ]
    path = effort.picture(f"{of.network.name}.jpg")
    draw_sheet(["photograph", *maps], rows).save(path, quality=JPEG_QUALITY)


def _intro(plan: Plan) -> str:
    changed = "; ".join(
        f"{method} {', '.join(f'{key} {value}' for key, value in settings.items())}"
        for method, settings in plan.settings.items()
    )
    return (
        f"Up to {max(LEAST, *_every_count(plan))} photographs are explained for the network's most "
        "likely class. Three in ten have their full size and are of different classes; the others "
        "are from imagenette (160 px, ten classes). The methods have their default settings, "
        f"except: {changed}. *s* is the median time of a map on one thread; the machine was also "
        "doing other work. *bytes* is the mean size of a map as a grey PNG. *area* is the mean "
        "share of pixels above 5 % of the maximum. *deletion* (low is good) and *insertion* (high "
        f"is good) are areas under curves of {plan.steps} steps (Petsiuk et al. 2018). *memory* is "
        "the peak memory of a map in addition to the loaded network. "
        f"*{CHANCE}* is a map of smooth random spots."
    )


def _every_count(plan: Plan) -> list[int]:
    return [count for counts in plan.photographs.values() for count in counts.values()]


def _text(name: str, found: Figures, plan: Plan, effort: Effort) -> str:
    rows = [
        [
            method,
            f"{row['n']}",
            f"{row['seconds']:.2f}",
            f"{row['png_bytes']:.0f}",
            share(row["area"]),
            share(row["deletion"]),
            share(row["insertion"]),
            "–" if row["peak_mib"] is None else f"{row['peak_mib']:.0f}",
        ]
        for method, row in found["methods"].items()
    ]
    chance = found[CHANCE]
    blank = ["", "", "", ""]
    rows.append([CHANCE, *blank, share(chance["deletion"]), share(chance["insertion"]), ""])
    headings = ["method", "n", "s", "bytes", "area", "deletion", "insertion", "memory, MiB"]
    return "\n\n".join(
        [
            f"### {name}",
            f"{found['right']} of {found['photographs']} photographs classified correctly.",
            table(headings, rows),
            effort.shown(f"{name}.jpg", f"Maps of all methods, {name}"),
            "Rank correlation of the methods' maps (Spearman, mean over up to 20 photographs):",
            _alike_table(found["alike"]),
            localisation_text(found["localisation"]),
        ]
    )


def _alike_table(alike: Mapping[str, Mapping[str, float]]) -> str:
    short = {name: "".join(word[0] for word in name.split("_")) or name for name in alike}
    short |= {name: name[:4] for name in alike if "_" not in name}
    rows = [
        [f"{name} ({short[name]})", *(f"{alike[name][other]:.2f}" for other in alike)]
        for name in alike
    ]
    return table(["", *(short[name] for name in alike)], rows)


PARTS = (Part("photographs", "All methods on real photographs", measure),)

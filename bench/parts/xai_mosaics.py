"""Where do maps lie, when it is known where the class is: mosaics of four photographs.

The grid pointing game of Böhle, Fritz & Schiele (2021, section 4.2): four photographs of
different classes, which the network reads with confidence, are put together, and a map of
one's class should lie in its own quarter. No boxes drawn by people are needed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from bench.book import table
from bench.parts.words import share
from bench.parts.xai_data import Photograph
from bench.parts.xai_work import Subject, chance_maps
from stimuli.io.canonical import hash_of
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.methods import Method
from xai_backend.metrics.localisation import (
    best_threshold,
    box_masks,
    pointing_game,
    weakly_supervised_localisation,
)
from xai_backend.models.frame import read_photo

CONFIDENT = 0.8
"""Probability of the right class from which a photograph is taken for a mosaic."""
Figures = dict[str, Any]


def localisation(
    of: Subject,
    work: Precompute,
    methods: Mapping[str, Method],
    shown: Sequence[Photograph],
    logits: Mapping[str, NDArray[np.float32]],
    count: int,
    without: frozenset[str],
) -> Figures:
    """Return what each method and chance reach on mosaics."""
    sure = [photo for photo in shown if _sure(photo, logits[photo.path.stem])]
    mosaics = _mosaics(of, sure, count)
    pictures = [Picture.of(name, codes) for name, codes, _, _ in mosaics]
    side = of.classifier.frame.crop_px
    boxes = [[_box(corner, side)] for _, _, corner, _ in mosaics]
    targets = [label for _, _, _, label in mosaics]
    rows = {}
    for name, method in methods.items():
        if name not in without:
            found = work.maps(method, pictures, targets)
            values = np.stack([found[picture.name].values for picture in pictures])
            rows[name] = _scores(values, boxes)
    chance = chance_maps([picture.name for picture in pictures], (side, side))
    rows["chance"] = _scores(np.stack(list(chance.values())), boxes)
    return {"mosaics": len(mosaics), "sure": len(sure), "methods": rows}


def localisation_text(found: Figures) -> str:
    """Return a table of what was found."""
    rows = [
        [
            name,
            share(row["in_quarter"]),
            share(row["pointing"]),
            share(row["iou"]),
            f"{row['threshold']:.2f}",
            share(row["wsl"]),
        ]
        for name, row in found["methods"].items()
    ]
    headings = ["method", "in its quarter", "pointing game", "IoU", "at threshold", "WSL"]
    return (
        f"Localisation on {found['mosaics']} mosaics of four photographs (the grid pointing "
        "game of "
        "Böhle et al. 2021), since these photographs have no boxes. The network classifies each of "
        f"the four correctly with a probability of at least {CONFIDENT}, and one class is "
        "explained. *In its quarter* is the share of positive relevance in that class's quarter "
        "(.25 by chance). *Pointing game* allows 15 px. *IoU* is the overlap with the quarter at "
        "the method's best threshold. *WSL* (weakly supervised localisation) is how often the "
        "box around the pixels above 5 % of "
        "the maximum overlaps the quarter by more than half.\n\n" + table(headings, rows)
    )


def _sure(photo: Photograph, logits: NDArray[np.float32]) -> bool:
    shares = np.exp(logits.astype(np.float64) - logits.max())
    return bool(shares[photo.label] / shares.sum() >= CONFIDENT)


def _mosaics(
    of: Subject, sure: Sequence[Photograph], count: int
) -> list[tuple[str, NDArray[np.uint8], int, int]]:
    """Return mosaics: name, codes, the explained quarter and its class."""
    mosaics = []
    for number in range(count):
        order = sorted(sure, key=lambda photo: hash_of([number, photo.path.name]))
        different = {photo.label: photo for photo in reversed(order)}
        four = [photo for photo in order if different[photo.label] is photo][:4]
        side = of.classifier.frame.crop_px
        quarters = [_quarter(photo, of, side // 2) for photo in four]
        codes = np.concatenate(
            [np.concatenate(quarters[:2], axis=1), np.concatenate(quarters[2:], axis=1)]
        )
        corner = number % 4
        mosaics.append((f"mosaic-{number}", codes, corner, four[corner].label))
    return mosaics


def _quarter(photo: Photograph, of: Subject, side: int) -> NDArray[np.uint8]:
    codes = of.classifier.frame.codes(read_photo(photo.path))
    return np.asarray(Image.fromarray(codes).resize((side, side), Image.Resampling.BICUBIC))


def _box(corner: int, side: int) -> tuple[float, float, float, float]:
    half = side / 2
    left, top = (corner % 2) * half, (corner // 2) * half
    return left, top, left + half, top + half


def _scores(
    values: NDArray[np.float32], boxes: Sequence[Sequence[tuple[float, float, float, float]]]
) -> Figures:
    there = box_masks(boxes, *values.shape[1:])
    positive = np.maximum(values, 0)
    total = positive.sum(axis=(1, 2))
    inside = (positive * there).sum(axis=(1, 2))
    threshold, overlaps = best_threshold(values, there)
    return {
        "in_quarter": float(np.divide(inside, total, where=total > 0, out=0 * inside).mean()),
        "pointing": float(pointing_game(values, there).mean()),
        "iou": float(overlaps.mean()),
        "threshold": float(threshold),
        "wsl": float(weakly_supervised_localisation(values, boxes).mean()),
    }

"""The page of a comparison: one HTML file with its pictures in it."""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.io.tables import Row
from xai_backend.compare.scores import STEPS
from xai_backend.compare.tables import SCORES
from xai_backend.explain.legend import FOR_AND_AGAINST, for_pages
from xai_backend.explain.overlay import overlay
from xai_backend.explain.working import Answered
from xai_backend.pages import rendered

HEADINGS = {
    "deletion": ("Deletion", "low is good"),
    "insertion": ("Insertion", "high is good"),
    "pointing_game": ("Pointing game", "high is good"),
    "sparseness": ("Sparseness", "0 even, 1 sparse"),
    "covered": ("Covered", "share of pixels"),
    "png_bytes": ("Size", "kB as PNG"),
    "sanity": ("Shuffled weights", "near 0 is good"),
    "seconds": ("Time", "s a map"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A photograph on the page.

    Attributes
    ----------
    name
        Stem of its file.
    codes
        RGB codes, uint8 (H, W, 3).
    answered
        The class that is explained.
    maps
        float32 (H, W) by method.
    """

    name: str
    codes: NDArray[np.uint8]
    answered: Answered
    maps: Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a page tells.

    Attributes
    ----------
    network
        What the network is called.
    images
        How many photographs were compared.
    means, pairs
        Rows of `tables.SUMMARY` and `tables.AGREEMENT`.
    shown
        The photographs to look at.
    refused
        Why methods have no maps with shuffled weights, by method.
    caution
        What to know of the network; None without.
    seen
        What it sees of photographs.
    """

    network: str
    images: int
    means: Sequence[Row]
    pairs: Sequence[Row]
    shown: Sequence[Shown]
    refused: Mapping[str, str]
    caution: str | None
    seen: str


def page(found: Comparison) -> str:
    """Return the page of a comparison as HTML."""
    methods = [str(row["method"]) for row in found.means]
    columns = [
        (name, *HEADINGS[name])
        for name in (column.name for column in SCORES)
        if any(row[name] is not None for row in found.means)
    ]
    return rendered(
        "compare.html",
        network=found.network,
        images=found.images,
        steps=STEPS,
        methods=methods,
        columns=columns,
        means=found.means,
        written=_written,
        agreement=_square(found.pairs, methods),
        shown=[_pictures(one, methods) for one in found.shown],
        refused=found.refused,
        caution=found.caution,
        seen=found.seen,
        legend=for_pages(FOR_AND_AGAINST),
    )


def _written(name: str, value: Any) -> str:
    """Return a mean as it stands on the page."""
    if value is None:
        return "–"
    text = f"{value / 1000:.1f}" if name == "png_bytes" else f"{value:.2f}"
    return text.replace("-", "−")


def _square(pairs: Sequence[Row], methods: Sequence[str]) -> list[list[str]]:
    """Return the rank correlations of all methods with one another, as text."""
    found = {(row["method"], row["other"]): row["rank_correlation"] for row in pairs}
    return [
        [
            "" if one == other else _written("", found.get((one, other), found.get((other, one))))
            for other in methods
        ]
        for one in methods
    ]


def _pictures(one: Shown, methods: Sequence[str]) -> dict[str, Any]:
    overlays = [
        _data_url(overlay(one.codes, one.maps[name])) if name in one.maps else None
        for name in methods
    ]
    return {
        "name": one.name,
        "label": one.answered.label,
        "probability": one.answered.share,
        "wrong": one.answered.labelled,
        "photo": _data_url(one.codes),
        "overlays": list(zip(methods, overlays, strict=True)),
    }


def _data_url(codes: NDArray[np.uint8]) -> str:
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, format="JPEG", quality=88)
    return f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"

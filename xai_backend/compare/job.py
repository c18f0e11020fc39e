"""Compare methods on the same photographs: maps, scores, and a page to look at.

The page is one HTML file that contains its pictures.
"""

import base64
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import keyed_order
from stimuli.io.files import write_whole
from stimuli.io.tables import Row
from xai_backend.compare.scores import (
    AGREEMENT,
    SCORED,
    SCORES,
    STEPS,
    SUMMARY,
    Again,
    Maps,
    agreement,
    map_scores,
    sensitivities,
    shuffled_maps,
    summary,
)
from xai_backend.determinism import not_finite
from xai_backend.explain.job import check_out
from xai_backend.explain.overlay import FOR_AND_AGAINST, for_pages, overlay
from xai_backend.explain.precompute import Codes
from xai_backend.explain.request import CompareRequest
from xai_backend.explain.working import Answered, Job, Photo, working
from xai_backend.methods.method import Method
from xai_backend.metrics.localisation import Box, cropped, read_boxes
from xai_backend.models.frame import photos_in, upright
from xai_backend.pages import rendered
from xai_backend.progress import Reporter

HEADINGS = {
    "deletion": ("Deletion", "low is good"),
    "insertion": ("Insertion", "high is good"),
    "comprehensiveness": ("Comprehensiveness", "high is good"),
    "sufficiency": ("Sufficiency", "low is good"),
    "road": ("ROAD", "high is good"),
    "infidelity": ("Infidelity", "low is good"),
    "max_sensitivity": ("Max-sensitivity", "low is good"),
    "pointing_game": ("Pointing game", "high is good"),
    "sparseness": ("Sparseness", "0 even, 1 sparse"),
    "covered": ("Covered", "share of pixels"),
    "png_bytes": ("Size", "kB as PNG"),
    "sanity": ("Shuffled weights", "near 0 is good"),
    "seconds": ("Time", "s a map"),
}
PAGE = "compare.html"
CHANGED = 4
"""Number of photographs whose maps are compared with those of slightly changed photographs."""
LOOKED_AT = 8
"""Number of photographs whose maps are shown on the page and compared with shuffled weights."""


@dataclass(frozen=True, slots=True)
class PagePhoto:
    """A photograph on the page.

    Attributes
    ----------
    name
        Its file's stem.
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
    """The content of a page.

    Attributes
    ----------
    network
        The network's name.
    images
        Number of photographs that were compared.
    means, pairs
        Rows of `scores.SUMMARY` and `scores.AGREEMENT`.
    photos
        The photographs that the page shows.
    refused
        By method, why it has no maps with shuffled weights.
    caution
        A caution about the network, or None.
    seen
        Which part of the photographs it sees, in words.
    """

    network: str
    images: int
    means: Sequence[Row]
    pairs: Sequence[Row]
    photos: Sequence[PagePhoto]
    refused: Mapping[str, str]
    caution: str | None
    seen: str


def page(comparison: Comparison) -> str:
    """Return the page of a comparison as HTML."""
    methods = [str(row["method"]) for row in comparison.means]
    columns = [
        (name, *HEADINGS[name])
        for name in (column.name for column in SCORES)
        if any(row[name] is not None for row in comparison.means)
    ]
    return rendered(
        "compare.html",
        network=comparison.network,
        images=comparison.images,
        steps=STEPS,
        methods=methods,
        columns=columns,
        means=comparison.means,
        written=_written,
        agreement=_square(comparison.pairs, methods),
        photos=[_pictures(photo, methods) for photo in comparison.photos],
        refused=comparison.refused,
        caution=comparison.caution,
        seen=comparison.seen,
        legend=for_pages(FOR_AND_AGAINST),
    )


def _written(name: str, value: Any) -> str:
    """Return a mean as it is written on the page."""
    if value is None:
        return "–"
    text = f"{value / 1000:.1f}" if name == "png_bytes" else f"{value:.2f}"
    return text.replace("-", "−")


def _square(pairs: Sequence[Row], methods: Sequence[str]) -> list[list[str]]:
    """Return the rank correlations of all methods with one another, as text."""
    correlations = {(row["method"], row["other"]): row["rank_correlation"] for row in pairs}
    return [
        [
            ""
            if method == other
            else _written("", correlations.get((method, other), correlations.get((other, method))))
            for other in methods
        ]
        for method in methods
    ]


def _pictures(photo: PagePhoto, methods: Sequence[str]) -> dict[str, Any]:
    overlays = [
        _data_url(overlay(photo.codes, photo.maps[name])) if name in photo.maps else None
        for name in methods
    ]
    return {
        "name": photo.name,
        "label": photo.answered.label,
        "probability": photo.answered.share,
        "wrong": photo.answered.labelled,
        "photo": _data_url(photo.codes),
        "overlays": list(zip(methods, overlays, strict=True)),
    }


def _data_url(codes: NDArray[np.uint8]) -> str:
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, format="JPEG", quality=88)
    return f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Compared:
    """The result: the page, how many photographs were compared, and which were left out and why."""

    page: Path
    images: int
    skipped: tuple[str, ...]


def compare(request: CompareRequest, reporter: Reporter) -> Compared:
    """Write scores, tables and a page of several methods on the same photographs.

    Maps are kept in the store, so the same command continues after an interruption.

    Raises
    ------
    UserError
        If what was asked for can't be done at all.
    """
    methods = {name: asked.method() for name, asked in request.methods.items()}
    paths = photos_in(request.photos.images)
    chosen = sorted(keyed_order([path.stem for path in paths], "compare")[: request.sample])
    boxes = {} if request.boxes is None else read_boxes(request.boxes, chosen)
    check_out(request.photos.out)
    taken = [path for path in paths if path.stem in chosen]
    with working(request.photos, taken, tuple(methods.values()), reporter) as job:
        maps = {name: _finite(name, job.maps(method), reporter) for name, method in methods.items()}
        photos = {photo.stem: photo for photo in job.album.photos() if photo.stem in job.answers}
        if not photos:
            raise UserError(f"{request.photos.images}: none of {len(taken)} images could be read")
        examples = list(photos)[:LOOKED_AT]
        looked_at = {name: photos[name].codes for name in examples}
        with reporter.stage("shuffled weights", len(methods)) as advance:
            others, refused = _shuffled(job, methods, looked_at, advance)
        changed = {name: looked_at[name] for name in examples[:CHANGED]}
        with reporter.stage("changed images", len(methods)) as advance:
            sensitive = {}
            for name, method in methods.items():
                sensitive[name] = sensitivities(job.classifier.model, method, changed, job.answers)
                advance(1)
        again = {
            name: {
                stem: Again(others[name].get(stem), sensitive[name].get(stem)) for stem in examples
            }
            for name in methods
        }
        scored = _scored(job, photos, maps, boxes, again, reporter)
    means, pairs = summary(scored, list(methods)), agreement(maps)
    write_whole(request.photos.out / "scores.csv", SCORED.to_csv(scored))
    write_whole(request.photos.out / "summary.csv", SUMMARY.to_csv(means))
    write_whole(request.photos.out / "agreement.csv", AGREEMENT.to_csv(pairs))
    pictures = tuple(_page_photo(job, photos[name], maps) for name in examples)
    network = job.classifier.name
    comparison = Comparison(
        network, len(photos), means, pairs, pictures, refused, job.caution, job.seen
    )
    write_whole(request.photos.out / PAGE, page(comparison).encode("utf-8"))
    return Compared(request.photos.out / PAGE, len(photos), tuple(job.album.skipped))


def _scored(
    job: Job,
    photos: Mapping[str, Photo],
    maps: Mapping[str, Maps],
    boxes: Mapping[str, Sequence[Box]],
    again: Mapping[str, Mapping[str, Again]],
    reporter: Reporter,
) -> list[Row]:
    rows: list[Row] = []
    with reporter.stage("scoring maps", sum(map(len, maps.values()))) as advance:
        for method, method_maps in maps.items():
            for name in (name for name in photos if name in method_maps):
                photo, answered = photos[name], job.answers[name]
                scores = map_scores(
                    job.classifier.model,
                    photo.codes,
                    answered,
                    method_maps[name],
                    _in_frame(job, photo, boxes.get(name, ())),
                    again[method].get(name, Again()),
                )
                place = {"image": name, "method": method, "target": answered.target}
                rows.append(place | scores)
                advance(1)
    return rows


def _page_photo(job: Job, photo: Photo, maps: Mapping[str, Maps]) -> PagePhoto:
    """Return a photograph with its maps, in the photograph's proportions."""
    name, whole = photo.stem, partial(upright, frame=job.classifier.frame, size=photo.size)
    return PagePhoto(
        name,
        whole(photo.codes),
        job.answers[name],
        {
            method: whole(method_maps[name].values)
            for method, method_maps in maps.items()
            if name in method_maps
        },
    )


def _in_frame(job: Job, photo: Photo, boxes: Sequence[Box]) -> list[Box]:
    inside = (cropped(box, photo.size, job.classifier.frame) for box in boxes)
    return [box for box in inside if box is not None]


def _shuffled(
    job: Job,
    methods: Mapping[str, Method],
    photos: Mapping[str, Codes],
    advance: Callable[[int], None],
) -> tuple[dict[str, dict[str, NDArray[np.float32]]], dict[str, str]]:
    """Return maps with shuffled weights by method and photograph, and why methods have none."""
    maps: dict[str, dict[str, NDArray[np.float32]]] = {}
    refused: dict[str, str] = {}
    for name, method in methods.items():
        try:
            maps[name] = shuffled_maps(job.classifier.model, method, photos, job.answers)
        except UserError as fault:
            maps[name], refused[name] = {}, first_line(fault)
        advance(1)
    return maps, refused


def _finite(method: str, maps: Maps, reporter: Reporter) -> Maps:
    faults = {name: not_finite(computed.values) for name, computed in maps.items()}
    for name in filter(faults.get, faults):
        reporter.say(f"skipped: {name}: the map of {method} can't be shown: {faults[name]}")
    if empty := sum(not computed.values.any() for computed in maps.values()):
        reporter.say(f"caution: {empty} of {len(maps)} maps of {method} are zero everywhere")
    return {name: computed for name, computed in maps.items() if not faults[name]}

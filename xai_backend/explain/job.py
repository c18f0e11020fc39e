"""Explain a folder of photographs: maps, their table, overlays, and a contact sheet.

The contact sheet of a method shows all overlays on pages, with their classes.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json
from stimuli.io.files import write_whole
from stimuli.io.tables import Column, TableSchema
from xai_backend.determinism import not_finite
from xai_backend.explain.overlay import (
    FOR_AND_AGAINST,
    PEOPLE,
    Caption,
    Entry,
    captioned,
    for_pages,
    overlay,
    png_of,
)
from xai_backend.explain.precompute import ComputedMap
from xai_backend.explain.request import ExplainRequest
from xai_backend.explain.working import Album, Answered, Job, Photo, working
from xai_backend.methods import identity_of, named_method
from xai_backend.methods.human import Human, read_human_maps
from xai_backend.methods.method import Method
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import Size, photos_in, upright
from xai_backend.pages import rendered
from xai_backend.progress import Reporter

PER_PAGE = 100
"""Most overlays on a page: more slow a browser down."""
FORMAT = "explanations/1.3"
FEW_NAMES = 3
MAPS, TABLE, OVERLAYS = "maps.safetensors", "explanations.csv", "overlays"
EXPLANATIONS = TableSchema(
    "explanations",
    "One row for each image that was explained.",
    (
        Column("image", "text", "Stem of the image's file; key of its map in maps.safetensors."),
        Column("target", "integer", "Index of the class that is explained."),
        Column("probability", "real", "Probability that the network gives that class."),
        Column("method", "text", "Explanation method."),
        Column(
            "seconds",
            "real",
            "Time that the explanation took when it was computed, its share of its batch; "
            "empty where it wasn't measured.",
            unit="s",
            optional=True,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a contact sheet shows.

    Attributes
    ----------
    method, network
        Their names.
    caution
        A caution about the network, or None.
    legend
        What the colours mean.
    seen
        Which part of the photographs the network sees, in words.
    """

    method: str
    network: str
    caution: str | None
    legend: tuple[Entry, ...]
    seen: str

    def pages(
        self, answers: Mapping[str, Answered], folder: str, sizes: Mapping[str, Size]
    ) -> dict[str, str]:
        """Return the pages as HTML by the files' names.

        Parameters
        ----------
        answers
            The network's answers by photograph, in order.
        folder
            Path of the overlays, relative to the page.
        sizes
            Widths and heights of the overlays without their captions, by photograph.
        """
        images = list(answers)
        parts = [images[start : start + PER_PAGE] for start in range(0, len(images), PER_PAGE)]
        names = [self._file(number) for number in range(1, len(parts) + 1)]
        return {
            name: self._page(
                number, names, {image: answers[image] for image in part}, folder, sizes
            )
            for number, (name, part) in enumerate(zip(names, parts, strict=True), start=1)
        }

    def _file(self, number: int) -> str:
        method = re.sub(r"[^\w.-]+", "_", self.method)
        return f"sheet_{method}.html" if number == 1 else f"sheet_{method}_{number}.html"

    def _page(
        self,
        number: int,
        names: Sequence[str],
        answers: Mapping[str, Answered],
        folder: str,
        sizes: Mapping[str, Size],
    ) -> str:
        pictures = [
            {
                "name": name,
                "file": quote(f"{folder}/{name}.png"),
                "size": sizes[name],
                "label": answered.label,
                "probability": answered.share,
                "wrong": answered.labelled,
            }
            for name, answered in answers.items()
        ]
        return rendered(
            "sheet.html",
            legend=for_pages(self.legend),
            method=self.method,
            network=self.network,
            caution=self.caution,
            seen=self.seen,
            images=len(sizes),
            pages=names,
            number=number,
            pictures=pictures,
        )


@dataclass(frozen=True, slots=True)
class Explained:
    """The result: how many images were explained, and which were skipped and why."""

    out: Path
    images: int
    skipped: tuple[str, ...]


def explain(request: ExplainRequest, reporter: Reporter) -> Explained:
    """Write maps, table and overlays of a folder's photographs.

    A photograph that can't be read or explained is reported and skipped. Each result is kept in a
    store at once, so an interrupted job continues where it stopped. The files are written when
    everything is computed; none is written if nothing could be explained.

    Raises
    ------
    UserError
        If what was asked for can't be done at all.
    """
    paths = photos_in(request.photos.images)
    explainer, identity = _explainer(request)
    check_out(request.photos.out / OVERLAYS)
    methods = () if isinstance(explainer, Human) else (explainer,)
    with working(request.photos, paths, methods, reporter, compiled=request.how.compiled) as job:
        if isinstance(explainer, Human):
            maps = _painted(explainer, job.album, job.classifier)
        else:
            maps = job.maps(explainer)
    classifier, album = job.classifier, job.album
    whole = _finite(maps, album)
    if not whole:
        reason = f"; {album.skipped[0]}" if album.skipped else ""
        raise UserError(
            f"{request.photos.images}: no image could be explained, of {len(paths)}{reason}"
        )
    _tell_empty(request.method, whole, reporter)
    about = {
        "format": FORMAT,
        "model": classifier.name,
        "weights_sha256": classifier.weights_sha256,
        "frame": asdict(classifier.frame),
        "method": identity,
        "halved_to": {
            name: computed.halved_to for name, computed in whole.items() if computed.halved_to
        },
        "compiled": [name for name, computed in whole.items() if computed.compiled],
    }
    sizes = _write(request, job, whole, about)
    _write_sheet(request, job, sizes)
    return Explained(request.photos.out, len(whole), tuple(album.skipped))


def overlays_of(
    request: ExplainRequest, reporter: Reporter, *, metrics: bool = False
) -> tuple[dict[str, bytes], Classifier, dict[str, dict[str, float]]]:
    """Return the overlays of a folder's photographs as PNG by the photo's stem, and the network.

    The maps' metrics come last, if they are wanted.

    They bear no caption, as people see them in a study. Nothing is written but the store's maps.
    Photographs that can't be explained are missing.

    Raises
    ------
    UserError
        If what was asked for can't be done at all.
    """
    paths = photos_in(request.photos.images)
    method = named_method(request.method, request.how.settings)
    with working(request.photos, paths, (method,), reporter) as job:
        maps = _finite(job.maps(method), job.album)
        scores = job.metrics(maps) if metrics else {}
    _tell_empty(request.method, maps, reporter)
    pictures = {
        photo.stem: png_of(_overlaid(job, photo, maps[photo.stem].values))
        for photo in job.album.photos()
        if photo.stem in maps
    }
    return pictures, job.classifier, scores


def _explainer(request: ExplainRequest) -> tuple[Method | Human, dict[str, Any]]:
    """Return the method or people's maps, and the values that identify them."""
    if request.method == Human.name:
        assert request.how.human_maps is not None
        return read_human_maps(request.how.human_maps), {"name": Human.name}
    method = named_method(request.method, request.how.settings)
    return method, identity_of(method)


def _painted(human: Human, album: Album, classifier: Classifier) -> dict[str, ComputedMap]:
    """Return people's maps in the network's frame."""
    maps = {}
    for photo in album.photos():
        started = time.perf_counter()
        try:
            values = human.explain([photo.stem], [photo.size], classifier.frame)[0].numpy()
        except UserError as fault:
            album.skip(photo.stem, str(fault))
        else:
            maps[photo.stem] = ComputedMap(values, time.perf_counter() - started, None)
    return maps


def _finite(maps: dict[str, ComputedMap], album: Album) -> dict[str, ComputedMap]:
    for name, computed in maps.items():
        if fault := not_finite(computed.values):
            album.skip(name, f"{name}: its map can't be shown: {fault}")
    names = [picture.name for picture in album.pictures]
    return {name: maps[name] for name in names if name in maps and name not in album.left_out}


def _tell_empty(method: str, maps: Mapping[str, ComputedMap], reporter: Reporter) -> None:
    """Report maps that are zero everywhere; UserError if all are."""
    empty = [name for name, computed in maps.items() if not computed.values.any()]
    if len(empty) == len(maps):
        raise UserError(f"{method}: each of its {len(maps)} maps is zero everywhere")
    if empty:
        more = ", …" if len(empty) > FEW_NAMES else ""
        names = ", ".join(empty[:FEW_NAMES])
        reporter.say(
            f"caution: {len(empty)} of {len(maps)} maps are zero everywhere: {names}{more}"
        )


def _write(
    request: ExplainRequest, job: Job, maps: dict[str, ComputedMap], about: dict[str, Any]
) -> dict[str, Size]:
    """Write everything but the sheet, each file atomically; return the overlays' sizes."""
    out, answers = request.photos.out, job.answers
    sizes: dict[str, Size] = {}
    for photo in job.album.photos():
        if photo.stem in maps:
            overlaid = _overlaid(job, photo, maps[photo.stem].values)
            sizes[photo.stem] = (overlaid.shape[1], overlaid.shape[0])
            caption = _caption(request, photo.stem, answers[photo.stem])
            picture = png_of(captioned(overlaid, caption))
            write_whole(out / OVERLAYS / f"{photo.stem}.png", picture, flush=False)
    rows = [
        {
            "image": name,
            "target": answers[name].target,
            "probability": answers[name].probability,
            "method": request.method,
            "seconds": computed.seconds,
        }
        for name, computed in maps.items()
    ]
    tensors = {name: np.ascontiguousarray(computed.values) for name, computed in maps.items()}
    named = {"explanations": canonical_json(about).decode("utf-8")}
    write_whole(out / MAPS, save(tensors, named))
    write_whole(out / TABLE, EXPLANATIONS.to_csv(rows))
    return sizes


def _write_sheet(request: ExplainRequest, job: Job, sizes: Mapping[str, Size]) -> None:
    sheet = Sheet(request.method, job.classifier.name, job.caution, _legend(request), job.seen)
    answers = {name: job.answers[name] for name in sizes}
    for name, text in sheet.pages(answers, OVERLAYS, sizes).items():
        write_whole(request.photos.out / name, text.encode("utf-8"))


def _overlaid(job: Job, photo: Photo, values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return a map over the part of the photograph that the network sees, in its proportions."""
    whole = partial(upright, frame=job.classifier.frame, size=photo.size)
    return overlay(whole(photo.codes), whole(values))


def _caption(request: ExplainRequest, stem: str, answered: Answered) -> Caption:
    return Caption(answered.label, answered.share, request.method, stem, _legend(request))


def _legend(request: ExplainRequest) -> tuple[Entry, ...]:
    return PEOPLE if request.method == Human.name else FOR_AND_AGAINST


def check_out(out: Path) -> None:
    """Refuse an output folder that couldn't be written, before hours of work."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"{out}: can't be made ({fault.strerror})") from None

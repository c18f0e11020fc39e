"""Explain a folder of photographs."""

import io
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from safetensors.numpy import save
from torch import Tensor

from stimuli.canonical import canonical_json
from stimuli.errors import UserError
from stimuli.files import write_whole
from stimuli.tables import Column, TableSchema
from xai_backend.determinism import deterministic
from xai_backend.explain.halving import with_halving
from xai_backend.explain.overlay import overlay
from xai_backend.explain.settings import typed_settings
from xai_backend.methods import Execution, identity_of, method_of
from xai_backend.methods.human import Human, read_human_maps
from xai_backend.models.frame import photos_in, read_photo
from xai_backend.models.image_model import as_images, logits_of
from xai_backend.models.torchvision_models import Classifier, load_classifier
from xai_backend.progress import Reporter

FORMAT = "explanations/1.0"
MAPS, TABLE, OVERLAYS = "maps.safetensors", "explanations.csv", "overlays"
GROUP = 16
"""Photographs that are read and explained together by methods that take several at once."""
TAKE_SEVERAL = frozenset({"lrp", "gradcam", "human", "saliency_sod"})

EXPLANATIONS = TableSchema(
    "explanations",
    "One row an image that was explained.",
    (
        Column("image", "text", "Stem of the image's file; key of its map in maps.safetensors."),
        Column("target", "integer", "Index of the class that is explained."),
        Column("probability", "real", "Probability that the network gives that class."),
        Column("method", "text", "Explanation method."),
        Column("seconds", "real", "Time that the explanation took.", unit="s"),
    ),
)


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What is to be explained, as it was asked for.

    Attributes
    ----------
    model, weights, device
        See `load_classifier`.
    method
        Name of a method, or ``human``.
    settings
        Of the method, NAME=VALUE.
    images
        Folder of photographs.
    out
        Folder for the results.
    batch
        Inputs that go through the network at once; None for the method's own number.
    target
        Class to explain in every image; None for each image's most likely one.
    human_maps
        Folder of people's maps, for the method ``human``.
    """

    model: str
    method: str
    images: Path
    out: Path
    weights: str | None = None
    settings: tuple[str, ...] = ()
    batch: int | None = None
    device: str = "cpu"
    target: int | None = None
    human_maps: Path | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """What came of it: how many images, and what was skipped for which reason."""

    out: Path
    images: int
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Photo:
    """A photograph as the network sees it.

    Attributes
    ----------
    stem
        Its file's name without suffix.
    size
        Width and height of the whole photograph, pixels.
    codes
        RGB codes (H, W, 3) in the network's frame.
    """

    stem: str
    size: tuple[int, int]
    codes: NDArray[np.uint8]


Maker = Callable[[Classifier, Sequence[Photo], Tensor, Tensor, Execution], Tensor]
"""From a classifier, photographs, the same as images, and targets to maps."""


def explain(request: ExplainRequest, reporter: Reporter) -> Explained:
    """Write maps, table and overlays of a folder's photographs.

    A photograph that can't be read or explained is told and skipped. Nothing is written
    before all are done, and nothing at all if none could be explained.

    Raises
    ------
    UserError
        If what was asked for can't be done at all.
    """
    paths = photos_in(request.images)
    maker, identity = _maker(request)
    _check_out(request.out)
    classifier = load_classifier(request.model, request.weights, request.device)
    _check_target(request.target, classifier)
    job = _Job(request, classifier, maker, reporter)
    with reporter.stage(f"explaining ({request.method})", len(paths)) as advance:
        for some in _groups(paths, request):
            job.take(some)
            advance(len(some))
    if not job.rows:
        raise UserError(f"{request.images}: none of {len(paths)} images could be explained")
    about = {
        "format": FORMAT,
        "model": classifier.name,
        "weights_sha256": classifier.weights_sha256,
        "frame": asdict(classifier.frame),
        "method": identity,
    }
    job.write(about)
    return Explained(request.out, len(job.rows), tuple(job.skipped))


class _Job:
    """Explanations as they come."""

    def __init__(
        self, request: ExplainRequest, classifier: Classifier, maker: Maker, reporter: Reporter
    ) -> None:
        self.rows: list[dict[str, Any]] = []
        self.skipped: list[str] = []
        self._maps: dict[str, NDArray[np.float32]] = {}
        self._overlays: dict[str, NDArray[np.uint8]] = {}
        self._request, self._classifier, self._maker = request, classifier, maker
        self._reporter = reporter
        self._execution = _execution(request)

    def take(self, paths: Sequence[Path]) -> None:
        """Explain some photographs together."""
        photos = [photo for photo in map(self._read, paths) if photo]
        if not photos:
            return
        codes = torch.from_numpy(np.stack([photo.codes for photo in photos]))
        images = as_images(codes)
        likely, probabilities = self._answers(images)
        started = time.perf_counter()
        try:
            maps, self._execution = with_halving(
                lambda execution: self._maker(self._classifier, photos, images, likely, execution),
                self._execution,
                self._reporter.say,
            )
        except _MissingMapError as reason:
            self._skip(str(reason))
            return
        seconds = (time.perf_counter() - started) / len(photos)
        for k, photo in enumerate(photos):
            values = maps[k].numpy()
            if not np.isfinite(values).all():
                self._skip(f"{photo.stem}: its map holds numbers that aren't finite")
                continue
            self._maps[photo.stem] = values
            self._overlays[photo.stem] = overlay(photo.codes, values)
            self.rows.append(
                {
                    "image": photo.stem,
                    "target": int(likely[k]),
                    "probability": float(probabilities[k]),
                    "method": self._request.method,
                    "seconds": seconds,
                }
            )

    def write(self, about: dict[str, Any]) -> None:
        """Write everything, each file whole."""
        out = self._request.out
        for stem, codes in self._overlays.items():
            stream = io.BytesIO()
            Image.fromarray(codes).save(stream, format="PNG")
            write_whole(out / OVERLAYS / f"{stem}.png", stream.getvalue())
        tensors = {stem: np.ascontiguousarray(values) for stem, values in self._maps.items()}
        named = {"explanations": canonical_json(about).decode("utf-8")}
        write_whole(out / MAPS, save(tensors, named))
        write_whole(out / TABLE, EXPLANATIONS.to_csv(self.rows))

    def _read(self, path: Path) -> Photo | None:
        try:
            photo = read_photo(path)
        except UserError as fault:
            self._skip(str(fault))
            return None
        return Photo(path.stem, photo.size, self._classifier.frame.codes(photo))

    def _answers(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return the classes to explain and their probabilities."""
        with deterministic(threads=self._execution.threads):
            logits, self._execution = with_halving(
                lambda how: logits_of(self._classifier.model, images, how.at_once or GROUP),
                self._execution,
                self._reporter.say,
            )
        targets = logits.argmax(dim=1)
        if self._request.target is not None:
            targets = torch.full_like(targets, self._request.target)
        return targets, logits.double().softmax(dim=1).gather(1, targets[:, None])[:, 0]

    def _skip(self, reason: str) -> None:
        self.skipped.append(reason)
        self._reporter.say(f"skipped: {reason}")


class _MissingMapError(Exception):
    """A photograph has no map."""


def _maker(request: ExplainRequest) -> tuple[Maker, dict[str, Any]]:
    """Return what makes maps, and what it is called."""
    if request.method == Human.name:
        if request.human_maps is None:
            raise UserError("method human needs --human-maps DIR: people's maps by image")
        return _human_maker(read_human_maps(request.human_maps)), {"name": Human.name}
    if request.human_maps is not None:
        raise UserError(f"--human-maps goes with --method human, not {request.method}")
    method = method_of(request.method, typed_settings(request.method, request.settings))

    def make(
        classifier: Classifier,
        photos: Sequence[Photo],
        images: Tensor,
        targets: Tensor,
        execution: Execution,
    ) -> Tensor:
        try:
            return method.explain(classifier.model, images, targets, execution)
        except ValueError as fault:
            raise UserError(f"method {method.name}: {fault}") from None

    return make, identity_of(method)


def _human_maker(human: Human) -> Maker:
    def make(
        classifier: Classifier,
        photos: Sequence[Photo],
        images: Tensor,
        targets: Tensor,
        execution: Execution,
    ) -> Tensor:
        stems, sizes = [photo.stem for photo in photos], [photo.size for photo in photos]
        try:
            return human.explain(stems, sizes, classifier.frame)
        except UserError as fault:
            raise _MissingMapError(str(fault)) from None

    return make


def _groups(paths: Sequence[Path], request: ExplainRequest) -> Iterator[Sequence[Path]]:
    """Yield photographs that are explained together."""
    several = request.batch or (GROUP if request.method in TAKE_SEVERAL else 1)
    size = 1 if request.method == Human.name else several
    for start in range(0, len(paths), size):
        yield paths[start : start + size]


def _execution(request: ExplainRequest) -> Execution:
    """Return how methods are run: on a CPU one image at a time is as fast, and fills nothing up."""
    at_once = request.batch
    if at_once is None and request.device == "cpu" and request.method in TAKE_SEVERAL:
        at_once = 1
    return Execution(at_once=at_once, threads=torch.get_num_threads())


def _check_target(target: int | None, classifier: Classifier) -> None:
    with torch.no_grad():
        size = classifier.frame.crop_px
        blank = torch.zeros(1, 3, size, size, device=classifier.model.device)
        classes = classifier.model(blank).shape[1]
    if target is not None and not 0 <= target < classes:
        raise UserError(f"--target {target}: {classifier.name} has classes 0 to {classes - 1}")


def _check_out(out: Path) -> None:
    """Refuse before hours of work what can't be written after them."""
    try:
        (out / OVERLAYS).mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"{out}: can't be made ({fault.strerror})") from None

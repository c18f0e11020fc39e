"""A network at work on a folder's photographs and their labels: every job begins with it.

Photographs are read when they are needed, as the network sees them.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows
from stimuli.names import folded
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.explain.metrics import metrics_of_maps
from xai_backend.explain.precompute import Codes, ComputedMap, Picture, Precompute, checked_workers
from xai_backend.explain.request import PhotosRequest
from xai_backend.methods.method import Method
from xai_backend.methods.occlusion import has_short_cut
from xai_backend.methods.registry import layer_of
from xai_backend.models.classifier import Classifier, caution_of_errors, checked_device, outputs_of
from xai_backend.models.frame import InputFrame, read_photo, seen_line
from xai_backend.models.image_model import probability
from xai_backend.progress import Reporter
from xai_backend.store import input_sha256, opened_store

KEPT = 1024
"""Number of photographs whose codes stay in memory, about 150 MB; others are read again."""
Logits = Mapping[str, NDArray[np.float32]]
Labels = Mapping[str, tuple[str, frozenset[int]]]


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


class Album:
    """Photographs, and which of them were left out and why.

    Parameters
    ----------
    paths
        Their files; no two have the same stem.
    frame
        Which part of a photograph the network sees.
    reporter
        Reports skipped photographs.
    """

    def __init__(self, paths: Sequence[Path], frame: InputFrame, reporter: Reporter) -> None:
        self.left_out: dict[str, str] = {}
        self.pictures: list[Picture] = []
        self.sizes: list[tuple[int, int]] = []
        self._frame, self._reporter = frame, reporter
        self._paths = {path.stem: path for path in paths}
        self._kept: dict[str, Photo] = {}
        with reporter.stage("reading images", len(paths)) as advance:
            for path in paths:
                photo = self._photo(path.stem)
                if photo:
                    load = partial(self._codes, photo.stem)
                    self.pictures.append(Picture(photo.stem, input_sha256(photo.codes), load))
                    self.sizes.append(photo.size)
                advance(1)
        self._content = {picture.name: picture.sha256 for picture in self.pictures}

    @property
    def skipped(self) -> list[str]:
        """The reasons why photographs were left out, in their order."""
        return [self.left_out[stem] for stem in self._paths if stem in self.left_out]

    def photos(self) -> Iterator[Photo]:
        """Yield the photographs that weren't left out."""
        for picture in self.pictures:
            photo = self._unchanged(picture.name)
            if photo is not None:
                yield photo

    def skip(self, stem: str, reason: str) -> None:
        """Leave a photograph out."""
        if stem not in self.left_out:
            self.left_out[stem] = reason
            self._reporter.say(f"skipped: {reason}")

    def _codes(self, stem: str) -> Codes | None:
        photo = self._unchanged(stem)
        return None if photo is None else photo.codes

    def _unchanged(self, stem: str) -> Photo | None:
        """Return a photograph, unless it was left out, or its content has changed."""
        photo = None if stem in self.left_out else self._photo(stem)
        if photo is not None and input_sha256(photo.codes) != self._content[stem]:
            self.skip(stem, f"{self._paths[stem].name}: was changed meanwhile")
            return None
        return photo

    def _photo(self, stem: str) -> Photo | None:
        if stem in self._kept:
            return self._kept[stem]
        try:
            whole = read_photo(self._paths[stem])
        except UserError as fault:
            self.skip(stem, str(fault))
            return None
        photo = Photo(stem, whole.size, self._frame.codes(whole))
        if len(self._kept) < KEPT:
            self._kept[stem] = photo
        return photo


@dataclass(frozen=True, slots=True)
class Answered:
    """A network's answer to a photograph.

    Attributes
    ----------
    target, probability
        The class that is explained, and its probability.
    label
        The class in words.
    labelled
        The true label of the photograph if the network gives another one; "" otherwise.
    """

    target: int
    probability: float
    label: str = ""
    labelled: str = ""

    @property
    def share(self) -> str:
        """The probability in words."""
        if 0 < self.probability < 0.01:
            return "<1%"
        return ">99%" if 0.99 < self.probability < 1 else f"{self.probability:.0%}"


@dataclass(frozen=True, slots=True)
class Job:
    """A network, photographs, and its answers to them.

    Attributes
    ----------
    classifier, album
        The network and the photographs.
    work
        Computes the maps.
    answers
        The class to explain, by photograph.
    caution
        A caution about the network for people who see its maps, or None.
    seen
        Which part of the photographs the network sees, in words (`seen_line`).
    """

    classifier: Classifier
    album: Album
    work: Precompute
    answers: dict[str, Answered]
    caution: str | None
    seen: str

    def maps(self, method: Method) -> dict[str, ComputedMap]:
        """Return a method's maps by photograph; photographs that are gone are left out."""
        pictures = [picture for picture in self.album.pictures if picture.name in self.answers]
        targets = [self.answers[picture.name].target for picture in pictures]
        return self.work.maps(method, pictures, targets)

    def metrics(self, maps: Mapping[str, ComputedMap]) -> dict[str, dict[str, float]]:
        """Return how well maps foretell the network, by photograph (`metrics_of_maps`)."""
        pictures = [picture for picture in self.album.pictures if picture.name in maps]
        targets = [self.answers[picture.name].target for picture in pictures]
        values = {name: computed.values for name, computed in maps.items()}
        return metrics_of_maps(self.work, pictures, targets, values)


@contextmanager
def working(
    request: PhotosRequest,
    paths: Sequence[Path],
    methods: Sequence[Method],
    reporter: Reporter,
    *,
    compiled: bool = False,
) -> Iterator[Job]:
    """Yield a job: a network and photographs; the store is closed at the end of the block.

    Parameters
    ----------
    request
        The network, and how it is run.
    paths
        The photographs' files; no two have the same stem.
    methods
        The methods of the job: a layer that they name has to exist.
    reporter
        Shows progress.
    compiled
        Whether the network goes through torch.compile.

    Raises
    ------
    UserError
        If the network, the device or the scheduler isn't available, or the class to explain, a
        label or a layer doesn't exist.
    """
    checked_device(request.device)
    workers = checked_workers(request.workers, request.device)
    classifier = classifier_at_hand(request.model, request.weights, request.device)
    check_target(request.target, classifier)
    for method in methods:
        check_layer(method, classifier)
    labels = _labels(request.labels, paths, classifier)
    if compiled and request.device == "cpu" and has_short_cut(classifier.model):
        reporter.say(f"--compile gives up a short cut for {classifier.name} that is faster on CPUs")
    album = Album(paths, classifier.frame, reporter)
    seen = seen_line(classifier.name, classifier.frame, album.sizes) if album.sizes else ""
    if seen:
        reporter.say(seen)
    network = Network(request.model, request.weights, request.device, classifier.weights_sha256)
    with opened_store(request.store) as store:
        work = Precompute(
            network,
            classifier.preprocessing,
            store,
            workers,
            request.batch,
            reporter,
            compiled=compiled,
        )
        logits = work.logits(album.pictures, album.skip)
        caution = _caution(classifier, labels, logits)
        if caution:
            reporter.say(f"caution: {caution}")
        answers = _answers(logits, labels, request.target, classifier.categories)
        yield Job(classifier, album, work, answers, caution, seen)


def check_target(target: int | None, classifier: Classifier) -> None:
    """Refuse a class to explain that a network doesn't have."""
    if target is not None and not 0 <= target < (count := _classes(classifier)):
        raise UserError(f"--target {target}: {classifier.name} has classes 0 to {count - 1}")


def check_layer(method: Method, classifier: Classifier) -> None:
    """Refuse a layer of ``--set layer=`` that a network doesn't have."""
    layer = layer_of(method)
    known = dict(classifier.model.network.named_modules())
    if layer and layer not in known:
        near = ", ".join(difflib.get_close_matches(layer, known, n=3) or list(known)[1:4])
        raise UserError(
            f"--set layer={layer}: {classifier.name} has no such layer; it has {near or 'none'}"
        )


def _classes(classifier: Classifier) -> int:
    return len(classifier.categories) or outputs_of(classifier)


def _labels(file: Path | None, paths: Sequence[Path], classifier: Classifier) -> Labels:
    """Return each photograph's label, and the outputs with this name."""
    if file is None:
        return {}
    names = [path.name for path in paths]
    return outputs_of_labels(file, names, classifier.categories, _classes(classifier))


def _caution(classifier: Classifier, labels: Labels, logits: Logits) -> str | None:
    known = [name for name in logits if name in labels]
    right = sum(int(logits[name].argmax()) in labels[name][1] for name in known)
    return caution_of_errors(classifier.name, right, len(known))


def _answers(
    logits: Logits, labels: Labels, target: int | None, words: Sequence[str]
) -> dict[str, Answered]:
    answers = {}
    for name, image_logits in logits.items():
        chosen = int(image_logits.argmax()) if target is None else target
        labelled, outputs = labels.get(name, ("", frozenset()))
        answers[name] = Answered(
            chosen,
            probability(image_logits, chosen),
            words[chosen] if words else f"class {chosen}",
            labelled if int(image_logits.argmax()) not in outputs else "",
        )
    return answers


def outputs_of_labels(
    file: Path, images: Sequence[str], categories: Sequence[str], outputs: int
) -> dict[str, tuple[str, frozenset[int]]]:
    """Return each image's label and the network's outputs of this name, by the file's stem.

    Parameters
    ----------
    file
        A CSV ``image,label``: an image's file name or stem; a class of the network by its name, in
        any spelling (case, accents, underscores), or by its number.
    images
        Names of the files; rows of other images are ignored.
    categories
        The outputs' names; empty if they aren't known.
    outputs
        Number of the network's outputs.

    Raises
    ------
    UserError
        If the file can't be read, names none of the images or one of them twice, or a label isn't a
        class of the network.
    """
    stems = {name: Path(name).stem for name in images}
    stems |= {stem: stem for stem in stems.values()}
    places: dict[str, set[int]] = {}
    for number, category in enumerate(categories):
        places.setdefault(folded(category), set()).add(number)
    labels: dict[str, tuple[str, frozenset[int]]] = {}
    for place, row in numbered_rows(file, ("image", "label")):
        stem = stems.get(Path(row["image"].replace("\\", "/")).name)
        if stem is None:
            continue
        if stem in labels:
            raise UserError(f"{file}, row {place}: {row['image']} has a label already")
        numbers = places.get(folded(row["label"])) or _number(row["label"], outputs)
        if not numbers:
            raise UserError(
                f"{file}, row {place}: {row['label']} is no class of the network; "
                + (f"its classes are called {categories[0]}, …" if categories else "give numbers")
            )
        labels[stem] = (row["label"], frozenset(numbers))
    if not labels:
        raise UserError(f"{file}: names none of the photographs (column image)")
    return labels


def _number(label: str, outputs: int) -> set[int]:
    """Return a set with the output of this number; an empty one if there is no such output."""
    return {int(label)} if label.isdecimal() and int(label) < outputs else set()

"""Training images: what a label means, which images are similar, and which can be shown.

Samples show what a label means. Examples are the training images of the proposed label that the AI
finds most similar. An image can be shown if its label has samples, and examples if they are
required.

Whether a distance recognises copies of an image is measured. The published distance, 100, is meant
for layer4 of ResNet-34. In the features of another network every image may be nearer than that to
every other one, or no copy may be.
"""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of, keyed_order
from stimuli.studies.human_ai_team.protocol import NEIGHBOURS, HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.methods.nearest_neighbours import NearestNeighbours, Neighbour, References
from xai_backend.models.image_model import as_images
from xai_backend.progress import Reporter
from xai_backend.provenance import provenance
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai, PictureAnswer
from xai_backend.studies.human_ai_team.draw import Fits, Judged
from xai_backend.studies.human_ai_team.images import Candidate, Codes, Jpeg, codes_of, gathered
from xai_backend.studies.human_ai_team.source import Source

SAMPLES: Final = "prior.samples"
"""What a label may lack, besides the help of an arm."""
AT_ONCE = 64
"""Number of pictures that are read together."""


@dataclass(frozen=True, slots=True)
class Known:
    """A training image to which the AI gives its own label."""

    candidate: Candidate
    picture: Picture
    answer: PictureAnswer


class Pool:
    """Training images by label; they are read and answered when a label is needed.

    Parameters
    ----------
    candidates
        The training images; none of them is judged.
    ai
        Answers the images.
    protocol
        How many samples and examples a label needs.
    reporter
        Shows progress.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        ai: Ai,
        protocol: HumanAiTeam,
        reporter: Reporter,
    ) -> None:
        self._ai, self._protocol, self._reporter = ai, protocol, reporter
        self._by_label: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            self._by_label.setdefault(candidate.label, []).append(candidate)
        self._known: dict[str, tuple[Known, ...]] = {}

    def __contains__(self, label: str) -> bool:
        """Return whether a label's images are answered."""
        return label in self._known

    def ready(self, labels: Iterable[str]) -> None:
        """Read and answer the images of labels, unless this is done already; UserError as `Ai`."""
        asked = sorted(set(labels) - set(self._known))
        wanted = [candidate for label in asked for candidate in self._by_label.get(label, ())]
        self._known |= dict.fromkeys(asked, ())
        if not wanted:
            return
        album = gathered(wanted, self._protocol, self._reporter)
        answers = self._ai.answers(list(album.pictures.values()))
        right = [
            Known(candidate, album.pictures[candidate.item], answers[candidate.item])
            for candidate in wanted
            if candidate.item in answers and answers[candidate.item].label == candidate.label
        ]
        for label in asked:
            self._known[label] = tuple(known for known in right if known.candidate.label == label)

    def right(self, label: str) -> tuple[Known, ...]:
        """Return the images of a label that the AI classifies correctly, sorted by item."""
        return self._known.get(label, ())

    def samples(self, label: str) -> list[Known]:
        """Return images that show what a label means: the AI is right and confident."""
        rule, right = self._protocol.prior, self.right(label)
        sure = {
            known.candidate.item: known
            for known in right
            if known.answer.confidence >= rule.sample_from
        }
        order = keyed_order(sure, self._protocol.seed, "samples")
        return [sure[item] for item in order[: rule.samples]]

    def lacking(self, label: str) -> str:
        """Return what a label has too few images for: `SAMPLES` or an arm; "" if it has enough."""
        rule, arms = self._protocol.prior, self._protocol.help.arms
        if rule.asked and len(self.samples(label)) < rule.samples:
            return SAMPLES
        if NEIGHBOURS in arms and len(self.right(label)) < self._protocol.help.neighbours:
            return NEIGHBOURS
        return ""


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A picture, and the label of which it needs examples."""

    picture: Picture
    label: str


class Examples:
    """Examples for pictures, kept in a store under a key of all that determines them.

    Parameters
    ----------
    ai
        Images are compared in its features.
    pool
        The training images.
    protocol
        Number of examples, and the distance of a duplicate.
    store
        Keeps the examples; those of a label are kept together.
    reporter
        Shows progress.
    """

    def __init__(
        self, ai: Ai, pool: Pool, protocol: HumanAiTeam, store: TensorStore, reporter: Reporter
    ) -> None:
        rule = protocol.help
        self._ai, self._pool, self._store, self._reporter = ai, pool, store, reporter
        self._method = NearestNeighbours(
            rule.neighbours, protocol.system.layer, rule.near_duplicate_distance
        )

    def of(self, questions: Iterable[ExampleQuestion]) -> dict[tuple[str, str], tuple[Known, ...]]:
        """Return examples by the picture's name and label, the nearest first.

        There are fewer than the protocol wants if a label has no more that aren't duplicates.

        Raises
        ------
        UserError
            If the network has no such layer, or the store can't be written.
        """
        by_label: dict[str, list[ExampleQuestion]] = {}
        for question in questions:
            by_label.setdefault(question.label, []).append(question)
        examples: dict[tuple[str, str], tuple[Known, ...]] = {}
        keys = {label: self._keys(label, of_label) for label, of_label in by_label.items()}
        lacking = {label: self._store.missing(by_key) for label, by_key in keys.items()}
        total = sum(map(len, lacking.values()))
        if total:
            with self._reporter.stage("finding examples", total) as advance:
                for label, missing in sorted(lacking.items()):
                    if missing:
                        self._find(label, {key: keys[label][key] for key in missing})
                        advance(len(missing))
        for label, by_key in keys.items():
            right = self._pool.right(label)
            for key, rows in self._store.get(list(by_key)).items():
                for question in by_key[key]:
                    examples[question.picture.name, label] = tuple(
                        right[int(row)] for row in rows if row >= 0
                    )
        return examples

    def _keys(
        self, label: str, questions: Sequence[ExampleQuestion]
    ) -> dict[str, list[ExampleQuestion]]:
        """Return pictures by the key of their examples; pictures of equal content share a key."""
        names = [known.picture.sha256 for known in self._pool.right(label)]
        network = self._ai.of.network.weights_sha256
        root = [self._method.name, self._method.version, self._method.count, self._method.layer]
        keys: dict[str, list[ExampleQuestion]] = {}
        for question in questions:
            what = [*root, self._method.duplicate_distance, network, question.picture.sha256, names]
            keys.setdefault(hash_of(what), []).append(question)
        return keys

    def _find(self, label: str, questions: Mapping[str, Sequence[ExampleQuestion]]) -> None:
        right = self._pool.right(label)
        model, output = self._ai.of.classifier.model, self._ai.output_of(label)
        pictures = [image.picture for image in right]
        starts = range(0, len(pictures), AT_ONCE)
        parts = (_part(pictures, start, output) for start in starts)
        references = self._method.references(model, parts) if pictures else _nothing()
        rows = {}
        for key, (first, *_) in questions.items():
            images = _images([first.picture])
            (near,) = self._method.neighbours(model, images, _filled(1, output), references)
            rows[key] = _rows(near, self._method.count)
        self._store.put(rows, provenance(self._ai.of.network.device))


def _part(
    pictures: Sequence[Picture], start: int, output: int
) -> tuple[tuple[str, ...], Tensor, Tensor]:
    """Return some references as `NearestNeighbours` takes them, named by their numbers."""
    part = pictures[start : start + AT_ONCE]
    names = tuple(map(str, range(start, start + len(part))))
    return names, _images(part), _filled(len(part), output)


def _rows(near: Sequence[Neighbour], count: int) -> np.ndarray:
    """Return the neighbours' numbers, int64 (count,), filled up with −1."""
    numbers = [int(neighbour.name) for neighbour in near]
    return np.array(numbers + [-1] * (count - len(numbers)), dtype=np.int64)


def _images(pictures: Sequence[Picture]) -> Tensor:
    codes = [codes for codes in (picture.load() for picture in pictures) if codes is not None]
    return as_images(torch.from_numpy(np.stack(codes)))


def _filled(count: int, output: int) -> Tensor:
    return torch.full((count,), output, dtype=torch.int64)


def _nothing() -> References:
    return References((), torch.empty(0, dtype=torch.int64), torch.empty(0, 0))


class Showable:
    """Tells which images can be shown, as far as is known; it learns more as images are drawn.

    Parameters
    ----------
    pool, examples
        Training images.
    protocol
        How many samples and examples are needed.
    """

    def __init__(self, pool: Pool, examples: Examples, protocol: HumanAiTeam) -> None:
        self._pool, self._examples, self._protocol = pool, examples, protocol
        self._near: dict[tuple[str, str], tuple[Known, ...]] = {}

    def fits(self, judged: Judged) -> bool:
        """Return whether an image can be shown, as far as is known."""
        return not self.lacking(judged)

    def lacking(self, judged: Judged) -> str:
        """Return what keeps an image from being shown (see `Pool.lacking`), as far as is known."""
        if judged.label not in self._pool:
            return ""
        if of_label := self._pool.lacking(judged.label):
            return of_label
        near = self._near.get((judged.item, judged.label))
        enough = near is None or len(near) >= self._protocol.help.neighbours
        return "" if enough else NEIGHBOURS

    def examples(self, judged: Judged) -> tuple[Known, ...]:
        """Return the examples of an image that `settled` has returned."""
        return self._near[judged.item, judged.label]

    def samples(self, label: str) -> list[Known]:
        """Return the samples of a label of an image that `settled` has returned."""
        return self._pool.samples(label)

    def settled(
        self, choose: Callable[[Fits], Sequence[Judged]], pictures: Mapping[str, Picture]
    ) -> None:
        """Choose images repeatedly, until all chosen images can be shown.

        Parameters
        ----------
        choose
            Draws images among those that fit.
        pictures
            Pictures of all images that may be chosen, by item.
        """
        while True:
            chosen = choose(self.fits)
            unknown = {image.label for image in chosen if image.label not in self._pool}
            if unknown:
                self._pool.ready(unknown)
                continue
            if NEIGHBOURS not in self._protocol.help.arms:
                return
            asked = [image for image in chosen if (image.item, image.label) not in self._near]
            if not asked:
                return
            self._near |= self._examples.of(
                ExampleQuestion(pictures[image.item], image.label) for image in asked
            )


LABELS: Final = 10
IMAGES_A_LABEL: Final = 8
"""For each of `LABELS` labels, at most this many images are measured."""
COPY_QUALITY: Final = 50
COPY_SCALE: Final = 0.75
"""A copy is an image reduced to this scale, enlarged again and saved as a JPEG of
`COPY_QUALITY`."""
HALF: Final = 0.5
DIGITS: Final = 3
"""Number of significant digits of a distance."""


@dataclass(frozen=True, slots=True)
class Distances:
    """Distances in a network's features, ascending.

    Attributes
    ----------
    copies
        Distances of images to a copy of themselves.
    others
        Distances of images to the nearest other image of their class.
    """

    copies: NDArray[np.float64]
    others: NDArray[np.float64]

    def nearer(self, distance: float) -> tuple[float, float]:
        """Return the shares of copies and of other images that are within a distance."""
        return float((self.copies <= distance).mean()), float((self.others <= distance).mean())

    @property
    def fitting(self) -> float | None:
        """A distance between nearly all copies and nearly all others; None if there is none."""
        copies, others = np.quantile(self.copies, 0.95), np.quantile(self.others, 0.05)
        return _short(float(np.sqrt(copies * others))) if copies < others else None

    def described(self, distance: float) -> dict[str, Any]:
        """Return the distances as plain JSON values."""
        copies, others = self.nearer(distance)
        return {
            "images": len(self.copies),
            "copies_median": _short(float(np.median(self.copies))),
            "others_median": _short(float(np.median(self.others))),
            "copies_recognised": round(copies, DIGITS),
            "others_passed_over": round(others, DIGITS),
            "fitting_distance": self.fitting,
        }


def checked_distance(source: Source, ai: Ai, reporter: Reporter) -> dict[str, Any]:
    """Measure distances of near-duplicates, and return the results as plain JSON values.

    Nothing is measured, and {} is returned, if no arm has examples, if only exact copies are passed
    over, or if no class has two training images.

    Raises
    ------
    UserError
        If most images have another image of their class that counts as a copy.
    """
    rule = source.protocol.help
    distance = rule.near_duplicate_distance
    if NEIGHBOURS not in rule.arms or distance == 0:
        return {}
    images = _some(source.train, source.protocol)
    if not images:
        return {}
    name = source.of.classifier.name
    distances = measured(images, ai, NearestNeighbours(layer=source.protocol.system.layer))
    copies, others = distances.nearer(distance)
    advice = "0 (exact copies only)" if distances.fitting is None else f"{distances.fitting:g}"
    where = f"help.near_duplicate_distance ({distance:g}): in the features of {name}"
    if others > HALF:
        raise UserError(
            f"{where}, {others:.0%} of images have another image of their class that is nearer, "
            f"and would lose it as an example; write {advice} into the protocol"
        )
    if copies < HALF:
        reporter.say(
            f"caution: {where}, only {copies:.0%} of copies (smaller, and saved again) are "
            f"nearer, so most stay among the examples; {advice} fits better"
        )
    return {"near_duplicates": distances.described(distance)}


def measured(images: Mapping[str, Sequence[Codes]], ai: Ai, method: NearestNeighbours) -> Distances:
    """Return distances of images, by class, to their copies and to each other."""
    copies, others = [], []
    for class_codes in images.values():
        plain = _features(class_codes, ai, method)
        apart = torch.cdist(plain, plain, compute_mode="donot_use_mm_for_euclid_dist")
        apart.fill_diagonal_(torch.inf)
        others += apart.min(dim=1).values.tolist()
        changed = _features([copy_of(codes) for codes in class_codes], ai, method)
        copies += (plain - changed).square().sum(dim=1).sqrt().tolist()
    return Distances(np.sort(np.array(copies)), np.sort(np.array(others)))


def copy_of(codes: Codes) -> Codes:
    """Return an image, uint8 (side, side, 3), after it was reduced, enlarged again and saved."""
    side = codes.shape[0]
    small = max(1, round(COPY_SCALE * side))
    image = Image.fromarray(codes).resize((small, small), Image.Resampling.BILINEAR)
    stream = io.BytesIO()
    image.resize((side, side), Image.Resampling.BILINEAR).save(
        stream, "JPEG", quality=COPY_QUALITY, subsampling=Jpeg().subsampling
    )
    return codes_of(stream.getvalue())


def _some(train: Sequence[Candidate], protocol: HumanAiTeam) -> dict[str, list[Codes]]:
    """Return some images of some classes that have at least two."""
    by_label: dict[str, dict[str, Candidate]] = {}
    for candidate in train:
        by_label.setdefault(candidate.label, {})[candidate.item] = candidate
    several = [label for label, of_label in by_label.items() if len(of_label) > 1]
    return {
        label: [
            by_label[label][item].codes()
            for item in keyed_order(by_label[label], protocol.seed, "copies")[:IMAGES_A_LABEL]
        ]
        for label in keyed_order(several, protocol.seed, "copies")[:LABELS]
    }


def _features(images: Sequence[Codes], ai: Ai, method: NearestNeighbours) -> Tensor:
    return method.features(ai.of.classifier.model, as_images(torch.from_numpy(np.stack(images))))


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")

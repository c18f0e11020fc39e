"""Many observers read the same plates, each plate made once, as displays show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analysis.statistics.proportions import Count, Interval, wilson
from bench.eyes.evidence import Eye, LearntColours, learn_colours
from bench.eyes.viewing import AS_MEANT, Viewing
from bench.parts.spread import spread
from stimuli.colour.spaces import Axis
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import seed_of
from stimuli.plates.masks import Mask, digit_mask
from stimuli.plates.observer import Observer, forced_choice, log_posterior
from stimuli.plates.plate import Plate, make_plate
from stimuli.plates.spec import PlateSpec, with_contrast
from stimuli.plates.templates import DigitTemplates

SEEDS = (1, 2, 3)
SPEC = PlateSpec()
CERTAIN = 30.0
"""Log ratio of a dot that one is told the class of."""
PLATES_A_JOB = 100
EXEMPLARS = {"uci": 100, "mnist": 400}
"""Images of each digit that observers have in mind: UCI has no more, MNIST is more varied."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Who looks at which plates, on which display, for how long (None: ``reference_s``)."""

    observer: Observer
    axis: Axis
    contrast: float
    viewing: Viewing = AS_MEANT
    at_s: float | None = None


Asked = tuple[Question, LearntColours]
"""A question, and what its observer has learnt of the colours."""


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    source: str
    seed: int
    numbers: range
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """Which plates were read rightly.

    Attributes
    ----------
    right
        bool (plates, questions).
    ceiling
        bool (plates,): by a reader who is told which dots are figure.
    """

    right: NDArray[np.bool_]
    ceiling: NDArray[np.bool_]

    def rate(self, question: int) -> Interval:
        """Return the share that a question's observer read, with its 95 % interval."""
        return wilson(Count(int(self.right[:, question].sum()), len(self.right)))

    @property
    def ceiling_rate(self) -> float:
        """Share that is read by who is told which dots are figure."""
        return float(self.ceiling.mean())


def read(source: str, asked: Sequence[Asked], plates: int) -> Readings:
    """Let each question's observer name the digit of ``plates`` plates of each seed.

    Held-out digits of a source, each plate on a packing of its own; observers know
    exemplars of training digits and have learnt the colours of their question. Forced
    choice among ten digits. All questions share the plates and the draws of the observers'
    noise.
    """
    jobs = [
        _Job(source, seed, range(start, min(start + PLATES_A_JOB, plates)), tuple(asked))
        for seed in SEEDS
        for start in range(0, plates, PLATES_A_JOB)
    ]
    parts = spread(_read_job, jobs, here=len(jobs) <= len(SEEDS))
    right, ceiling = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Readings(right, ceiling)


def learn(question: Question) -> LearntColours:
    """Return what a question's observer can learn of its two colours."""
    eye = Eye.of(question.observer, question.viewing, SPEC, question.at_s)
    return learn_colours(eye, question.axis, question.contrast)


@lru_cache(maxsize=4)
def digits_of(source: str) -> Digits:
    """Return a source's digits, loaded once a process."""
    return load_digits(source)


@lru_cache(maxsize=4096)
def _mask(source: str, index: int) -> Mask:
    return digit_mask(digits_of(source).images[index], SPEC)


@lru_cache(maxsize=4)
def _templates(source: str) -> DigitTemplates:
    digits = digits_of(source)
    train = digits.train_indices
    return DigitTemplates.from_images(
        digits.images[train], digits.labels[train], EXEMPLARS[source], spec=SPEC
    )


def held_out_plate(source: str, seed: int, number: int) -> tuple[Plate, int]:
    """Return a plate of a held-out digit, and the digit.

    Ten successive numbers show ten digits, so that who answers without looking is right
    once in ten whatever the answers; each digit's images come in turn.
    """
    digit = number % 10
    images = _images_of(source, seed, digit)
    index = int(images[number // 10 % len(images)])
    key = seed_of("leaks", source, seed, number)
    return make_plate(_mask(source, index), key, key, SPEC), digit


@lru_cache(maxsize=64)
def _images_of(source: str, seed: int, digit: int) -> NDArray[np.int64]:
    digits = digits_of(source)
    held_out = digits.held_out_indices
    rng = np.random.Generator(np.random.PCG64(seed_of("leaks order", source, seed, digit)))
    return rng.permutation(held_out[digits.labels[held_out] == digit])


def _read_job(job: _Job) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    right = np.zeros((len(job.numbers), len(job.asked) + 1), dtype=np.bool_)
    for row, number in enumerate(job.numbers):
        plate, label = held_out_plate(job.source, job.seed, number)
        rng = np.random.Generator(np.random.PCG64(seed_of("look", job.source, job.seed, number)))
        ratios = _ratios(plate, job.asked, rng)
        told = np.where(plate.figure, CERTAIN, -CERTAIN)[:, None]
        ratio = np.concatenate([ratios, told], axis=1)
        beliefs = log_posterior(Observer(), _templates(job.source), plate.packing, ratio)
        right[row] = [forced_choice(belief, rng) == label for belief in beliefs]
    return right[:, :-1], right[:, -1]


def _ratios(plate: Plate, asked: Sequence[Asked], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return each dot's log likelihood ratio in each question, (N, questions)."""
    noise = rng.standard_normal((len(plate.packing), 3))
    shown: dict[tuple[int, Axis, float], NDArray[np.float64]] = {}
    columns = []
    for question, colours in asked:
        key = (id(question.viewing), question.axis, question.contrast)
        if key not in shown:
            coloured = with_contrast(
                plate.lms, plate.figure, question.axis, question.contrast, SPEC
            )
            shown[key] = question.viewing.cones(coloured)
        columns.append(colours.log_ratio(colours.eye.readings(shown[key], noise)))
    return np.stack(columns, axis=1)

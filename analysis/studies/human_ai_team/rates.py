"""How often people are right and follow the AI, and the differences between arms.

Intervals are over people and images at once. All arms are measured together, so differences between
them keep what their images share.

Hypotheses and verdicts rest on one family of differences, the same by means and by the mixed model:
every arm against the reference, in each of the four quantities. Holm's correction over the family
limits false claims in a report to 5 %, whichever arm or quantity they are about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.detection import CRITERION, D_PRIME, z_sum
from analysis.statistics.estimate import NARROW, Adjusted, Estimate, adjusted
from analysis.statistics.means import (
    Means,
    estimate_curve,
    estimate_shares,
    measure_means,
    measure_shares,
)
from analysis.statistics.proportions import LEVEL, Count, Interval
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.human_ai_team.strata import Base, strata
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, NATURAL, PARTS, Answers

Array = np.ndarray

MEASURES: Final[Mapping[str, str]] = {
    "accuracy": "mean over people of the share of right answers",
    "over_reliance": "share of the AI's wrong labels that were accepted",
    "under_reliance": "share of the AI's right labels that were rejected",
    "discrimination": "how much more often right labels were accepted than wrong ones",
    "d_prime": "sensitivity d′ to whether the label is right, of all answers of an arm",
    "criterion": "criterion c of the same; above zero it leans to rejecting",
}
"""What each measure is. d′ and c have the log-linear correction (Hautus 1995)."""
_SHARES: Final[Mapping[str, tuple[bool, bool]]] = {
    "over_reliance": (False, True),
    "under_reliance": (True, False),
}
"""Of the AI's right (True) or wrong labels, the share that was accepted (True) or rejected."""
_OF_RIGHT_AND_WRONG: Final[Mapping[str, tuple[float, float]]] = {
    "over_reliance": (0.0, 1.0),
    "under_reliance": (-1.0, 0.0),
    "discrimination": (1.0, -1.0),
    "d_prime": tuple(D_PRIME),
    "criterion": tuple(CRITERION),
}
"""Weights of each measure on the shares (or their z) of accepted right and wrong labels; for
under-reliance 1 is added."""

ACCURACY, OVER, UNDER = "accuracy", "over_reliance", "under_reliance"
TOLD_APART: Final = "discrimination"
QUANTITIES: Final[Mapping[str, str]] = {
    ACCURACY: "right answers",
    OVER: "the AI's wrong labels accepted",
    UNDER: "the AI's right labels rejected",
    TOLD_APART: "right labels accepted more often than wrong ones",
}
FAMILY: Final = (
    "every arm against the reference, in right answers, over-reliance, under-reliance and "
    "discrimination"
)
"""The family of Holm's correction, as protocol, preregistration, report and power name it."""
ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of answers of all arms and parts, over participants and images.

    Attributes
    ----------
    cells
        Place of each part, arm and whether the AI is right among the shares of accepted labels.
    counts
        Accepted labels of all, by place.
    followed
        The cells' shares: means over participants and images, or (B, cells) of a bootstrap.
    people
        Place of each part and arm among the mean shares of right answers over people.
    correct
        The same of these means.
    """

    cells: Mapping[tuple[str, str, bool], int]
    counts: tuple[Count, ...]
    followed: TwoWayMeans | Array
    people: Mapping[tuple[str, str], int]
    correct: Means

    def counted(self, what: str, part: str, arm: str) -> Count:
        """Return how many answers are ``correct``, or belong to one of `_SHARES`."""
        right, wrong = (self.counts[self.cells[part, arm, ok]] for ok in (True, False))
        if what == "correct":
            return Count(right.successes + wrong.n - wrong.successes, right.n + wrong.n)
        of_right, accepted = _SHARES[what]
        found = right if of_right else wrong
        return found if accepted else Count(found.n - found.successes, found.n)

    def interval(self, measure: str, part: str, arm: str) -> Interval:
        """Return a measure of an arm with its 95 % limits; see `estimate_shares`, `z_sum`."""
        if measure == "accuracy":
            return self._accuracy(part, {arm: 1.0}).at(LEVEL)
        weights = self._weights(measure, part, arm)
        if measure in ("d_prime", "criterion"):
            return z_sum(self.counts, weights, self.followed)
        found = estimate_shares(self.counts, weights, self.followed).at(LEVEL)
        if measure != "under_reliance":
            return found
        return Interval(1 + found.estimate, 1 + found.ci_low, 1 + found.ci_high)

    def difference(self, measure: str, part: str, first: str, second: str) -> Estimate:
        """Return one of `QUANTITIES` of one arm less that of another."""
        if measure == "accuracy":
            return self._accuracy(part, {first: 1.0, second: -1.0})
        one, other = (self._weights(measure, part, arm) for arm in (first, second))
        return estimate_shares(self.counts, one - other, self.followed)

    def _weights(self, measure: str, part: str, arm: str) -> Array:
        """Return (cells,) weights of a measure on the shares of accepted right and wrong labels."""
        weights = np.zeros(len(self.counts))
        places = [self.cells[part, arm, ok] for ok in (True, False)]
        weights[places] = _OF_RIGHT_AND_WRONG[measure]
        return weights

    def compared(self, measure: str, part: str, first: str, second: str) -> Interval:
        """Return one of `MEASURES` of one arm less that of another, with 95 % limits."""
        if measure not in ("d_prime", "criterion"):
            return self.difference(measure, part, first, second).at(LEVEL)
        one, other = (self._weights(measure, part, arm) for arm in (first, second))
        return z_sum(self.counts, one - other, self.followed)

    def _accuracy(self, part: str, arms: Mapping[str, float]) -> Estimate:
        weights, answers = np.zeros(len(self.people)), np.zeros(len(self.people))
        for arm, weight in arms.items():
            place = self.people[part, arm]
            weights[place], answers[place] = weight, self.counted("correct", part, arm).n
        return estimate_curve(self.correct, weights, answers)


def measure(answers: Answers, plan: Resampling) -> Rates:
    """Return all measures, of all images and of natural and adversarial ones."""
    keys = [(part, arm) for arm in answers.arms for part in PARTS]
    inside = {key: _inside(answers, *key) for key in keys}
    frame = answers.frame
    right = frame["right"].to_numpy(dtype=bool)
    cells = [(*key, ok) for key in keys for ok in (True, False)]
    of_cells = np.column_stack([inside[part, arm] & (right == ok) for part, arm, ok in cells])
    of_people = np.column_stack([_shares(frame["participant"], inside[key]) for key in keys])
    followed, correct = (frame[name].to_numpy(dtype=float) for name in ("followed", "correct"))
    drawn = measure_means(followed, of_cells.astype(float), answers.units(), plan)
    return Rates(
        cells={cell: place for place, cell in enumerate(cells)},
        counts=tuple(
            Count(int(hits), int(n))
            for hits, n in zip(followed @ of_cells, of_cells.sum(axis=0), strict=True)
        ),
        followed=drawn.replicates if isinstance(drawn, Bootstrap) else drawn,
        people={key: place for place, key in enumerate(keys)},
        correct=measure_means(correct, of_people, answers.units(), plan),
    )


def _inside(answers: Answers, part: str, arm: str) -> Array:
    """Return (n,) whether an answer belongs to an arm and a part."""
    own = (answers.frame["method"] == arm).to_numpy()
    attacked = answers.frame["adversarial"].to_numpy(dtype=bool)
    return own if part == ALL else own & (attacked == (part == ATTACKED))


def _shares(participants: pd.Series, inside: Array) -> Array:
    """Return one over the person's number of counted answers for each of these; else 0."""
    n = pd.Series(inside.astype(float)).groupby(participants.to_numpy()).transform("sum")
    return np.where(inside, 1 / np.maximum(n.to_numpy(), 1), 0.0)


@dataclass(frozen=True, slots=True)
class PairEffect:
    """A quantity of an arm less that of another; differences of probabilities."""

    quantity: Annotated[str, about("The quantity.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    estimate: Annotated[float | None, about("Difference of probabilities, first less second.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    se: Annotated[float | None, about("Its standard error.")]
    p: Annotated[float | None, about("p, two-sided, by Student's t.")]
    low_90: Annotated[float | None, about("Its lower 90 % limit.")] = None
    high_90: Annotated[float | None, about("Its upper 90 % limit.")] = None
    df: Annotated[float | None, about("Degrees of freedom.")] = None
    p_family: Annotated[
        float | None,
        about("p after Holm, over every arm against the reference and every quantity."),
    ] = None
    family_low: Annotated[float | None, about("Lower limit, corrected as p_family is.")] = None
    family_high: Annotated[float | None, about("Upper limit, corrected as p_family is.")] = None

    @property
    def narrow(self) -> Interval:
        """The difference with its 90 % interval."""
        return Interval(*(_known(end) for end in (self.estimate, self.low_90, self.high_90)))

    @property
    def wide(self) -> Interval:
        """The difference with its 95 % interval."""
        return Interval(*(_known(end) for end in (self.estimate, self.ci_low, self.ci_high)))


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


Tests = Mapping[tuple[str, str, str], Estimate]
"""Quantity, first and second arm, and the first less the second."""


def pair_effects(tests: Tests, reference: str | None) -> tuple[PairEffect, ...]:
    """Return differences with p and limits after Holm over the family (`FAMILY`).

    Without a reference the family is every pair of arms.
    """
    inside = [of for of in tests if reference in (None, of[2])]
    family = dict(zip(inside, adjusted([tests[of] for of in inside]), strict=True))
    return tuple(_row(of, part, family.get(of)) for of, part in tests.items())


def _row(of: tuple[str, str, str], part: Estimate, after: Adjusted | None) -> PairEffect:
    narrow = part.at(NARROW)
    return PairEffect(
        *of,
        **limits_row(part),
        se=part.se,
        p=part.p,
        low_90=narrow.ci_low,
        high_90=narrow.ci_high,
        df=part.df,
        p_family=None if after is None else after.p,
        family_low=None if after is None else after.wide.ci_low,
        family_high=None if after is None else after.wide.ci_high,
    )


def most_freedom(answers: Answers, first: str, second: str) -> int:
    """Return the largest degrees of freedom that the model's difference of two arms can have.

    A variance that was estimated as zero, or a slope that was left out, must not make a difference
    more certain than this number of participants can make it.
    """
    frame = answers.frame
    own = frame[frame["method"].isin([first, second])]
    people = int(own["participant"].nunique())
    both = int(own.groupby("method")["participant"].nunique().sum()) > people
    return max(people - (1 if both else 2), 1)


def mean_pairs(answers: Answers, rates: Rates, part: str) -> tuple[PairEffect, ...]:
    """Return all differences of arms by means over participants and images, on one part."""
    own = answers.part(part)
    tests = {
        (name, *pair): rates.difference(name, part, *pair)
        for name in QUANTITIES
        for pair in own.pairs()
    }
    return pair_effects(tests, own.reference)


def weighted_pairs(answers: Answers, base: Base, plan: Resampling) -> tuple[PairEffect, ...]:
    """Return all differences by means on a base whose kinds of images have weights of their own."""
    natural = answers.part(NATURAL) if answers.parts != (ALL,) else answers
    frame, kinds = natural.frame, strata(natural.frame)
    cells = [(arm, ok, kind) for arm in natural.arms for ok in (True, False)
             for kind in base.kinds(ok)]  # fmt: skip
    cell, correct = np.full(len(frame), -1), frame["correct"].to_numpy(dtype=float)
    methods = frame["method"].to_numpy(dtype=object)
    for place, (arm, _, kind) in enumerate(cells):
        cell[(methods == arm) & (kinds == kind)] = place
    counts = [
        Count(int(correct[cell == place].sum()), int((cell == place).sum()))
        for place in range(len(cells))
    ]
    found = measure_shares(correct, cell, len(cells), natural.units(), plan)
    tests = {}
    for name, weights in quantity_weights(base.mix).items():
        for pair in natural.pairs():
            contrast = np.array([_weight(one, pair, base, weights) for one in cells])
            tests[name, *pair] = estimate_shares(counts, contrast, found)
    return pair_effects(tests, natural.reference)


def _weight(
    cell: tuple[str, bool, str],
    pair: tuple[str, str],
    base: Base,
    weights: tuple[float, float, float],
) -> float:
    arm, ok, kind = cell
    sign = (arm == pair[0]) - (arm == pair[1])
    return sign * weights[2 if ok else 1] * base.kinds(ok)[kind]


def quantity_weights(mix: float) -> dict[str, tuple[float, float, float]]:
    """Return each quantity's constant, and its weights of P(right answer | wrong and | right).

    Parameters
    ----------
    mix
        Share of right labels, 0 to 1.
    """
    return {
        ACCURACY: (0.0, 1 - mix, mix),
        OVER: (1.0, -1.0, 0.0),
        UNDER: (1.0, 0.0, -1.0),
        TOLD_APART: (-1.0, 1.0, 1.0),
    }


def of_quantity(pairs: Sequence[PairEffect], quantity: str) -> Iterator[PairEffect]:
    """Yield the differences of one quantity."""
    return (row for row in pairs if row.quantity == quantity)

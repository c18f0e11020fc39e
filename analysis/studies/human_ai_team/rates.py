"""How often people are right and follow the AI, and the differences between arms.

Intervals are over people and images at once. All arms are measured together, so differences between
them keep what their images share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import pooled_sd
from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.detection import CRITERION as WEIGHTS_OF_C
from analysis.statistics.detection import D_PRIME as WEIGHTS_OF_D
from analysis.statistics.detection import z_sum
from analysis.statistics.estimate import Estimate
from analysis.statistics.means import Means, estimate_curve, estimate_shares, measure_means
from analysis.statistics.proportions import LEVEL, Count, Interval
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    CRITERION,
    D_PRIME,
    OVER,
    TOLD_APART,
    UNDER,
)
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, PARTS, Answers

Array = np.ndarray

_SHARES: Final[Mapping[str, tuple[bool, bool]]] = {OVER: (False, True), UNDER: (True, False)}
"""Of the AI's right (True) or wrong labels, the share that was accepted (True) or rejected."""
_OF_RIGHT_AND_WRONG: Final[Mapping[str, tuple[float, float]]] = {
    OVER: (0.0, 1.0),
    UNDER: (-1.0, 0.0),
    TOLD_APART: (1.0, -1.0),
    D_PRIME: tuple(WEIGHTS_OF_D),
    CRITERION: tuple(WEIGHTS_OF_C),
}
"""Weights of each measure on the shares (or their z) of accepted right and wrong labels; for
under-reliance 1 is added."""
BY_Z: Final = (D_PRIME, CRITERION)
"""Measures of z; they have the log-linear correction (Hautus 1995)."""


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

    def counted(self, share: str, part: str, arm: str) -> Count:
        """Return how many answers are ``correct``, or belong to one of `_SHARES`."""
        right, wrong = (self.counts[self.cells[part, arm, ok]] for ok in (True, False))
        if share == "correct":
            return Count(right.successes + wrong.n - wrong.successes, right.n + wrong.n)
        of_right, accepted = _SHARES[share]
        labels = right if of_right else wrong
        return labels if accepted else Count(labels.n - labels.successes, labels.n)

    def interval(self, measure: str, part: str, arm: str) -> Interval:
        """Return a measure of an arm with its 95 % limits; see `estimate_shares`, `z_sum`."""
        if measure == ACCURACY:
            return self._accuracy(part, {arm: 1.0}).at(LEVEL)
        weights = self._weights(measure, part, arm)
        if measure in BY_Z:
            return z_sum(self.counts, weights, self.followed)
        share = estimate_shares(self.counts, weights, self.followed).at(LEVEL)
        if measure != UNDER:
            return share
        return Interval(1 + share.estimate, 1 + share.ci_low, 1 + share.ci_high)

    def difference(self, measure: str, part: str, first: str, second: str) -> Estimate:
        """Return one of `COMPARED` of one arm less that of another."""
        if measure == ACCURACY:
            return self._accuracy(part, {first: 1.0, second: -1.0})
        plus, minus = (self._weights(measure, part, arm) for arm in (first, second))
        return estimate_shares(self.counts, plus - minus, self.followed)

    def spread(self, measure: str, part: str, first: str, second: str) -> float | None:
        """Return the standard deviation of a single answer of two arms (see `pooled_sd`)."""
        if measure == ACCURACY:
            rates = [self.counted("correct", part, arm).rate for arm in (first, second)]
            return pooled_sd((1.0, 1.0), [rate * (1 - rate) for rate in rates])
        plus, minus = (self._weights(measure, part, arm) for arm in (first, second))
        variances = [count.rate * (1 - count.rate) if count.n else 0.0 for count in self.counts]
        return pooled_sd((plus - minus).tolist(), variances)

    def _weights(self, measure: str, part: str, arm: str) -> Array:
        """Return (cells,) weights of a measure on the shares of accepted right and wrong labels."""
        weights = np.zeros(len(self.counts))
        places = [self.cells[part, arm, ok] for ok in (True, False)]
        weights[places] = _OF_RIGHT_AND_WRONG[measure]
        return weights

    def z_difference(self, measure: str, part: str, first: str, second: str) -> Interval:
        """Return one of `BY_Z` of one arm less that of another, with 95 % limits."""
        plus, minus = (self._weights(measure, part, arm) for arm in (first, second))
        return z_sum(self.counts, plus - minus, self.followed)

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
    in_arm = (answers.frame["method"] == arm).to_numpy()
    attacked = answers.frame["adversarial"].to_numpy(dtype=bool)
    return in_arm if part == ALL else in_arm & (attacked == (part == ATTACKED))


def _shares(participants: pd.Series, inside: Array) -> Array:
    """Return one over the person's number of counted answers for each of these; else 0."""
    n = pd.Series(inside.astype(float)).groupby(participants.to_numpy()).transform("sum")
    return np.where(inside, 1 / np.maximum(n.to_numpy(), 1), 0.0)

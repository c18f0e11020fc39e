"""How often arms are right and follow the AI, with intervals over people and images at once.

All arms are measured together: differences between them keep what their images share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.statistics.bootstrap import Bootstrap, Resampling
from analysis.statistics.detection import CRITERION, D_PRIME, z_sum
from analysis.statistics.means import (
    Means,
    estimate_of,
    measure_means,
    never_collapsed,
    share_interval,
    share_limits,
)
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, PARTS, Answers

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
"""What each is of the shares (of their z) of accepted right and wrong labels; under-reliance is 1
plus that."""


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
        """Return how many answers are what: ``correct``, or one of `_SHARES`."""
        right, wrong = (self.counts[self.cells[part, arm, ok]] for ok in (True, False))
        if what == "correct":
            return Count(right.successes + wrong.n - wrong.successes, right.n + wrong.n)
        of_right, accepted = _SHARES[what]
        found = right if of_right else wrong
        return found if accepted else Count(found.n - found.successes, found.n)

    def interval(self, measure: str, part: str, arm: str) -> Interval:
        """Return a measure of an arm with its 95 % limits; see `share_interval`, `z_sum`."""
        if measure == "accuracy":
            return self._accuracy(part, {arm: 1.0})
        found = self._of(measure, self._weights(measure, part, arm))
        if measure != "under_reliance":
            return found
        return Interval(1 + found.estimate, 1 + found.ci_low, 1 + found.ci_high)

    def difference(
        self, measure: str, part: str, first: str, second: str, level: float = LEVEL
    ) -> Interval:
        """Return one arm less another, with its limits; d′ and c only at 95 %."""
        if measure == "accuracy":
            return self._accuracy(part, {first: 1.0, second: -1.0}, level)
        one, other = (self._weights(measure, part, arm) for arm in (first, second))
        return self._of(measure, one - other, level)

    def spread(self, measure: str, part: str, first: str, second: str) -> tuple[float, float]:
        """Return the standard error of one arm less another, and its degrees of freedom."""
        if measure != "accuracy":
            one, other = (self._weights(measure, part, arm) for arm in (first, second))
            return spread_of(self.followed, one - other)
        weights = np.zeros(len(self.people))
        weights[[self.people[part, arm] for arm in (first, second)]] = 1.0, -1.0
        of_people = self.correct
        return spread_of(
            of_people.replicates if isinstance(of_people, Bootstrap) else of_people, weights
        )

    def _of(self, measure: str, weights: Array, level: float = LEVEL) -> Interval:
        if measure in ("d_prime", "criterion"):
            return z_sum(self.counts, weights, self.followed)
        return share_interval(self.counts, weights, self.followed, level)

    def _weights(self, measure: str, part: str, arm: str) -> Array:
        """Return (cells,) what a measure is of the shares of accepted right and wrong labels."""
        weights = np.zeros(len(self.counts))
        places = [self.cells[part, arm, ok] for ok in (True, False)]
        weights[places] = _OF_RIGHT_AND_WRONG[measure]
        return weights

    def _accuracy(self, part: str, arms: Mapping[str, float], level: float = LEVEL) -> Interval:
        weights = np.zeros(len(self.people))
        for arm, weight in arms.items():
            weights[self.people[part, arm]] = weight
        estimate = estimate_of(self.correct, weights)
        if not np.isfinite(estimate):
            return UNKNOWN
        counts = [self.counted("correct", part, arm) for arm in arms]
        low, high = share_limits(self.correct, weights, level)
        limits = never_collapsed(counts, np.array(list(arms.values())), low, high, level)
        return Interval(estimate, limits.ci_low, limits.ci_high)


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


def spread_of(found: TwoWayMeans | Array | None, contrast: Array) -> tuple[float, float]:
    """Return standard error and degrees of freedom of a weighted sum of shares; NaN if unknown."""
    if found is None:
        return float("nan"), float("nan")
    if isinstance(found, TwoWayMeans):
        spread = found.spread(contrast)
        return float(spread.se[0]), float(spread.df[0])
    used = contrast != 0
    draws = found[:, used] @ contrast[used]
    return float(np.nanstd(draws, ddof=1)), float("inf")


def _inside(answers: Answers, part: str, arm: str) -> Array:
    """Return (n,) whether an answer is of an arm and a part."""
    own = (answers.frame["method"] == arm).to_numpy()
    attacked = answers.frame["adversarial"].to_numpy(dtype=bool)
    return own if part == ALL else own & (attacked == (part == ATTACKED))


def _shares(participants: pd.Series, inside: Array) -> Array:
    """Return for each answer that counts one over the number of the person's; else 0."""
    n = pd.Series(inside.astype(float)).groupby(participants.to_numpy()).transform("sum")
    return np.where(inside, 1 / np.maximum(n.to_numpy(), 1), 0.0)

"""How often arms are right and follow the AI, with intervals over people and images at once.

All quantities of all arms come from one two-way bootstrap: an image that is drawn twice is so in
every arm that saw it, and differences between arms keep what their images share.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from scipy.special import ndtri

from analysis.statistics.bootstrap import Bootstrap, Resampling, bootstrap_sums, percentile_interval
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval, mover, wilson
from analysis.studies.human_ai_team.trials import ALL, ATTACKED, NATURAL, PARTS, Answers

Array = np.ndarray
Key = tuple[str, str, str]

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
_CELLS: Final = ((NATURAL, True), (NATURAL, False), (ATTACKED, True), (ATTACKED, False))
"""Part, and whether the AI is right."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Measures of all arms with their replicates.

    Attributes
    ----------
    draws
        Of every measure, part and arm.
    places
        Where each stands in it.
    counts
        Accepted labels of all, by part, arm and whether the AI is right.
    """

    draws: Bootstrap
    places: Mapping[Key, int]
    counts: Mapping[tuple[str, str, bool], Count]

    def counted(self, what: str, part: str, arm: str) -> Count:
        """Return how many answers are what: ``correct``, or one of `_SHARES`."""
        if what == "correct":
            right, wrong = (self.counts[part, arm, ok] for ok in (True, False))
            return Count(right.successes + wrong.n - wrong.successes, right.n + wrong.n)
        of_right, accepted = _SHARES[what]
        found = self.counts[part, arm, of_right]
        return found if accepted else Count(found.n - found.successes, found.n)

    def interval(self, measure: str, part: str, arm: str) -> Interval:
        """Return a measure of an arm with its 95 % limits.

        Where all answers are alike the bootstrap can't vary: Wilson's limits of the answers.
        """
        place = self.places[measure, part, arm]
        if measure in (*_SHARES, "accuracy"):
            count = self.counted("correct" if measure == "accuracy" else measure, part, arm)
            if count.n == 0:
                return UNKNOWN
            if count.successes in (0, count.n):
                return wilson(count)
        return self.draws.interval(place)

    def difference(self, measure: str, part: str, first: str, second: str) -> Interval:
        """Return one arm less another, with its 95 % limits.

        Where the bootstrap can't vary they are those of Newcombe, from the answers' own.
        """
        places = [self.places[measure, part, arm] for arm in (first, second)]
        values, draws = self.draws.estimate[places], self.draws.replicates[:, places]
        estimate = float(values[0] - values[1])
        low, high = percentile_interval(draws[:, 0] - draws[:, 1], LEVEL)
        if low == high and measure in (*_SHARES, "accuracy"):
            what = "correct" if measure == "accuracy" else measure
            return mover([self.counted(what, part, arm) for arm in (first, second)], (1, -1))
        return Interval(estimate, low, high)


def measure(answers: Answers, plan: Resampling) -> Rates:
    """Return all measures, of all images and of natural and adversarial ones."""
    keys = [(m, part, arm) for arm in answers.arms for part in PARTS for m in MEASURES]
    draws = bootstrap_sums(_columns(answers), _statistic, answers.units(), plan)
    return Rates(draws, {key: place for place, key in enumerate(keys)}, _counts(answers))


def _columns(answers: Answers) -> Array:
    """Return for each arm: of each cell accepted and all; of each part shares of right, and all.

    A person's answers have one share between them, so that sums of shares count people.
    """
    frame = answers.frame
    followed, correct = (frame[name].to_numpy(dtype=float) for name in ("followed", "correct"))
    attacked, right = (frame[name].to_numpy(dtype=bool) for name in ("adversarial", "right"))
    columns = []
    for arm in answers.arms:
        own = (frame["method"] == arm).to_numpy()
        for part, ok in _CELLS:
            cell = (own & (attacked == (part == ATTACKED)) & (right == ok)).astype(float)
            columns += [cell * followed, cell]
        for part in PARTS:
            inside = own if part == ALL else own & (attacked == (part == ATTACKED))
            share = _shares(frame["participant"], inside)
            columns += [share * correct, share]
    return np.column_stack(columns)


def _shares(participants: pd.Series, inside: Array) -> Array:
    """Return for each answer that counts one over the number of the person's; else 0."""
    n = pd.Series(inside.astype(float)).groupby(participants.to_numpy()).transform("sum")
    return np.where(inside, 1 / np.maximum(n.to_numpy(), 1), 0.0)


def _statistic(sums: Array) -> Array:
    arms = sums.reshape(len(sums), -1, 2 * len(_CELLS) + 2 * len(PARTS))
    values = []
    for own in np.moveaxis(arms, 1, 0):
        cells, people = own[:, : 2 * len(_CELLS)], own[:, 2 * len(_CELLS) :]
        for place, part in enumerate(PARTS):
            hits, right, alarms, wrong = _added(cells, part)
            accept_right, accept_wrong = hits / right, alarms / wrong
            z_right, z_wrong = _z(hits, right), _z(alarms, wrong)
            values += [
                people[:, 2 * place] / people[:, 2 * place + 1],
                accept_wrong,
                1 - accept_right,
                accept_right - accept_wrong,
                z_right - z_wrong,
                -(z_right + z_wrong) / 2,
            ]
    return np.column_stack(values)


def _added(cells: Array, part: str) -> tuple[Array, ...]:
    """Return accepted and all right labels, accepted and all wrong ones of a part."""
    total = []
    for ok in (True, False):
        for column in (0, 1):
            total.append(
                sum(
                    cells[:, 2 * place + column]
                    for place, (of, right) in enumerate(_CELLS)
                    if right == ok and part in (ALL, of)
                )
            )
    return tuple(total)


def _z(accepted: Array, n: Array) -> Array:
    return np.where(n > 0, ndtri((accepted + 0.5) / (n + 1)), np.nan)


def _counts(answers: Answers) -> dict[tuple[str, str, bool], Count]:
    frame, counts = answers.frame, {}
    for part in PARTS:
        of_part = frame if part == ALL else frame[frame["adversarial"] == (part == ATTACKED)]
        for arm in answers.arms:
            own = of_part[of_part["method"] == arm]
            for ok in (True, False):
                followed = own.loc[own["right"] == ok, "followed"]
                counts[part, arm, ok] = Count(int(followed.sum()), len(followed))
    return counts

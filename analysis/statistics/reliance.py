"""Reliance on an AI's answers: too much, too little, as much as is right; complementarity."""

from dataclasses import dataclass

import numpy as np

from analysis.statistics.bootstrap import Bootstrap, Resampling, Units, bootstrap_sums
from analysis.statistics.estimate import NOTHING, Estimate
from analysis.statistics.means import estimate_shares, measure_shares
from analysis.statistics.proportions import LEVEL, Count, Interval

Array = np.ndarray

MEASURES = {
    "reliance": "share of all answers in which the AI was followed",
    "over_reliance": "share of the AI's wrong answers that were followed",
    "under_reliance": "share of the AI's right answers that were not followed",
    "appropriate_reliance": "share of answers in which a right AI was followed or a wrong one not",
    "discrimination": "how much more often a right AI was followed than a wrong one",
}
"""What each measure is. Over- and under-reliance are misuse and disuse (Parasuraman & Riley
1997, Hum. Factors 39(2)), as shares of the AI's wrong and right answers (e.g. Vasconcelos et
al. 2023, CSCW)."""

SWITCHING = {
    "switch_fraction": "share of the AI's differing answers for which one's own was given up",
    "relative_ai_reliance": "the same where one's own answer was wrong and the AI's right",
    "relative_self_reliance": "share of own right answers kept against a wrong AI",
}
"""With answers from before the advice: switching (Zhang, Liao & Bellamy 2020, FAT*), and
relative AI- and self-reliance (Schemmer et al. 2023, IUI)."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Answers of people who saw an AI's answer, one per trial.

    Attributes
    ----------
    ai_correct
        (n,) bool: whether the AI's answer was right.
    followed
        (n,) bool: whether the final answer was the AI's (in a yes/no task: it was accepted).
    own_correct, own_agrees
        (n,) bool: whether one's own answer before the advice was right, and whether it was
        the AI's; None if there was none.
    """

    ai_correct: Array
    followed: Array
    own_correct: Array | None = None
    own_agrees: Array | None = None


@dataclass(frozen=True, slots=True)
class Complementarity:
    """A team of person and AI against both alone.

    Attributes
    ----------
    team, alone, ai
        Accuracies with 95 % intervals.
    over_alone, over_ai
        Team less person alone, team less AI, with 95 % intervals.
    gain
        Team less the better of the two: the complementary performance of Bansal et al. (2021, CHI).
        Its interval holds for the maximum of the two means and is biased downwards if they are
        alike.
    p
        One-sided, of "the team beats neither or only one": the larger of the two
        differences' p (an intersection-union test, which needs no correction).
    complementary
        Whether p is below .05: both one-sided 95 % limits lie above 0.
    """

    team: Interval
    alone: Interval
    ai: Interval
    over_alone: Interval
    over_ai: Interval
    gain: Interval
    p: float
    complementary: bool


def reliance(
    advice: Advice, units: Units, plan: Resampling, group: Array | None = None, groups: int = 1
) -> list[dict[str, tuple[Estimate, int]]]:
    """Return each of `MEASURES`, and of `SWITCHING` where own answers are there, of each group.

    Intervals are those of `estimate_shares`; all NaN where there is no such trial. Groups are
    measured together, as `Cells` does, so that a share has the same limits in both.

    Parameters
    ----------
    advice
        The answers.
    units, plan
        Participant and item of each answer; the resampling plan.
    group, groups
        (n,) the group of each answer from 0, -1 for none, and their number; None for one group.

    Returns
    -------
    list of dict
        Of each group each measure, and the number of answers of which it is a share.
    """
    right, follows = (np.asarray(v, dtype=bool) for v in (advice.ai_correct, advice.followed))
    every = np.ones(len(right), dtype=bool)
    codes = np.zeros(len(right), dtype=int) if group is None else group
    shares: dict[str, tuple[Array, Array]] = {
        "reliance": (follows, every),
        "over_reliance": (follows, ~right),
        "under_reliance": (~follows, right),
        "appropriate_reliance": (follows == right, every),
        "discrimination": (follows, every),
    }
    if advice.own_correct is not None and advice.own_agrees is not None:
        sure, agrees = (np.asarray(v, dtype=bool) for v in (advice.own_correct, advice.own_agrees))
        shares["switch_fraction"] = (follows, ~agrees)
        shares["relative_ai_reliance"] = (follows, ~sure & right & ~agrees)
        shares["relative_self_reliance"] = (~follows, sure & ~right)
    measures: list[dict[str, tuple[Estimate, int]]] = [{} for _ in range(groups)]
    for name, (hit, among) in shares.items():
        # A difference has two cells in each group.
        weights = np.array([1.0, -1.0] if name == "discrimination" else [1.0])
        cell = codes * len(weights) + (np.where(right, 0, 1) if len(weights) > 1 else 0)
        cell = np.where(among & (codes >= 0), cell, -1)
        values = _shares(hit, cell, np.kron(np.eye(groups), weights), units, plan)
        for of_group, value in zip(measures, values, strict=True):
            of_group[name] = value
    return measures


def _shares(
    hit: Array, cell: Array, contrasts: Array, units: Units, plan: Resampling
) -> list[tuple[Estimate, int]]:
    """Return weighted sums of the cells' shares of hits, and how many answers they have."""
    cells = contrasts.shape[1]
    counts = [Count(int(hit[cell == k].sum()), int((cell == k).sum())) for k in range(cells)]
    measured = measure_shares(hit, cell, cells, units, plan)
    return [
        (
            estimate_shares(counts, contrast, measured)
            if all(counts[k].n for k in np.flatnonzero(contrast))
            else NOTHING,
            sum(counts[k].n for k in np.flatnonzero(contrast)),
        )
        for contrast in contrasts
    ]


def complementarity(
    team_correct: Array,
    ai_correct: Array,
    alone_correct: Array,
    team_units: Units,
    alone_units: Units,
    plan: Resampling,
) -> Complementarity:
    """Return whether people with the AI do better than people alone and the AI alone.

    The AI is counted on the team's trials. People of both arms are drawn as one pool, items
    as one: the same item must have the same code in both.

    Parameters
    ----------
    team_correct, ai_correct
        (n,) whether the team's final answer, and the AI's, was right.
    alone_correct
        (m,) answers of people who saw no AI.
    team_units, alone_units
        Participants and items; participants with the same code are the same people.
    plan
        The resampling plan.
    """
    team, ai, alone = (
        np.asarray(v, dtype=float) for v in (team_correct, ai_correct, alone_correct)
    )
    n, m = len(team), len(alone)
    columns = np.zeros((n + m, 5))
    columns[:n, 0], columns[:n, 1], columns[:n, 2] = team, ai, 1
    columns[n:, 3], columns[n:, 4] = alone, 1
    units = Units(
        np.concatenate([team_units.participant, alone_units.participant]),
        np.concatenate([team_units.item, alone_units.item]),
    )

    def values(sums: Array) -> Array:
        with_ai, ai_alone = sums[:, 0] / sums[:, 2], sums[:, 1] / sums[:, 2]
        person = sums[:, 3] / sums[:, 4]
        return np.column_stack(
            [
                with_ai, person, ai_alone, with_ai - person, with_ai - ai_alone,
                with_ai - np.maximum(person, ai_alone),
            ]
        )  # fmt: skip

    resampled = bootstrap_sums(columns, values, units, plan)
    p = max(_one_sided_p(resampled, 3), _one_sided_p(resampled, 4))
    rows = [resampled.interval(place, level=LEVEL) for place in range(6)]
    return Complementarity(*rows, p=p, complementary=bool(p < 0.05))


def _one_sided_p(resampled: Bootstrap, place: int) -> float:
    draws = resampled.replicates[:, place]
    draws = draws[np.isfinite(draws)]
    return float((1 + (draws <= 0).sum()) / (1 + len(draws))) if len(draws) else float("nan")

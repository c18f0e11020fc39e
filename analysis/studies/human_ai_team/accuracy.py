"""Accuracy per person, as published, and comparisons of arms pair by pair.

Each arm has its mean with both standard deviations. Each pair of arms has the published tests and
effect sizes. Participants are the only random unit of these tests. If arms share images that help
some arms and mislead others, the tests find differences too often. Conclusions should therefore
follow the primary analysis.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd

from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, estimate_row, family
from analysis.questions.pivot import Wide
from analysis.report.about import about
from analysis.report.wording import NOTHING, grouped
from analysis.statistics.comparison import (
    U_TEST,
    Comparison,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    DIFFERENCES,
    EFFECT,
    HIGHEST,
    LOWEST,
    MEAN,
    MEDIAN,
    MOST_U,
    RIGHT,
    SD,
    SD_N,
    SHIFT,
    T_DIFFERENCE,
    G,
)
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.trials import Answers

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class PersonAccuracy:
    """A participant's accuracy in an arm."""

    method: Annotated[str, about("The arm.")]
    participant: Annotated[str, about("Code of the participant.")]
    correct: Annotated[float, about("Share of right answers, 0 to 1.")]
    n: Annotated[int, about("Answers.")]


def own_accuracies(answers: Answers) -> pd.DataFrame:
    """Return each person's accuracy in each arm: ``participant, method, correct, n``."""
    grouped = answers.frame.groupby(["method", "participant"], sort=True)["correct"]
    return grouped.agg(correct="mean", n="size").reset_index()


def person_accuracies(answers: Answers) -> tuple[PersonAccuracy, ...]:
    """Return each person's accuracy in each arm."""
    accuracies = own_accuracies(answers)
    return tuple(
        PersonAccuracy(**dict(zip(accuracies.columns.astype(str), row, strict=True)))
        for row in accuracies.itertuples(index=False)
    )


def per_user_accuracy(answers: Answers, rates: Rates, part: str) -> Iterator[EstimateRow]:
    """Yield accuracy per person by arm; the mean has limits over people and images."""
    accuracies = own_accuracies(answers.part(part))
    for arm in answers.arms:
        shares = accuracies.loc[accuracies["method"] == arm, "correct"].to_numpy(dtype=float)
        if not len(shares):
            continue
        of = {"part": part, "method": arm}
        mean = replace(rates.interval(ACCURACY, part, arm), estimate=float(shares.mean()))
        yield estimate_row(MEAN, of, mean, len(shares))
        if len(shares) > 1:
            yield estimate_row(SD, of, float(shares.std(ddof=1)))
        yield estimate_row(SD_N, of, float(shares.std()))
        yield estimate_row(MEDIAN, of, float(np.median(shares)))
        yield estimate_row(LOWEST, of, float(shares.min()))
        yield estimate_row(HIGHEST, of, float(shares.max()))
        counted = rates.counted("correct", part, arm)
        yield estimate_row(RIGHT, of, counted.rate, counted.n)


def accuracy_pairs(answers: Answers, rates: Rates) -> tuple[EstimateRow, ...]:
    """Return all pairs of arms: rank test, means' difference, effect sizes, Holm's correction.

    People with answers in both arms are compared with themselves (signed ranks). The correction is
    over the pairs of the same images.
    """
    return tuple(row for part in answers.parts for row in _pairs(answers.part(part), rates, part))


def _pairs(answers: Answers, rates: Rates, part: str) -> Iterator[EstimateRow]:
    accuracies = own_accuracies(answers).pivot(
        index="participant", columns="method", values="correct"
    )
    tests = [
        (
            {"part": part, "method": first, AGAINST: second},
            *_tests(
                accuracies[first].to_numpy(dtype=float), accuracies[second].to_numpy(dtype=float)
            ),
        )
        for first, second in answers.pairs()
    ]
    yield from family([Contrast.of_comparison(SHIFT, of, ranks) for of, ranks, _ in tests])
    for of, ranks, means in tests:
        n = sum(ranks.n)
        if ranks.test == U_TEST:
            yield estimate_row(MOST_U, of, ranks.n[0] * ranks.n[1])
        yield estimate_row(EFFECT, of, ranks.effect, n)
        yield Contrast.of_comparison(T_DIFFERENCE, of, means).row()
        yield estimate_row(G, of, means.effect, n)
        both = rates.difference(ACCURACY, part, of["method"], of[AGAINST])
        yield estimate_row(DIFFERENCES[ACCURACY], of, both, n)


def _tests(first: Array, second: Array) -> tuple[Comparison, Comparison]:
    """Return the rank test and the t test of people's accuracies in two arms, by person.

    Who wasn't in an arm has NaN there.
    """
    paired = int((np.isfinite(first) & np.isfinite(second)).sum()) > 1
    if paired:
        return wilcoxon(first, second), paired_t(first, second)
    return mann_whitney(first, second), welch(first, second)


def statistic(row: Wide) -> str:
    """Return the rank test's statistic, with the largest U that it could be."""
    value, most = row[f"{SHIFT.id}.statistic"], row[MOST_U.id]
    if value is None:
        return NOTHING
    return f"{value:g}{'' if most is None else f' of {grouped(int(most))}'}"


def why_not(row: Wide) -> str:
    """Return why tests have no p or limits; empty if they have."""
    notes = (row[f"{SHIFT.id}.note"], row[f"{T_DIFFERENCE.id}.note"])
    return "; ".join(dict.fromkeys(filter(None, notes)))

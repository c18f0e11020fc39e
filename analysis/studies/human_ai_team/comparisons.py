"""Arms compared pair by pair, by what each person got right: as published, and with effect sizes.

Participants are the only random unit here. Where arms share images that help some and mislead
others, these tests find differences too often: the primary analysis is the one to go by.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Annotated

import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.statistics.comparison import (
    Comparison,
    holm,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)
from analysis.studies.human_ai_team.accuracy import own_accuracies
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.trials import Answers


@dataclass(frozen=True, slots=True)
class AccuracyPair:
    """Two arms compared by accuracy per participant; differences are shares, first less second."""

    part: Annotated[str, about("Images: all, natural or adversarial.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    n_first: Annotated[int, about("Participants of the first arm.")]
    n_second: Annotated[int, about("Participants of the second arm.")]
    test: Annotated[str, about("The rank test: signed ranks within participants, else U.")]
    statistic: Annotated[float | None, about("Its statistic: U of the first arm.")]
    of: Annotated[int | None, about("The largest that U can be.")]
    p: Annotated[float | None, about("p of the rank test, two-sided.")]
    p_t: Annotated[float | None, about("p of the t test of the means.")]
    shift: Annotated[float | None, about("Hodges and Lehmann's shift, over participants only.")]
    shift_low: Annotated[float | None, about("Its lower 95 % limit.")]
    shift_high: Annotated[float | None, about("Its upper 95 % limit.")]
    difference: Annotated[float | None, about("Difference of means, over participants only.")]
    difference_low: Annotated[float | None, about("Its lower 95 % limit.")]
    difference_high: Annotated[float | None, about("Its upper 95 % limit.")]
    resampled: Annotated[float | None, about("Difference of means, over participants and images.")]
    resampled_low: Annotated[float | None, about("Its lower 95 % limit.")]
    resampled_high: Annotated[float | None, about("Its upper 95 % limit.")]
    effect_name: Annotated[str, about("Name of the rank test's effect size.")]
    effect: Annotated[float | None, about("The rank test's effect size (rank-biserial r).")]
    effect_low: Annotated[float | None, about("Its lower 95 % limit.")]
    effect_high: Annotated[float | None, about("Its upper 95 % limit.")]
    g: Annotated[float | None, about("Hedges' g.")]
    g_low: Annotated[float | None, about("Its lower 95 % limit.")]
    g_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p_holm: Annotated[float | None, about("p after Holm, over the pairs of the same images.")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class RatePair:
    """A measure of trust compared between two arms, first less second."""

    measure: Annotated[str, about("The measure.")]
    part: Annotated[str, about("Images: all, natural or adversarial.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    estimate: Annotated[float | None, about("Difference.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over participants and images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


def accuracy_pairs(answers: Answers, rates: Rates) -> tuple[AccuracyPair, ...]:
    """Return all pairs of arms: rank test, means' difference, effect sizes, Holm's correction.

    People with answers in both arms are compared with themselves (signed ranks).
    """
    rows: list[AccuracyPair] = []
    for part in answers.parts:
        own = own_accuracies(answers.part(part))
        found = [_pair(own, part, *pair, rates) for pair in answers.part(part).pairs()]
        for row, adjusted in zip(found, holm([row.p for row in found]), strict=True):
            rows.append(replace(row, p_holm=adjusted))
    return tuple(rows)


def _pair(own: pd.DataFrame, part: str, first: str, second: str, rates: Rates) -> AccuracyPair:
    by_arm = own.pivot(index="participant", columns="method", values="correct")
    a, b = (by_arm[arm].to_numpy(dtype=float) for arm in (first, second))
    both = by_arm[[first, second]].notna().all(axis=1).sum() > 1
    with warnings.catch_warnings():
        # Where everybody in an arm is alike scipy warns of what the table shows.
        warnings.simplefilter("ignore", RuntimeWarning)
        ranks: Comparison = wilcoxon(a, b) if both else mann_whitney(a, b)
        means = paired_t(a, b) if both else welch(a, b)
    return AccuracyPair(
        part=part,
        first=first,
        second=second,
        n_first=ranks.n[0],
        n_second=ranks.n[1],
        test=ranks.test,
        statistic=ranks.statistic,
        of=None if both else ranks.n[0] * ranks.n[1],
        p=ranks.p,
        p_t=means.p,
        **named_row(ranks.difference, "shift"),
        **named_row(means.difference, "difference"),
        **named_row(rates.difference("accuracy", part, first, second), "resampled"),
        effect_name=ranks.effect_name,
        **named_row(ranks.effect, "effect"),
        **named_row(means.effect, "g"),
    )


def rate_pairs(answers: Answers, rates: Rates, measures: tuple[str, ...]) -> tuple[RatePair, ...]:
    """Return how much measures differ between arms, with limits over people and images."""
    return tuple(
        RatePair(
            measure=measure,
            part=part,
            first=first,
            second=second,
            **limits_row(rates.difference(measure, part, first, second)),
        )
        for part in answers.parts
        for measure in measures
        for first, second in answers.part(part).pairs()
    )

"""Accuracy per person, as published, and comparisons of arms pair by pair.

Each arm has its mean with both standard deviations. Each pair of arms has the published tests and
effect sizes. Participants are the only random unit of these tests. If arms share images that help
some arms and mislead others, the tests find differences too often. Conclusions should therefore
follow the primary analysis.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row, named_row
from analysis.statistics.comparison import (
    Comparison,
    mann_whitney,
    paired_t,
    welch,
    wilcoxon,
)
from analysis.statistics.estimate import Adjusted, adjusted
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.strata import strata
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.tables import BINS

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class ArmAccuracy:
    """Accuracy per participant in an arm, in per cent."""

    method: Annotated[str, about("The arm.")]
    mean: Annotated[float, about("Mean over participants, per cent.")]
    sd: Annotated[float | None, about("Standard deviation, divided by n − 1; null for one.")]
    n: Annotated[int, about("Participants.")]
    sd_n: Annotated[float, about("Standard deviation, divided by n, as published for lay users.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the mean, per cent.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the mean, per cent.")]
    median: Annotated[float, about("Median over participants, per cent.")]
    lowest: Annotated[float, about("Lowest, per cent.")]
    highest: Annotated[float, about("Highest, per cent.")]
    right: Annotated[int, about("Right answers.")]
    answers: Annotated[int, about("Answers.")]


@dataclass(frozen=True, slots=True)
class PersonAccuracy:
    """A participant's accuracy in an arm."""

    method: Annotated[str, about("The arm.")]
    participant: Annotated[str, about("Code of the participant.")]
    correct: Annotated[float, about("Share of right answers, 0 to 1.")]
    n: Annotated[int, about("Answers.")]


@dataclass(frozen=True, slots=True)
class BinAccuracy:
    """An arm's right answers in a bin."""

    bin: Annotated[str, about("The bin: whether the AI is right, and how hard the image is.")]
    method: Annotated[str, about("The arm.")]
    right: Annotated[int, about("Right answers.")]
    n: Annotated[int, about("Answers.")]
    images: Annotated[int, about("Different images.")]
    rate: Annotated[float | None, about("Share of right answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Upper 95 % limit (Wilson).")]


def own_accuracies(answers: Answers) -> pd.DataFrame:
    """Return each person's accuracy in each arm: ``participant, method, correct, n``."""
    grouped = answers.frame.groupby(["method", "participant"], sort=True)["correct"]
    return grouped.agg(correct="mean", n="size").reset_index()


def person_accuracies(answers: Answers) -> tuple[PersonAccuracy, ...]:
    """Return each person's accuracy in each arm."""
    own = own_accuracies(answers)
    return tuple(
        PersonAccuracy(**dict(zip(own.columns.astype(str), row, strict=True)))
        for row in own.itertuples(index=False)
    )


def per_user_accuracy(answers: Answers, rates: Rates, part: str) -> tuple[ArmAccuracy, ...]:
    """Return mean accuracy per person by arm, with its limits over people and images."""
    own = own_accuracies(answers.part(part))
    rows = []
    for arm in answers.arms:
        shares = 100 * own.loc[own["method"] == arm, "correct"].to_numpy(dtype=float)
        if not len(shares):
            continue
        limits = rates.interval("accuracy", part, arm)
        counted = rates.counted("correct", part, arm)
        rows.append(
            ArmAccuracy(
                method=arm,
                mean=float(shares.mean()),
                sd=float(shares.std(ddof=1)) if len(shares) > 1 else None,
                n=len(shares),
                sd_n=float(shares.std()),
                ci_low=100 * limits.ci_low,
                ci_high=100 * limits.ci_high,
                median=float(np.median(shares)),
                lowest=float(shares.min()),
                highest=float(shares.max()),
                right=counted.successes,
                answers=counted.n,
            )
        )
    return tuple(rows)


def bin_rows(answers: Answers) -> tuple[BinAccuracy, ...]:
    """Return each arm's accuracy in each bin, with Wilson's limits of its answers as they are."""
    frame = answers.frame[answers.frame["level"] != ""]
    named = strata(frame)
    rows = []
    for bin_ in BINS:
        for arm in answers.arms:
            own = frame[(named == bin_) & (frame["method"] == arm)]
            if own.empty:
                continue
            found = wilson(Count(int(own["correct"].sum()), len(own)))
            rows.append(
                BinAccuracy(
                    bin=bin_,
                    method=arm,
                    right=int(own["correct"].sum()),
                    n=len(own),
                    images=int(own["item"].nunique()),
                    **limits_row(found, "rate"),
                )
            )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class AccuracyPair:
    """Two arms compared by accuracy per participant; differences are shares, first less second."""

    part: Annotated[str, about("Images: all, natural or adversarial.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    n_first: Annotated[int, about("Participants of the first arm.")]
    n_second: Annotated[int, about("Participants of the second arm.")]
    test: Annotated[str, about("The rank test: signed ranks within participants, else U.")]
    statistic: Annotated[float | None, about("Its statistic: U of the first arm, or V.")]
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
    note: Annotated[str, about("Why a p or limits are null; empty if none is.")] = ""
    p_holm: Annotated[float | None, about("p after Holm, over the pairs of the same images.")] = (
        None
    )
    holm_low: Annotated[
        float | None, about("Lower limit of the shift, corrected as p_holm is.")
    ] = None
    holm_high: Annotated[
        float | None, about("Upper limit of the shift, corrected as p_holm is.")
    ] = None


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
        pairs = answers.part(part).pairs()
        ranks = [_ranks(own, *pair) for pair in pairs]
        family = adjusted([one.difference for _, one in ranks])
        rows += [
            _pair(own, part, pair, rates, *found, after)
            for pair, found, after in zip(pairs, ranks, family, strict=True)
        ]
    return tuple(rows)


def _ranks(own: pd.DataFrame, first: str, second: str) -> tuple[bool, Comparison]:
    """Return whether people are compared with themselves, and the rank test."""
    a, b = _both(own, first, second)
    paired = int((np.isfinite(a) & np.isfinite(b)).sum()) > 1
    return paired, (wilcoxon if paired else mann_whitney)(a, b)


def _both(own: pd.DataFrame, first: str, second: str) -> tuple[Array, Array]:
    """Return people's accuracies in two arms, by person; NaN if somebody wasn't in an arm."""
    by_arm = own.pivot(index="participant", columns="method", values="correct")
    return by_arm[first].to_numpy(dtype=float), by_arm[second].to_numpy(dtype=float)


def _pair(
    own: pd.DataFrame,
    part: str,
    arms: tuple[str, str],
    rates: Rates,
    both: bool,
    ranks: Comparison,
    after: Adjusted,
) -> AccuracyPair:
    first, second = arms
    means = (paired_t if both else welch)(*_both(own, first, second))
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
        note="; ".join(dict.fromkeys(filter(None, (ranks.note, means.note))))
        or ranks.why_not(after.level),
        p_holm=after.p,
        holm_low=after.wide.ci_low,
        holm_high=after.wide.ci_high,
    )


def rate_pairs(answers: Answers, rates: Rates, measures: tuple[str, ...]) -> tuple[RatePair, ...]:
    """Return how much measures differ between arms, with limits over people and images."""
    return tuple(
        RatePair(
            measure=measure,
            part=part,
            first=first,
            second=second,
            **limits_row(rates.compared(measure, part, first, second)),
        )
        for part in answers.parts
        for measure in measures
        for first, second in answers.part(part).pairs()
    )

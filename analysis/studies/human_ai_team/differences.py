"""Differences between arms, by means and by the mixed model alike, and the family that they form.

Hypotheses and verdicts rest on one family: every arm against the reference, in each of the four
quantities. Holm's correction over all of them holds false claims of a report to 5 %, whichever arm
and whichever quantity they are about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
from scipy.stats import t as student

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.comparison import holm
from analysis.statistics.means import measure_shares, share_interval
from analysis.statistics.proportions import LEVEL, Count, Interval
from analysis.studies.human_ai_team.rates import Rates, spread_of
from analysis.studies.human_ai_team.strata import Base, strata
from analysis.studies.human_ai_team.trials import ALL, NATURAL, Answers

Array = np.ndarray

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
NARROW: Final = 0.90
"""Level of the interval that two one-sided tests at 5 % read."""
ALPHA: Final = 0.05


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
    z: Annotated[float | None, about("Difference over standard error.")]
    p: Annotated[float | None, about("p, two-sided, by Student's t.")]
    low_90: Annotated[float | None, about("Its lower 90 % limit.")] = None
    high_90: Annotated[float | None, about("Its upper 90 % limit.")] = None
    df: Annotated[
        float | None,
        about("Degrees of freedom; at most the participants of both arms less 2."),
    ] = None
    p_family: Annotated[
        float | None,
        about("p after Holm, over every arm against the reference and every quantity."),
    ] = None

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


def corrected(pairs: Sequence[PairEffect], reference: str | None) -> tuple[PairEffect, ...]:
    """Return differences with p after Holm over the family (`FAMILY`).

    Without a reference the family is every pair of arms.
    """
    inside = [reference in (None, row.second) for row in pairs]
    own = iter(holm([row.p for row, is_own in zip(pairs, inside, strict=True) if is_own]))
    return tuple(
        replace(row, p_family=next(own) if is_own else None)
        for row, is_own in zip(pairs, inside, strict=True)
    )


def most_freedom(answers: Answers, first: str, second: str) -> int:
    """Return the largest degrees of freedom that a difference of two arms can have.

    A variance that was estimated as zero, or a slope that was left out, must not make a difference
    better known than so many participants can make it.
    """
    frame = answers.frame
    own = frame[frame["method"].isin([first, second])]
    people = int(own["participant"].nunique())
    both = int(own.groupby("method")["participant"].nunique().sum()) > people
    return max(people - (1 if both else 2), 1)


def two_sided_p(estimate: float, se: float, df: float) -> float:
    """Return the two-sided p of Student's t; NaN where the standard error is zero or unknown."""
    return float(2 * student.sf(abs(estimate) / se, df)) if se > 0 else float("nan")


@dataclass(frozen=True, slots=True)
class _Contrast:
    """A difference by means: its intervals, standard error and degrees of freedom."""

    wide: Interval
    narrow: Interval
    se: float
    df: float


def mean_pairs(answers: Answers, rates: Rates, part: str) -> tuple[PairEffect, ...]:
    """Return all differences of arms by means over participants and images, on one part."""
    own = answers.part(part)
    rows = [
        _row(
            own,
            (name, *pair),
            _Contrast(
                rates.difference(name, part, *pair),
                rates.difference(name, part, *pair, level=NARROW),
                *rates.spread(name, part, *pair),
            ),
        )
        for name in QUANTITIES
        for pair in own.pairs()
    ]
    return corrected(rows, own.reference)


def _row(answers: Answers, of: tuple[str, str, str], found: _Contrast) -> PairEffect:
    df = min(found.df, most_freedom(answers, *of[1:]))
    estimate, se = found.wide.estimate, found.se
    return PairEffect(
        *of,
        **limits_row(found.wide),
        se=se,
        z=estimate / se if se > 0 else float("nan"),
        p=two_sided_p(estimate, se, df),
        low_90=found.narrow.ci_low,
        high_90=found.narrow.ci_high,
        df=df,
    )


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
    rows = []
    for name, weights in quantity_weights(base.mix).items():
        for pair in natural.pairs():
            contrast = np.array([_weight(one, pair, base, weights) for one in cells])
            limits = (share_interval(counts, contrast, found, level) for level in (LEVEL, NARROW))
            spread = spread_of(found, contrast)
            rows.append(_row(natural, (name, *pair), _Contrast(*limits, *spread)))
    return corrected(rows, natural.reference)


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
    """Return of each quantity a constant, and the weights of P(right answer | wrong and | right).

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

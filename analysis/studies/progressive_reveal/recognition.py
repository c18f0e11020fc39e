"""Recognition by means over participants and images: steps needed, and shares uncovered.

Life tables give each method's recognition step by step. The restricted mean of the uncovered share
is taken image by image, and again under other choices. Tables give each method's mean beside its
difference to the reference.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Generic, TypeVar

import numpy as np

from analysis.report.about import about
from analysis.report.estimates import MEANS, limits_row
from analysis.report.parts import Column
from analysis.report.wording import NOTHING, interval, p_value
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Estimate
from analysis.statistics.means import Means, estimate_curve, estimate_mean, measure_each
from analysis.statistics.survival.life_tables import RestrictedMeans as StrataMeans
from analysis.statistics.survival.life_tables import (
    hazards,
    life_table,
    mean_amounts,
    number_of_ends,
    pairs,
    restricted_means,
    round_values,
)
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.pairs import Difference, Pair, pairs_of, to_reference
from analysis.studies.progressive_reveal.trials import RoundTable, at_first_key

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class LifeTableRow:
    """A step of a method's life table (product-limit estimate over all rounds)."""

    method: Annotated[str, about("The method.")]
    step: Annotated[int, about("The step.")]
    at_risk: Annotated[int, about("Rounds that saw the step whole, unrecognised before.")]
    recognised: Annotated[int, about("Rounds recognised at it.")]
    hazard: Annotated[float | None, about("Their share, 0 to 1.")]
    reached: Annotated[float | None, about("Share recognised by its end, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class MeanSteps:
    """Steps begun until recognition; unrecognised rounds count with all steps."""

    method: Annotated[str, about("The method.")]
    estimate: Annotated[float | None, about("Mean number of steps.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class StepDifference:
    """Recognition by the end of a step, a method less the reference."""

    method: Annotated[str, about("The method.")]
    reference: Annotated[str, about("The reference.")]
    step: Annotated[int, about("The step.")]
    estimate: Annotated[float | None, about("Difference of shares.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class LifeTables:
    """Recognition by the end of each step, all rounds."""

    rows: Annotated[tuple[LifeTableRow, ...], about("The life tables, by method and step.")]
    mean_steps: Annotated[tuple[MeanSteps, ...], about("Steps until recognition, by method.")]
    differences: Annotated[tuple[Difference, ...], about("These less the reference's.")]
    over_time: Annotated[
        tuple[StepDifference, ...], about("Recognition less the reference's, by step.")
    ]
    pairs: Annotated[
        tuple[Pair, ...], about("Mean steps and recognition by the end, method by method.")
    ]


def life_tables(table: RoundTable, plan: Resampling) -> LifeTables:
    """Return recognition by the end of each step for each method, with intervals.

    The product-limit estimate over all rounds; those left midway are censored at the last
    step that was seen whole.
    """
    found = _Life.of(table, plan)
    two, last = pairs(len(table.methods)), table.steps - 1
    names = {(table.methods[b], table.methods[a]): (a, b) for a, b in two}
    contrasts = (
        *pairs_of("steps", MEANS, {of: found.fewer_steps(*at) for of, at in names.items()}),
        *pairs_of("recognised", MEANS, {of: found.more(last, *at) for of, at in names.items()}),
    )
    return LifeTables(
        rows=_life_rows(table, found),
        mean_steps=tuple(
            MeanSteps(method, **limits_row(found.mean_steps(m)))
            for m, method in enumerate(table.methods)
        ),
        differences=to_reference((row for row in contrasts if row.of == "steps"), table.reference),
        over_time=tuple(
            StepDifference(method, table.reference, k + 1, **limits_row(found.more(k, 0, m)))
            for m, method in enumerate(table.methods[1:], start=1)
            for k in range(table.steps)
        ),
        pairs=contrasts,
    )


@dataclass(frozen=True, slots=True)
class _Life:
    """Life tables of methods as means over participants and images (see `round_values`).

    Attributes
    ----------
    ended
        (methods, ends) how many rounds ended in each way.
    by_step
        Recognition by the end of each step.
    steps
        Steps begun.
    """

    ended: Array
    by_step: tuple[Means, ...]
    steps: Means

    @classmethod
    def of(cls, table: RoundTable, plan: Resampling) -> "_Life":
        rounds, methods, steps = table.rounds(), len(table.methods), table.steps
        ends, code = number_of_ends(steps), table.method_codes
        kind = code * ends + rounds.ends
        ended = np.bincount(kind, minlength=methods * ends).reshape(methods, ends)
        after = np.eye(steps + 1)
        begun = after[:-1].sum(axis=0)
        values = np.column_stack(
            [
                *(
                    1 - round_values(ended, after[None, k]).ravel()[kind]
                    for k in range(1, steps + 1)
                ),
                round_values(ended, begun[None]).ravel()[kind],
            ]
        )
        seen = life_table(ended)[1][:, 0] > 0
        weights = cell_weights(np.where(seen[code], code, -1), methods)
        *by_step, begun_steps = measure_each(values, weights, table.units, plan)
        return cls(ended, tuple(by_step), begun_steps)

    @property
    def rounds(self) -> Array:
        return self.ended.sum(axis=1)

    def _less(self, a: int, b: int) -> Array:
        unit = np.eye(len(self.ended))
        return unit[b] - unit[a]

    def reached(self, step: int, method: int) -> Estimate:
        """Return recognition by the end of a step (from 0)."""
        return estimate_curve(self.by_step[step], np.eye(len(self.ended))[method], self.rounds)

    def more(self, step: int, a: int, b: int) -> Estimate:
        """Return recognition by b less that by a."""
        return estimate_curve(self.by_step[step], self._less(a, b), self.rounds)

    def mean_steps(self, method: int) -> Estimate:
        """Return steps begun until recognition."""
        return estimate_mean(self.steps, np.eye(len(self.ended))[method])

    def fewer_steps(self, a: int, b: int) -> Estimate:
        """Return steps by b less those by a."""
        return estimate_mean(self.steps, self._less(a, b))


def _life_rows(table: RoundTable, found: _Life) -> tuple[LifeTableRow, ...]:
    events, at_risk = life_table(found.ended)
    hazard = hazards(events, at_risk)
    return tuple(
        LifeTableRow(
            method=method,
            step=k + 1,
            at_risk=int(at_risk[m, k]),
            recognised=int(events[m, k]),
            hazard=float(hazard[m, k]),
            **limits_row(found.reached(k, m), "reached"),
        )
        for m, method in enumerate(table.methods)
        for k in range(table.steps)
    )


@dataclass(frozen=True, slots=True)
class RestrictedMean:
    """A method's mean share of the image uncovered up to recognition, restricted."""

    method: Annotated[str, about("The method.")]
    estimate: Annotated[
        float | None, about("The mean share, 0 to 1; recognition in the middle of its step.")
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    lower: Annotated[float | None, about("The mean with recognition at a step's lower end.")]
    upper: Annotated[float | None, about("The mean with recognition at a step's upper end.")]


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Up to which share of the image means are taken: of each image its smallest final count."""

    smallest: Annotated[float | None, about("The smallest of the images' limits, 0 to 1.")]
    median: Annotated[float | None, about("Their median.")]
    largest: Annotated[float | None, about("The largest.")]


@dataclass(frozen=True, slots=True)
class RestrictedMeans:
    """Mean shares of the image uncovered up to recognition, restricted image by image."""

    methods: Annotated[tuple[RestrictedMean, ...], about("The means, by method.")]
    differences: Annotated[tuple[Difference, ...], about("Means less the reference's.")]
    pairs: Annotated[tuple[Pair, ...], about("All methods compared pair by pair.")]
    images: Annotated[int, about("Images that were compared.")]
    limits: Annotated[ImageLimits, about("Up to which share means are taken.")]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A restricted mean less the reference's, under some choice."""

    analysis: Annotated[str, about("The choice.")]
    rounds: Annotated[int, about("Rounds.")]
    reference: Annotated[str, about("The reference.")]
    method: Annotated[str, about("The method.")]
    p: Annotated[float | None, about("p, two-sided.")]
    estimate: Annotated[float | None, about("Difference of shares of the image.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


def restricted_shares(table: RoundTable, plan: Resampling) -> RestrictedMeans:
    """Return each method's restricted mean share with its difference to the reference.

    Recognition is set at the middle of its step's interval, and at its ends, which is as far as
    steps leave it open. Limits are over people and images.
    """
    strata = table.strata()
    found = restricted_means(strata, table.units, plan)
    lower, upper = mean_amounts(strata, "lower"), mean_amounts(strata, "upper")
    methods = tuple(
        RestrictedMean(
            method, **limits_row(found.mean(m)), lower=float(lower[m]), upper=float(upper[m])
        )
        for m, method in enumerate(table.methods)
    )
    known = strata.limits[np.isfinite(strata.limits)]
    every = _pairs(table, found)
    return RestrictedMeans(
        methods=methods,
        differences=to_reference(every, table.reference),
        pairs=every,
        images=len(known),
        limits=ImageLimits(
            smallest=float(known.min()) if len(known) else None,
            median=float(np.median(known)) if len(known) else None,
            largest=float(known.max()) if len(known) else None,
        ),
    )


def _pairs(table: RoundTable, found: StrataMeans) -> tuple[Pair, ...]:
    names = table.methods
    two = {(names[b], names[a]): found.difference(a, b) for a, b in pairs(len(names))}
    return pairs_of("restricted", MEANS, two)


def sensitivity(
    table: RoundTable, plan: Resampling, main: RestrictedMeans, left_out: Sequence[str]
) -> tuple[Sensitivity, ...]:
    """Return the differences of restricted means under other choices, the main one first.

    Parameters
    ----------
    table, plan, main
        The rounds, the resampling plan, and the result of `restricted_shares`.
    left_out
        Who is left out by rule.
    """
    rows = _rows("everybody, all rounds, confirming press", table, main.differences)
    recognised = table.of(table.frame["recognised"])
    kept = ~table.frame["participant"].isin(left_out)
    others: list[tuple[str, RoundTable | None]] = [
        ("without those left out by rule", table.of(kept) if left_out and kept.any() else None),
        ("first key of the right answer", at_first_key(table)),
        ("without rounds left midway", table.completed if table.frame["left"].any() else None),
        ("unrecognised rounds left out, as Figures 6 and 7", recognised),
        ("images that the model classifies rightly", _of_right_models(table)),
    ]
    for label, other in others:
        if other is None or other.frame.empty or set(other.frame["method"]) != set(table.methods):
            continue
        found = restricted_means(other.strata(), other.units, plan)
        rows += _rows(label, other, to_reference(_pairs(other, found), other.reference))
    return tuple(rows)


def _rows(label: str, table: RoundTable, found: Sequence[Difference]) -> list[Sensitivity]:
    n = len(table.frame)
    return [Sensitivity(label, n, **asdict(row)) for row in found]


def _of_right_models(table: RoundTable) -> RoundTable | None:
    """Return the images that every model got right, if the table says it."""
    frame = table.frame
    if "model_correct" not in frame or frame["model_correct"].isna().all():
        return None
    wrong = frame.loc[frame["model_correct"].eq(False).fillna(False), "item"].unique()
    kept = ~frame["item"].isin(wrong)
    return table.of(kept) if 0 < int(kept.sum()) < len(frame) else None


Mean = TypeVar("Mean", RestrictedMean, MeanSteps)


@dataclass(frozen=True, slots=True)
class WithGap(Generic[Mean]):
    """A method's mean, and its difference to the reference; None for the reference."""

    mean: Mean
    gap: Difference | None

    @property
    def method(self) -> str:
        """The method."""
        return self.mean.method


def with_gaps(means: Iterable[Mean], differences: Iterable[Difference]) -> list[WithGap[Mean]]:
    """Return each method's mean with its difference to the reference."""
    gaps = {row.method: row for row in differences}
    return [WithGap(row, gaps.get(row.method)) for row in means]


def mean_columns(
    heading: str, write: Callable[[float | None], str], unit: str = ""
) -> tuple[Column, ...]:
    """Return the columns of a mean and its limits."""
    return (
        Column(heading, lambda row: row.mean.estimate, write, unit),
        Column("95 % interval", lambda row: _limits(row.mean, write), str),
    )


def gap_columns(write: Callable[[float | None], str], unit: str) -> tuple[Column, ...]:
    """Return the columns of a difference to the reference; empty for the reference."""
    return (
        Column("Less the reference", _of_gap(lambda gap: write(gap.estimate)), str, unit),
        Column("95 % interval", _of_gap(lambda gap: _limits(gap, write)), str),
        Column("p", _of_gap(lambda gap: p_value(gap.p)), str),
    )


def _of_gap(write: Callable[[Difference], str]) -> Callable[[WithGap[Any]], str]:
    return lambda row: write(row.gap) if row.gap else NOTHING


def _limits(row: Any, write: Callable[[float | None], str]) -> str:
    return interval(row.ci_low, row.ci_high, write)

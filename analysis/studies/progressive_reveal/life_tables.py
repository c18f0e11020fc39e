"""Recognition step by step: life tables of methods over participants and images."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.means import Means, curve_interval, mean_interval, mean_p, measure_each
from analysis.statistics.proportions import Interval
from analysis.statistics.survival.life_tables import (
    hazards,
    life_table,
    number_of_ends,
    pairs,
    round_values,
)
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.pairs import Difference, Pair, mean_pair, to_reference
from analysis.studies.progressive_reveal.trials import RoundTable

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
    contrasts = tuple(
        mean_pair(of, table.methods[b], table.methods[a], *difference(a, b))
        for of, difference in (
            ("steps", found.fewer_steps),
            ("recognised", lambda a, b: found.more(last, a, b)),
        )
        for a, b in two
    )
    return LifeTables(
        rows=_life_rows(table, found),
        mean_steps=tuple(
            MeanSteps(method, **limits_row(found.mean_steps(m)))
            for m, method in enumerate(table.methods)
        ),
        differences=to_reference((row for row in contrasts if row.of == "steps"), table.reference),
        over_time=tuple(
            StepDifference(method, table.reference, k + 1, **limits_row(found.more(k, 0, m)[0]))
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

    def reached(self, step: int, method: int) -> Interval:
        """Return recognition by the end of a step (from 0)."""
        return curve_interval(self.by_step[step], np.eye(len(self.ended))[method], self.rounds)

    def more(self, step: int, a: int, b: int) -> tuple[Interval, float]:
        """Return recognition by b less that by a, and its p."""
        found, contrast = self.by_step[step], self._less(a, b)
        return curve_interval(found, contrast, self.rounds), mean_p(found, contrast)

    def mean_steps(self, method: int) -> Interval:
        """Return steps begun until recognition."""
        return mean_interval(self.steps, np.eye(len(self.ended))[method])

    def fewer_steps(self, a: int, b: int) -> tuple[Interval, float]:
        """Return steps by b less those by a, and their p."""
        contrast = self._less(a, b)
        return mean_interval(self.steps, contrast), mean_p(self.steps, contrast)


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

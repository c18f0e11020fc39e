"""Recognition step by step, steps and shares needed: estimates by method, and pairs of methods.

Life tables give each method's recognition step by step. The restricted mean of the uncovered share
is taken image by image.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from analysis.questions.estimates import (
    AGAINST,
    EstimateRow,
    estimate_row,
    pooled_sd,
)
from analysis.report.about import about
from analysis.report.deciding import MEANS, THESE
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Estimate
from analysis.statistics.means import Means, estimate_curve, estimate_mean, measure_each
from analysis.statistics.survival.life_tables import (
    hazards,
    life_table,
    mean_amounts,
    number_of_ends,
    restricted_means,
    round_values,
)
from analysis.statistics.two_way import cell_weights
from analysis.studies.progressive_reveal.pairs import compared
from analysis.studies.progressive_reveal.quantities import (
    HAZARD,
    LESS_BY_STEP,
    MEAN_STEPS,
    REACHED,
    RECOGNISED_LESS,
    RESTRICTED,
    RESTRICTED_END,
    RESTRICTED_LESS,
    STEPS_LESS,
)
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray


def means_of(plan: Resampling) -> str:
    """Return of whom means are: of these participants if they are few, else in general."""
    return THESE if plan.people == "fixed" else MEANS


@dataclass(frozen=True, slots=True)
class Life:
    """Life tables of methods as means over participants and images (see `round_values`).

    They are product-limit estimates over all rounds; those left midway are censored at the last
    step that was seen whole.

    Attributes
    ----------
    table
        The rounds.
    ended
        (methods, ends) how many rounds ended in each way.
    by_step
        Recognition by the end of each step.
    steps
        Steps begun.
    by
        Of whom means are: `THESE` participants, or `MEANS` of participants in general.
    """

    table: RoundTable
    ended: Array
    by_step: tuple[Means, ...]
    steps: Means
    by: str

    @classmethod
    def of(cls, table: RoundTable, plan: Resampling) -> "Life":
        """Measure recognition and steps."""
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
        return cls(table, ended, tuple(by_step), begun_steps, means_of(plan))

    def rows(self) -> Iterator[EstimateRow]:
        """Yield hazard and recognition by method and step, and mean steps."""
        events, at_risk = life_table(self.ended)
        hazard = hazards(events, at_risk)
        for m, method in enumerate(self.table.methods):
            for k in range(self.table.steps):
                of = {"method": method, "step": str(k + 1)}
                yield estimate_row(HAZARD, of, float(hazard[m, k]), int(at_risk[m, k]))
                yield estimate_row(REACHED, of, self._reached(k, self._weights_of(m)))
            steps = estimate_mean(self.steps, self._weights_of(m))
            yield estimate_row(MEAN_STEPS, {"method": method}, steps)

    def pairs(self) -> tuple[EstimateRow, ...]:
        """Return all pairs of methods: recognition by the end, and mean steps."""
        methods = self.table.methods
        return (
            *compared(RECOGNISED_LESS, self.by, methods, self.recognised_less, self._spread),
            *compared(STEPS_LESS, self.by, methods,
                      lambda a, b: estimate_mean(self.steps, self._less(a, b))),
        )  # fmt: skip

    def recognised_less(self, a: int, b: int) -> Estimate:
        """Return recognition by the end with a method less that with another, by their places."""
        return self._reached(self.table.steps - 1, self._less(a, b))

    def over_steps(self) -> Iterator[EstimateRow]:
        """Yield recognition by the end of each step less the reference's."""
        for m, method in enumerate(self.table.methods[1:], start=1):
            for k in range(self.table.steps):
                of = {"method": method, AGAINST: self.table.reference, "step": str(k + 1)}
                yield estimate_row(LESS_BY_STEP, of, self._reached(k, self._less(0, m)))

    def _spread(self, a: int, b: int) -> float | None:
        """Return the standard deviation of recognition in a single round with either method."""
        last = self.table.steps - 1
        shares = [self._reached(last, self._weights_of(method)).estimate for method in (a, b)]
        return pooled_sd((1.0, 1.0), [share * (1 - share) for share in shares])

    def _reached(self, step: int, weights: Array) -> Estimate:
        """Return a weighted sum of methods' recognition by the end of a step (from 0)."""
        return estimate_curve(self.by_step[step], weights, self.ended.sum(axis=1))

    def _weights_of(self, method: int) -> Array:
        return np.eye(len(self.ended))[method]

    def _less(self, a: int, b: int) -> Array:
        return self._weights_of(b) - self._weights_of(a)


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Up to which share of the image means are taken: of each image its smallest final count."""

    images: Annotated[int, about("Images that were compared.")]
    smallest: Annotated[float | None, about("The smallest of the images' limits, 0 to 1.")]
    median: Annotated[float | None, about("Their median.")]
    largest: Annotated[float | None, about("The largest.")]


@dataclass(frozen=True, slots=True)
class Restricted:
    """Mean shares of the image uncovered up to recognition, restricted image by image.

    Recognition is set at the middle of its step's interval, and at its ends, which is as far as
    steps leave it open. Limits are over people and images.

    Attributes
    ----------
    rows
        The means, by method.
    pairs
        All pairs of methods.
    limits
        Up to which share means are taken.
    """

    rows: tuple[EstimateRow, ...]
    pairs: tuple[EstimateRow, ...]
    limits: ImageLimits

    @classmethod
    def of(cls, table: RoundTable, plan: Resampling) -> "Restricted":
        """Measure the means."""
        strata = table.strata()
        means = restricted_means(strata, table.units, plan)
        ends = {end: mean_amounts(strata, end) for end in ("lower", "upper")}
        rows = []
        for m, method in enumerate(table.methods):
            rows.append(estimate_row(RESTRICTED, {"method": method}, means.mean(m)))
            rows += [
                estimate_row(RESTRICTED_END, {"method": method, "end": end}, float(values[m]))
                for end, values in ends.items()
            ]
        known = strata.limits[np.isfinite(strata.limits)]
        cuts = map(float, np.quantile(known, [0, 0.5, 1])) if len(known) else (None,) * 3
        pairs = compared(RESTRICTED_LESS, means_of(plan), table.methods, means.difference)
        return cls(tuple(rows), pairs, ImageLimits(len(known), *cuts))

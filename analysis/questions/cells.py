"""Shares and means of answers by the levels of factors, and contrasts of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from analysis.questions.estimates import (
    AGAINST,
    Contrast,
    EstimateRow,
    Of,
    Quantity,
    estimate_row,
    pooled_sd,
)
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.estimate import Ends, Estimate
from analysis.statistics.means import (
    estimate_mean,
    estimate_shares,
    measure_means,
    measure_shares,
)
from analysis.statistics.proportions import Count
from analysis.statistics.two_way import cell_weights

Array = np.ndarray
Key = tuple[str, ...]
"""A level of each factor."""
Weights = Mapping[Key, float]


@dataclass(frozen=True, slots=True)
class Cells:
    """Shares of answers in the cells of a table, over people and items.

    All cells are measured together, so contrasts of them keep what people and items share.

    Attributes
    ----------
    factors
        The levels of each factor.
    counts
        Successes and answers by cell, of means the answers alone; also cells without an answer.
    measured
        What `estimate_shares` takes, or `estimate_mean` if there are ends.
    ends
        The least and the most that an answer can be, if the cells have means; None for shares.
    variances
        Of single answers, by cell.
    """

    factors: Mapping[str, tuple[str, ...]]
    counts: Mapping[Key, Count]
    measured: Any
    ends: Ends | None = None
    variances: Mapping[Key, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        value: str,
        by: Mapping[str, Sequence[str]],
        plan: Resampling,
        ends: Ends | None = None,
    ) -> "Cells":
        """Measure the cells.

        Parameters
        ----------
        frame
            A row for each answer: ``participant``, ``item``, the value, and a column for each
            factor.
        value
            The column of 0 and 1, or of booleans; of numbers if there are ends.
        by
            The levels of each factor, in order; other levels are left out. Without a factor
            there is one cell.
        plan
            Whether items count as random, and where limits come from.
        ends
            The least and the most that a number can be; None for shares.
        """
        factors = {name: tuple(order) for name, order in by.items()}
        keys = list(product(*factors.values()))
        cell = _cell_of(frame, factors)
        values = frame[value].to_numpy(dtype=float)
        hits = np.bincount(cell[cell >= 0], values[cell >= 0], len(keys))
        n = np.bincount(cell[cell >= 0], minlength=len(keys))
        units = Units.of(frame["participant"], frame["item"])
        counts = {key: Count(int(hits[k]), int(n[k])) for k, key in enumerate(keys)}
        squares = np.bincount(cell[cell >= 0], values[cell >= 0] ** 2, len(keys))
        divisor = np.maximum(n, 1)
        variances = dict(
            zip(keys, (squares / divisor - (hits / divisor) ** 2).tolist(), strict=True)
        )
        if ends is None:
            measured = measure_shares(values, cell, len(keys), units, plan)
        else:
            measured = measure_means(values, cell_weights(cell, len(keys)), units, plan)
        return cls(factors, counts, measured, ends, variances)

    def estimate(self, weights: Weights) -> Estimate:
        """Return a weighted sum of the cells' shares or means."""
        contrast = np.array([weights.get(key, 0.0) for key in self.counts])
        if self.ends is not None:
            return estimate_mean(self.measured, contrast, self.ends)
        return estimate_shares(list(self.counts.values()), contrast, self.measured)

    def contrast(self, quantity: Quantity, of: Of, weights: Weights) -> Contrast:
        """Return a weighted sum of the cells, to be compared with zero."""
        variances = [self.variances.get(key, 0.0) for key in weights]
        sd = pooled_sd(weights.values(), variances)
        return Contrast(quantity, of, self.estimate(weights), self.n(weights), sd=sd)

    def n(self, weights: Weights) -> int:
        """Return how many answers the cells of a sum have."""
        return sum(self.counts[key].n for key, weight in weights.items() if weight)

    def rows(self, quantity: Quantity) -> tuple[EstimateRow, ...]:
        """Return the share or the mean of each cell that has answers."""
        return tuple(
            estimate_row(quantity, cell.of, cell.value, cell.n) for cell in self.tested(quantity)
        )

    def tested(self, quantity: Quantity) -> tuple[Contrast, ...]:
        """Return each cell that has answers, to be compared with zero."""
        return tuple(
            Contrast(quantity, self._named(key), self.estimate({key: 1.0}), count.n)
            for key, count in self.counts.items()
            if count.n
        )

    def sums(
        self, quantity: Quantity, over: str, weights: Mapping[str, Mapping[str, float]]
    ) -> tuple[EstimateRow, ...]:
        """Return weighted sums over one factor, by the levels of the others.

        Parameters
        ----------
        quantity
            What the sums are called.
        over
            The factor.
        weights
            The weight of each of its levels, by the name of a sum; the name becomes the level.
        """
        return tuple(
            estimate_row(
                quantity, self._named(rest, over, name), self.estimate(cells), self.n(cells)
            )
            for rest in self._others(over)
            for name, by_level in weights.items()
            if self.n(cells := self._across(rest, over, by_level))
        )

    def contrasts(
        self, quantity: Quantity, factor: str, pairs: Sequence[tuple[str, str]]
    ) -> tuple[Contrast, ...]:
        """Return a level of a factor less another, by the levels of the others.

        Parameters
        ----------
        quantity
            What a difference is called.
        factor, pairs
            The factor, and pairs of its levels: the first less the second.
        """
        return tuple(
            self.contrast(
                quantity,
                self._named(rest, factor, first) | {AGAINST: second},
                self._across(rest, factor, {first: 1.0, second: -1.0}),
            )
            for rest in self._others(factor)
            for first, second in pairs
        )

    def _others(self, factor: str) -> Iterator[Key]:
        return product(*(levels for name, levels in self.factors.items() if name != factor))

    def _across(self, rest: Key, factor: str, weights: Mapping[str, float]) -> dict[Key, float]:
        place = list(self.factors).index(factor)
        return {(*rest[:place], level, *rest[place:]): weight for level, weight in weights.items()}

    def _named(self, key: Key, factor: str = "", level: str = "") -> dict[str, str]:
        """Return levels by factor; the key lacks that of a factor that is given by itself."""
        levels = iter(key)
        return {name: level if name == factor else next(levels) for name in self.factors}


def _cell_of(frame: pd.DataFrame, factors: Mapping[str, tuple[str, ...]]) -> Array:
    """Return (n,) each row's place among all combinations of levels, in order; -1 for none."""
    cell, inside = np.zeros(len(frame), dtype=int), np.ones(len(frame), dtype=bool)
    for name, order in factors.items():
        codes, distinct = pd.factorize(frame[name], use_na_sentinel=False)
        places = {level: place for place, level in enumerate(order)}
        level = np.array([places.get(str(value), -1) for value in distinct], dtype=int)[codes]
        cell, inside = cell * len(order) + level, inside & (level >= 0)
    return np.where(inside, cell, -1)

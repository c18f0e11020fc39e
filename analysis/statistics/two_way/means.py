"""Two-way intervals of means of participants' answers to items, and of functions of the means.

Answers share their participant and their item, and both are samples of others. The variance of a
mean is the sum of what participants, items and single answers add to it:

    V = (V_p − V_e)₊ + (V_i − V_e)₊ + V_e.

V_p and V_i are the sums of squares of participants' and of items' totals (Cameron, Gelbach & Miller
2011, J. Bus. Econ. Stat. 29, eq. 2.11); V_e is that of single answers. The differences are the
variance components of the two-way analysis of variance; a negative component counts as zero
(Searle, Casella & McCulloch 1992, section 4.4).

The items' levels are taken off the participants' totals, and the participants' levels off the
items' totals. Under rotation, where everyone sees some items in one condition and the rest in the
other, these levels cancel in the mean and must not count. If answers are 0 or 1, levels count less
in cells whose share is near 0 or 1, as if log odds differed alike in all cells. In a sparse table,
where few people see the same item, no levels are taken off (see `Design.sparse`).

The degrees of freedom are Satterthwaite's (1946, Biometrics 2), and never fewer than the smaller
factor's. A component V_p − V_e varies as its mean square V_p does, less what V_p would vary if
participants added nothing. So a component that is zero counts for nothing. It may be zero by
chance. Where people are compared with other people (or items with other items), what V_p varies
therefore counts whole, as in Welch's test: with four people in each arm, tests at 1 % would
otherwise reject in 1.6 %. With two participants, or two items, the degrees of freedom are the
smaller factor's.

A sum of means has limits that lie equally far to both sides, by Student's t; a single share has
Wilson's. Of the forms that were compared, these cover best with few people (docs/statistics.md).

Participants may also count as fixed (`Layout.of`): then the means are about these people, and only
items and answers are samples of others. Bands for whole curves of means are in `bands.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from analysis.distributions import t_quantile
from analysis.statistics.bootstrap.draws import People, Units
from analysis.statistics.estimate import (
    ANYWHERE,
    Ends,
    Estimate,
    Score,
    by_student,
    wilson_reach,
)
from analysis.statistics.proportions import LEVEL
from analysis.statistics.two_way.design import Design
from analysis.statistics.two_way.levels import Equations, slopes

Array = np.ndarray

FEWEST_LEVELS = 3
"""People, or items, from which on their variance may be found to be zero."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard error and degrees of freedom, one for each column; NaN where not known."""

    se: Array
    df: Array

    def reach(self, level: float = LEVEL) -> Array:
        """Return half the width of a symmetric interval."""
        return t_quantile((1 + level) / 2, self.df) * self.se


@dataclass(frozen=True, slots=True)
class TwoWayMeans:
    """Weighted means of cells, with all that variances of their sums need.

    Attributes
    ----------
    means
        (cells, m); NaN in a cell without weight.
    participants, items
        (levels, cells, m) totals of weighted deviations from the cells' means, participants'
        free of the items' levels and items' of the participants'.
    answers
        (cells, cells, m) sums of products of pairs' deviations, free of both.
    design
        Who saw what.
    mix
        (cells, parts) if participants are fixed: how much of each cell's weight each of its parts
        has, which are what a single participant answered in it. Totals, products and design are
        then those of the parts. None if participants are random.
    """

    means: Array
    participants: Array
    items: Array
    answers: Array
    design: Design
    mix: Array | None = None

    def columns(self) -> "list[TwoWayMeans]":
        """Return the means of each outcome by themselves."""
        return [
            TwoWayMeans(
                *(part[..., m : m + 1] for part in (self.means, self.participants, self.items)),
                self.answers[..., m : m + 1],
                self.design,
                self.mix,
            )
            for m in range(self.means.shape[1])
        ]

    def spread(self, contrast: Array) -> Spread:
        """Return the standard error of a weighted sum of the cells' means, for each column.

        With one participant (one item) it is that of this participant's (this item's) answers
        alone; NaN where there is one of both, or where a cell has no answer.

        Parameters
        ----------
        contrast
            (cells,) weights; a statistic's gradient gives that statistic's standard error
            (delta method).
        """
        unknown = np.full(self.means.shape[1], np.nan)
        if not np.isfinite(self.means[contrast != 0]).all() or not contrast.any():
            return Spread(unknown, unknown)
        part_contrast = contrast if self.mix is None else contrast @ self.mix
        if self.design.cancels(part_contrast):
            return Spread(np.zeros(len(unknown)), np.full(len(unknown), np.inf))
        parts = [
            _MeanSquare(*leverage.variance(total), leverage.arms > 1)
            for name, total in self.totals(contrast).items()
            for leverage in [self.design.leverage(part_contrast, name)]
        ]
        if not parts or not all(np.isfinite(part.df).all() for part in parts):
            return Spread(unknown, unknown)
        if len(parts) == 1:
            return Spread(np.sqrt(parts[0].square), parts[0].df)
        times, df_single = self.design.single(part_contrast)
        single = times * np.einsum("jkm,j,k->m", self.answers, part_contrast, part_contrast)
        if not np.isfinite(df_single):
            single, df_single = np.zeros(len(unknown)), 1.0
        together = _together(parts, single, df_single)
        if min(map(self.design.levels, ("participant", "item"))) < FEWEST_LEVELS:
            return Spread(together.se, np.minimum(*(part.df for part in parts)))
        return together

    def totals(self, contrast: Array) -> dict[str, Array]:
        """Return (levels, m) totals of a contrast by factor, of those that are drawn at random.

        A factor with a single level isn't among them.
        """
        part_contrast = contrast if self.mix is None else contrast @ self.mix
        factors = {"participant": self.participants, "item": self.items}
        if self.mix is not None:
            del factors["participant"]
        return {
            name: np.einsum("gkm,k->gm", part, part_contrast)
            for name, part in factors.items()
            if self.design.levels(name) > 1
        }

    def fewest(self, contrast: Array) -> int:
        """Return the least number of participants, or of items, that an arm of a contrast has.

        If all rows count alike on both sides, only other items could tell the sides apart.
        """
        part_contrast = contrast if self.mix is None else contrast @ self.mix
        if self.design.cancels(part_contrast):
            return self.design.levels("item")
        arms = [self.design.leverage(part_contrast, name).arm for name in self.totals(contrast)]
        return min((int(np.bincount(arm[arm >= 0]).min()) for arm in arms), default=0)

    def estimate(self, contrast: Array, column: int = 0, ends: Ends = ANYWHERE) -> Estimate:
        """Return a weighted sum of the cells' means, with its limits and p by Student's t."""
        used = contrast != 0
        return self.around(float(contrast[used] @ self.means[used, column]), contrast, column, ends)

    def around(
        self, estimate: float, gradient: Array, column: int = 0, ends: Ends = ANYWHERE
    ) -> Estimate:
        """Return a function of the cells' means with its limits and p, by its gradient."""
        spread = self.spread(gradient)
        return by_student(estimate, float(spread.se[column]), float(spread.df[column]), ends)

    def share(self, cell: int, column: int = 0) -> Estimate:
        """Return one cell's share, with Wilson's limits."""
        estimate = self.estimate(np.eye(len(self.means))[cell], column, (0.0, 1.0))
        if not estimate.tests or not 0 < estimate.estimate < 1:
            return replace(estimate, tests=())
        return replace(estimate, tests=(Score(estimate.estimate, estimate.se, estimate.df),))

    def rates(self, contrast: Array, level: float = LEVEL) -> tuple[Array, Array, Array]:
        """Return a weighted sum of the cells' shares with its limits, (m,) each.

        The limits of `tested`, or of `share` if the sum is a single share, for many outcomes
        at once.
        """
        used = np.flatnonzero(contrast)
        estimate, spread = contrast[used] @ self.means[used], self.spread(contrast)
        reach = spread.reach(level)
        if len(used) != 1:
            return estimate, estimate - reach, estimate + reach
        weight = contrast[used[0]]
        ends = np.sort(weight * wilson_reach(self.means[used[0]], reach / abs(weight)), axis=0)
        return estimate, estimate + ends[0], estimate + ends[1]


@dataclass(frozen=True, slots=True)
class _MeanSquare:
    """The mean square of participants or of items, and whether a contrast is between them."""

    square: Array
    df: Array
    between: bool


def _together(parts: Sequence[_MeanSquare], single: Array, df_single: float) -> Spread:
    """Add up what participants, items and single answers contribute."""
    variance, varies = single, single**2 / df_single
    for part in parts:
        variance = variance + np.maximum(part.square - single, 0)
        known = 0.0 if part.between else single**2
        varies = varies + np.maximum(part.square**2 - known, 0) / part.df
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / varies
    least = np.minimum(*(part.df for part in parts))
    return Spread(np.sqrt(variance), np.maximum(np.where(np.isfinite(df), df, least), least))


def two_way_means(
    values: Array, weights: Array, units: Units, people: People = "random"
) -> TwoWayMeans:
    """Return weighted means of cells, ready for intervals.

    Parameters
    ----------
    values
        (n,) or (n, m) answers; m columns are m outcomes of the same rows.
    weights
        (n, cells) what a row weighs in each cell's mean, 0 or more. A row may count in several
        cells; one that counts in none is left out.
    units
        Participant and item of each row.
    people
        ``random`` if participants stand for others, ``fixed`` if the means are about themselves.
    """
    return Layout.of(weights, units, people).means(values)


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows weigh in cells and who gave them: the same for any answers of these rows.

    Attributes
    ----------
    cells
        Number of cells.
    used
        (n,) whether a row counts in any cell.
    total
        (cells,) sums of the weights.
    weights, pattern, units
        Of the used rows; weights as shares of their cell's; pattern of weights.
    equations
        None if no row is used, and in a sparse table (see `Design.sparse`).
    design
        None if no row is used.
    mix
        As in `TwoWayMeans`.
    """

    cells: int
    used: Array
    total: Array
    weights: Array
    pattern: Array
    units: Units
    equations: Equations | None
    design: Design | None
    mix: Array | None = None

    @classmethod
    def of(cls, weights: Array, units: Units, people: People = "random") -> "Layout":
        """Return the layout of rows; parameters as in `two_way_means`."""
        used, cells = np.any(weights > 0, axis=1), weights.shape[1]
        if not used.all():
            weights, units = weights[used], units.of_rows(np.flatnonzero(used))
        total, mix = weights.sum(axis=0), None
        if used.any() and people == "fixed":
            weights, mix = _by_person(weights, units)
        sums = weights.sum(axis=0)
        weights = weights / np.where(sums > 0, sums, 1.0)
        pattern = _patterns(weights)
        if not used.any():
            return cls(cells, used, total, weights, pattern, units, None, None)
        equations = Equations.of(pattern, units)
        design = Design.of(units, weights, pattern, equations.parts)
        if design.sparse:
            equations, design = None, design.without_levels()
        return cls(cells, used, total, weights, pattern, units, equations, design, mix)

    def means(self, values: Array) -> TwoWayMeans:
        """Return the means of answers, (n,) or (n, m)."""
        if self.design is None:
            return _nothing(self.cells)
        values = values if self.used.all() else values[self.used]
        values = np.asarray(values, dtype=float).reshape(len(self.weights), -1)
        units = self.units
        of_person, of_item = self._levels(values)
        means = self.weights.T @ values
        return TwoWayMeans(
            np.where(
                (self.total > 0)[:, None], means if self.mix is None else self.mix @ means, np.nan
            ),
            _totals(values - of_item, self.weights, units.participant),
            _totals(values - of_person, self.weights, units.item),
            _products(values - of_person - of_item, self.weights, self.design),
            self.design,
            self.mix,
        )

    def _levels(self, values: Array) -> tuple[Array, Array]:
        """Return what each row's participant and item add to its answers, (n, m) each."""
        if self.equations is None:
            return np.zeros_like(values), np.zeros_like(values)
        effects = self.equations.effects(values)
        slope = slopes(values, self.pattern)[self.pattern]
        units = self.units
        return effects.participant[units.participant] * slope, effects.item[units.item] * slope


def _nothing(cells: int) -> TwoWayMeans:
    totals, none = np.zeros((0, cells, 1)), np.zeros(0, dtype=int)
    design = Design.of(Units(none, none), totals[..., 0], none, 0)
    products = np.zeros((cells, cells, 1))
    return TwoWayMeans(np.full((cells, 1), np.nan), totals, totals, products, design)


def _by_person(weights: Array, units: Units) -> tuple[Array, Array]:
    """Return (n, parts) weights of the cells' parts, one a person, and (cells, parts) their mix."""
    parts, mix = [], []
    for cell, weight in enumerate(weights.T):
        for person in np.unique(units.participant[weight > 0]):
            of_person = np.where(units.participant == person, weight, 0.0)
            parts.append(of_person)
            mix.append((cell, of_person.sum() / weight.sum()))
    table = np.zeros((weights.shape[1], len(parts)))
    for part, (cell, share) in enumerate(mix):
        table[cell, part] = share
    return np.column_stack(parts), table


def cell_weights(cell: Array, cells: int) -> Array:
    """Return (n, cells) weights of rows that each count once in one cell (-1: in none)."""
    return (cell[:, None] == np.arange(cells)).astype(float)


def _patterns(weights: Array) -> Array:
    """Return (n,) codes from 0: rows with the same code count in the same cells."""
    counts = weights > 0
    first = counts.argmax(axis=1)
    if (counts.sum(axis=1) > 1).any():
        first = np.unique(np.packbits(counts, axis=1), axis=0, return_inverse=True)[1].ravel()
    return np.unique(first, return_inverse=True)[1].ravel()


def _totals(values: Array, weights: Array, code: Array) -> Array:
    levels = int(code.max()) + 1
    return np.stack([_sums(values, column, code, levels) for column in weights.T], axis=1)


def _products(values: Array, weights: Array, design: Design) -> Array:
    """Return (cells, cells, m) sums over pairs of the products of their totals."""
    pairs = len(design.pairs.item)
    sums = [_sums(values, column, design.pair, pairs) for column in weights.T]
    products = np.empty((len(sums), len(sums), values.shape[1]))
    for j, block in enumerate(sums):
        for k, other in enumerate(sums[j:], start=j):
            products[j, k] = products[k, j] = np.einsum("gm,gm->m", block, other)
    return products


def _sums(values: Array, weight: Array, code: Array, levels: int) -> Array:
    """Return (levels, m) weighted sums of the values' deviations from their weighted mean."""
    rows = np.flatnonzero(weight)
    # One entry a row, and transposed: so nothing is sorted by level.
    entries = weight[rows], code[rows], np.arange(len(rows) + 1)
    levels_of_rows = sparse.csr_array(entries, shape=(len(rows), levels))
    return levels_of_rows.T @ (values[rows] - weight @ values)

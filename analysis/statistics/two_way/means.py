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
participants added nothing. So a component that is zero counts for nothing. Bands hold for a whole
curve of means at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.stats import t as student

from analysis.statistics.bootstrap.draws import Units
from analysis.statistics.proportions import LEVEL, UNKNOWN, Interval
from analysis.statistics.two_way.design import Design, Equations, slopes

Array = np.ndarray

_NONE = 1e-12
"""What rounding leaves of a variance that is zero."""

MOST_AT_ONCE = 4_000_000  # deviates, 32 MB; the result doesn't depend on it


@dataclass(frozen=True, slots=True)
class Spread:
    """Standard error and degrees of freedom, one for each column; NaN where not known."""

    se: Array
    df: Array

    def reach(self, level: float = LEVEL) -> Array:
        """Return half the width of a symmetric interval."""
        return student.ppf((1 + level) / 2, self.df) * self.se


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
    """

    means: Array
    participants: Array
    items: Array
    answers: Array
    design: Design

    def columns(self) -> "list[TwoWayMeans]":
        """Return the means of each outcome by themselves."""
        return [
            TwoWayMeans(
                *(part[..., m : m + 1] for part in (self.means, self.participants, self.items)),
                self.answers[..., m : m + 1],
                self.design,
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
        if self.design.cancels(contrast):
            return Spread(np.zeros(len(unknown)), np.full(len(unknown), np.inf))
        parts = [
            _of_factor(self.participants, contrast, *self.design.leverage(contrast, "participant")),
            _of_factor(self.items, contrast, *self.design.leverage(contrast, "item")),
        ]
        times, df_single = self.design.single(contrast)
        single = times * np.einsum("jkm,j,k->m", self.answers, contrast, contrast)
        known = [(variance, df) for variance, df in parts if np.isfinite(df)]
        if not known:
            return Spread(unknown, unknown)
        if not np.isfinite(df_single):
            single, df_single = np.zeros(len(unknown)), 1.0
        if len(known) == 1:
            variance, df = known[0]
            return Spread(np.sqrt(variance), np.full(len(variance), df))
        return _together([*known, (single, df_single)])

    def interval(self, contrast: Array, column: int = 0, level: float = LEVEL) -> Interval:
        """Return a weighted sum of the cells' means with its interval."""
        used = contrast != 0
        if not np.isfinite(self.means[used, column]).all():
            return UNKNOWN
        estimate = float(contrast[used] @ self.means[used, column])
        return self.around(estimate, contrast, column, level)

    def around(
        self, estimate: float, gradient: Array, column: int = 0, level: float = LEVEL
    ) -> Interval:
        """Return a function of the cells' means with its interval, by its gradient."""
        reach = float(self.spread(gradient).reach(level)[column])
        return Interval(estimate, estimate - reach, estimate + reach)

    def p(self, contrast: Array, null: float = 0.0, column: int = 0) -> float:
        """Return the two-sided p of Student's t for a weighted sum; NaN where it isn't known."""
        spread, part = self.spread(contrast), self.interval(contrast, column)
        if not (part.known and spread.se[column] > 0):
            return float("nan")
        t = abs(part.estimate - null) / spread.se[column]
        return float(2 * student.sf(t, spread.df[column]))

    def rates(self, contrast: Array, level: float = LEVEL) -> tuple[Array, Array, Array]:
        """Return a weighted sum of the cells' shares with its limits, (m,) each.

        A single share has Wilson's limits for a sample of as many independent answers as would
        spread alike (Dean & Pagano 2015, J. Surv. Stat. Methodol. 3), with Student's t in the
        place of z. A sum's limits are together no further apart than those of `interval`. They
        lean to one side as the MOVER limits of independent samples do (Zou & Donner 2008, Stat.
        Med. 27), but only by the share that the sum's variance is of the variance that it would
        have if its parts were independent: what shares have in common, such as hard items, moves
        them alike. At a share of 0 or 1 nothing varies: see `analysis.statistics.means`.
        """
        used = np.flatnonzero(contrast)
        estimate = contrast[used] @ self.means[used]
        if len(used) == 1:
            below, above = np.sort(contrast[used[0]] * self._wilson(used[0], level), axis=0)
            return estimate, estimate + below, estimate + above
        below, above, apart = np.zeros((3, self.means.shape[1]))
        for cell in used:
            parts = np.sort(contrast[cell] * self._wilson(cell, level), axis=0)
            below += parts[0] ** 2
            above += parts[1] ** 2
            apart += (contrast[cell] * self.spread(np.eye(len(self.means))[cell]).reach(level)) ** 2
        reach, both = self.spread(contrast).reach(level), np.sqrt(below) + np.sqrt(above)
        with np.errstate(divide="ignore", invalid="ignore"):
            lean = np.where(both > 0, (np.sqrt(above) - np.sqrt(below)) / both, 0.0)
            lean *= np.where(apart > 0, np.minimum(reach**2 / apart, 1.0), 0.0)
            reach = reach * np.where(apart > 0, np.minimum(both / (2 * np.sqrt(apart)), 1.0), 0.0)
        return estimate, estimate - reach * (1 - lean), estimate + reach * (1 + lean)

    def _wilson(self, cell: int, level: float) -> Array:
        """Return (2, m) how far a share's limits lie below and above it; 0 at shares of 0 and 1."""
        p, spread = self.means[cell], self.spread(np.eye(len(self.means))[cell])
        t, inner = student.ppf((1 + level) / 2, spread.df), p * (1 - p)
        one = (t * spread.se) ** 2 / np.where(inner > _NONE, inner, np.inf)  # t² / n
        shift = one * (0.5 - p) / (1 + one)
        reach = np.sqrt((t * spread.se) ** 2 + one**2 / 4) / (1 + one)
        return np.stack([shift - reach, shift + reach])


def _of_factor(totals: Array, contrast: Array, times: float, df: float) -> tuple[Array, float]:
    """Return (m,) the sum of squares of a factor's totals, and its degrees of freedom."""
    total = np.einsum("gkm,k->gm", totals, contrast)
    return times * (total**2).sum(axis=0), df


def _together(parts: list[tuple[Array, float]]) -> Spread:
    """Add up what participants, items and single answers contribute."""
    (of_people, df_people), (of_items, df_items), (single, df_single) = parts
    variance = np.maximum(of_people - single, 0) + np.maximum(of_items - single, 0) + single
    varies = single**2 / df_single
    for square, df in ((of_people, df_people), (of_items, df_items)):
        varies = varies + np.maximum(square**2 - single**2, 0) / df
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / varies
    least = min(df_people, df_items)
    return Spread(np.sqrt(variance), np.maximum(np.where(np.isfinite(df), df, least), least))


def two_way_means(values: Array, weights: Array, units: Units) -> TwoWayMeans:
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
    """
    return Layout.of(weights, units).means(values)


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
    """

    cells: int
    used: Array
    total: Array
    weights: Array
    pattern: Array
    units: Units
    equations: Equations | None
    design: Design | None

    @classmethod
    def of(cls, weights: Array, units: Units) -> "Layout":
        """Return the layout of rows; parameters as in `two_way_means`."""
        used, cells = np.any(weights > 0, axis=1), weights.shape[1]
        if not used.all():
            weights, units = weights[used], units.of_rows(np.flatnonzero(used))
        total = weights.sum(axis=0)
        if not used.any():
            return cls(cells, used, total, weights, _patterns(weights), units, None, None)
        weights = weights / np.where(total > 0, total, 1.0)
        pattern = _patterns(weights)
        equations = Equations.of(pattern, units)
        design = Design.of(units, weights, pattern, equations.parts)
        if design.sparse:
            equations, design = None, design.without_levels()
        return cls(cells, used, total, weights, pattern, units, equations, design)

    def means(self, values: Array) -> TwoWayMeans:
        """Return the means of answers, (n,) or (n, m)."""
        if self.design is None:
            return _nothing(self.cells)
        values = values if self.used.all() else values[self.used]
        values = np.asarray(values, dtype=float).reshape(len(self.weights), -1)
        units = self.units
        of_person, of_item = self._levels(values)
        means = np.where((self.total > 0)[:, None], self.weights.T @ values, np.nan)
        return TwoWayMeans(
            means,
            _totals(values - of_item, self.weights, units.participant),
            _totals(values - of_person, self.weights, units.item),
            _products(values - of_person - of_item, self.weights, self.design),
            self.design,
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
    for j, one in enumerate(sums):
        for k, other in enumerate(sums[j:], start=j):
            products[j, k] = products[k, j] = np.einsum("gm,gm->m", one, other)
    return products


def _sums(values: Array, weight: Array, code: Array, levels: int) -> Array:
    """Return (levels, m) weighted sums of the values' deviations from their weighted mean."""
    rows = np.flatnonzero(weight)
    places = code[rows], np.arange(len(rows))
    adding = sparse.csr_array((weight[rows], places), shape=(levels, len(rows)))
    return adding @ (values[rows] - weight @ values)


def largest_deviations(
    means: TwoWayMeans, contrasts: Sequence[Array], replicates: int, seed: int
) -> list[Array]:
    """Return the largest deviations of curves from their estimates, in standard deviations.

    The columns of the means are points of the curves. Participants' and items' totals are
    multiplied by normal deviates (multiplier bootstrap: Chernozhukov, Chetverikov & Kato 2013,
    Ann. Stat. 41; of clusters two ways, Menzel 2021, Econometrica 89), the same for all curves.

    Parameters
    ----------
    means
        One column a point.
    contrasts
        (cells,) each: the weighted sum that a curve shows.
    replicates, seed
        Of the multipliers.

    Returns
    -------
    list of ndarray
        (replicates,) of each curve; empty if no point of it varies.
    """
    curves = [_studentised(means, contrast) for contrast in contrasts]
    units = len(means.participants) + len(means.items)
    found: list[list[Array]] = [[] for _ in curves]
    rng = np.random.Generator(np.random.PCG64(seed))
    step = max(1, MOST_AT_ONCE // units)
    for at in range(0, replicates, step):
        deviates = rng.standard_normal((min(step, replicates - at), units))
        for own, curve in zip(found, curves, strict=True):
            if curve.size:
                own.append(np.abs(deviates @ curve).max(axis=1))
    return [np.concatenate([np.zeros(0), *own]) for own in found]


def _studentised(means: TwoWayMeans, contrast: Array) -> Array:
    """Return the units' totals over their standard deviation, of the points that vary."""
    totals = [np.einsum("gkm,k->gm", part, contrast) for part in (means.participants, means.items)]
    size = np.sqrt(sum((own**2).sum(axis=0) for own in totals))
    varies = size > 0
    return np.concatenate(totals)[:, varies] / size[varies]


def band_factor(largest: Array, df: float, seed: int, level: float = LEVEL) -> float:
    """Return how many standard errors a band reaches to either side.

    Parameters
    ----------
    largest
        From `largest_deviations`, or the larger of several curves' replicate by replicate.
    df
        The standard errors' degrees of freedom; infinite for none.
    seed
        Of the standard errors' own error.
    """
    if not np.isfinite(df):
        return float(np.quantile(largest, level))
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(1,))))
    return float(np.quantile(largest * np.sqrt(df / rng.chisquare(df, len(largest))), level))

"""Means over participants and items, with two-way or bootstrap tests as a plan says.

Every estimate is an `Estimate`: its limits, p and verdict come from one test. Limits of shares of
answers, and of other means whose scale has ends, never collapse, whether one person answered or
many.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

import numpy as np

from analysis.statistics.bootstrap import (
    Bootstrap,
    Resampling,
    Units,
    bootstrap_sums,
    cell_means,
)
from analysis.statistics.estimate import (
    ANYWHERE,
    NOTHING,
    Alike,
    Ends,
    Estimate,
    Independent,
    Percentile,
)
from analysis.statistics.proportions import LEVEL, Count, mover
from analysis.statistics.two_way import Layout, TwoWayMeans, cell_weights, two_way_means

Array = np.ndarray

Means = TwoWayMeans | Bootstrap
_END = 1e-9
"""What rounding leaves between a share and 0 or 1."""


def measure_shares(
    accepted: Array, cell: Array, cells: int, units: Units, plan: Resampling
) -> TwoWayMeans | Array | None:
    """Return what `estimate_shares` takes of rows that each count once in one cell.

    Parameters
    ----------
    accepted
        (n,) 0 or 1.
    cell, cells
        (n,) cell of each row, -1 for none, and their number.
    units
        Participant and item of each row.
    plan
        Whether items count as random, and where intervals come from.

    Returns
    -------
    TwoWayMeans, ndarray or None
        None for a single participant.
    """
    if len(np.unique(units.participant)) < 2 or not (cell >= 0).any():
        return None
    values = np.asarray(accepted, dtype=float)
    if plan.means == "two_way":
        return two_way_means(values, cell_weights(cell, cells), plan.units(units), plan.people)
    inside = cell >= 0
    units_inside = units.of_rows(np.flatnonzero(inside))
    return cell_means(values[inside, None], cell[inside], cells, units_inside, plan)[:, :, 0]


def estimate_shares(
    counts: Sequence[Count], contrast: Array, means: TwoWayMeans | Array | None
) -> Estimate:
    """Return a weighted sum of shares, tested over participants and items.

    If a share is 0 or 1, its answers don't vary: the test that takes answers as independent
    (Wilson's, or the MOVER one of a sum) then counts, too. If no share of a sum varies, so does
    the exact test of as many people, or items, as there are (`Alike`).

    Parameters
    ----------
    counts
        Successes and all answers of every cell.
    contrast
        (cells,) weights of the shares.
    means
        The cells' means, or (replicates, cells) of a bootstrap; None for a single participant,
        whose answers are taken as independent.
    """
    if means is None:
        return _tested(counts, contrast, NOTHING)
    used = np.flatnonzero(contrast)
    if isinstance(means, TwoWayMeans):
        weight = contrast[used[0]] if len(used) == 1 else 0.0
        estimate = means.share(int(used[0])) if weight == 1 else means.estimate(contrast)
        if np.isnan(estimate.se):
            return estimate
        alike = means.fewest(contrast) if estimate.se == 0 and len(used) > 1 else 0
        if alike:
            ends = range_of(contrast)
            estimate = replace(estimate, tests=(Alike(estimate.estimate, alike, ends),), ends=ends)
        return _tested(counts, contrast, estimate)
    return _tested(counts, contrast, _drawn(means[:, used] @ contrast[used], np.nan))


def _tested(counts: Sequence[Count], contrast: Array, by_means: Estimate) -> Estimate:
    """Return an estimate, with the test of independent answers, too, if a share is 0 or 1."""
    used = [pair for pair in zip(counts, contrast.tolist(), strict=True) if pair[1]]
    plain = Independent(tuple(count for count, _ in used), tuple(weight for _, weight in used))
    estimate = float(sum(weight * count.rate for count, weight in used))
    if not isfinite(estimate):
        return NOTHING
    at_end = any(count.rate in (0.0, 1.0) for count in plain.counts)
    tests = (*by_means.tests, plain) if at_end or not by_means.tests else by_means.tests
    return Estimate(estimate, tests, range_of(contrast), by_means.se, by_means.df)


def share_ends(
    counts: Sequence[Count], contrast: Array, limits: Sequence[float], level: float = LEVEL
) -> Ends:
    """Return limits of a sum of shares from those of `rates`, for curves of many points.

    They are those of `estimate_shares`, but for a sum of which nothing varies: at the start of a
    curve, where nobody has answered yet, limits by the number of people would fill the figure.
    """
    low, high = limits
    if any(counts[cell].rate in (0.0, 1.0) for cell in np.flatnonzero(contrast)):
        plain = mover(counts, contrast.tolist(), level)
        low, high = np.fmin(low, plain.ci_low), np.fmax(high, plain.ci_high)
    least, most = range_of(contrast)
    return float(max(low, least)), float(min(high, most))


def range_of(contrast: Array, ends: Ends = (0.0, 1.0)) -> Ends:
    """Return the least and the most that a weighted sum of means between `ends` can be."""
    parts = [(weight * ends[0], weight * ends[1]) for weight in contrast.tolist() if weight]
    return float(sum(map(min, parts))), float(sum(map(max, parts)))


def _drawn(draws: Array, estimate: float) -> Estimate:
    """Return an estimate tested by the percentiles of its replicates."""
    finite = draws[np.isfinite(draws)]
    if len(finite) < 2 or np.ptp(finite) == 0:
        return Estimate(estimate, se=0.0 if len(finite) else np.nan)
    return Estimate(estimate, (Percentile(finite),), se=float(finite.std(ddof=1)), df=np.inf)


def measure_means(values: Array, weights: Array, units: Units, plan: Resampling) -> Means:
    """Return weighted means of cells, by the two-way variance or with replicates.

    Parameters
    ----------
    values
        (n,)
    weights
        (n, cells) what a row weighs in each mean; as in `two_way_means`.
    units, plan
        Participant and item of each row; by which of the two ways.
    """
    if plan.means == "two_way":
        return two_way_means(values, weights, plan.units(units), plan.people)
    cells = weights.shape[1]

    def means(sums: Array) -> Array:
        return sums[:, :cells] / sums[:, cells:]

    columns = np.column_stack([values[:, None] * weights, weights])
    return bootstrap_sums(columns, means, units, plan)


def measure_each(values: Array, weights: Array, units: Units, plan: Resampling) -> Sequence[Means]:
    """Return `measure_means` of every column of values (n, m); the layout is computed once."""
    if plan.means == "bootstrap":
        return [measure_means(column, weights, units, plan) for column in values.T]
    layout = Layout.of(weights, plan.units(units), plan.people)
    return layout.means(values).columns()


def cells_of(means: Means) -> int:
    """Return the number of means."""
    return len(means.estimate if isinstance(means, Bootstrap) else means.means)


def estimate_of(means: Means, contrast: Array) -> float:
    """Return a weighted sum of the means; NaN where one of them isn't known."""
    used = contrast != 0
    values = means.estimate if isinstance(means, Bootstrap) else means.means[:, 0]
    return float(contrast[used] @ values[used])


def estimate_mean(means: Means, contrast: Array, ends: Ends = ANYWHERE) -> Estimate:
    """Return a weighted sum of the means, tested over participants and items.

    Parameters
    ----------
    means, contrast
        The means, and their weights.
    ends
        The least and the most that an answer can be. If answers don't vary, a scale with two ends
        gives exact limits (`Alike`).
    """
    estimate = estimate_of(means, contrast)
    if not np.isfinite(estimate):
        return NOTHING
    whole = range_of(contrast, ends) if np.isfinite(ends).all() else ANYWHERE
    if isinstance(means, Bootstrap):
        used = contrast != 0
        tested = _drawn(means.replicates[:, used] @ contrast[used], estimate)
        return Estimate(estimate, tested.tests, whole, tested.se, tested.df)
    tested = means.estimate(contrast, ends=whole)
    alike = means.fewest(contrast) if tested.se == 0 and np.isfinite(whole).all() else 0
    if not alike:
        return tested
    return Estimate(estimate, (Alike(estimate, alike, whole),), whole, tested.se, tested.df)


def estimate_curve(means: Means, contrast: Array, rounds: Array) -> Estimate:
    """Return a weighted sum of means that are shares, such as product-limit estimates.

    If a share is 0 or 1, nothing varies: the test that takes answers as independent then counts,
    too, as in `estimate_shares`.

    Parameters
    ----------
    means, contrast
        The shares, and their weights.
    rounds
        (cells,) answers behind each share.
    """
    estimate = estimate_of(means, contrast)
    if not np.isfinite(estimate):
        return NOTHING
    used = np.flatnonzero(contrast)
    single = len(used) == 1 and contrast[used[0]] == 1 and isinstance(means, TwoWayMeans)
    tested = means.share(int(used[0])) if single else estimate_mean(means, contrast)
    shares = [estimate_of(means, np.eye(len(contrast))[cell]) for cell in used]
    at_end = any(min(share, 1 - share) < _END for share in shares)
    tests = tested.tests
    if at_end or (tested.se == 0 and not tests):
        counts = [Count(round(share * rounds[cell]), int(rounds[cell])) for share, cell in
                  zip(shares, used, strict=True)]  # fmt: skip
        tests = (*tests, Independent(tuple(counts), tuple(contrast[used].tolist())))
    return Estimate(estimate, tests, range_of(contrast), tested.se, tested.df)

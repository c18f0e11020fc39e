"""Means over participants and items, with two-way or bootstrap intervals as a plan says.

Intervals of shares of answers, and of their weighted sums, never collapse, whether one person
answered or many.
"""

from collections.abc import Sequence

import numpy as np

from analysis.statistics.bootstrap import (
    Bootstrap,
    Resampling,
    Units,
    bootstrap_sums,
    cell_means,
    centred_p,
    percentile_interval,
)
from analysis.statistics.proportions import LEVEL, UNKNOWN, Count, Interval, mover
from analysis.statistics.two_way import Layout, TwoWayMeans, cell_weights, two_way_means

Array = np.ndarray

Means = TwoWayMeans | Bootstrap
_END = 1e-9
"""What rounding leaves between a share and 0 or 1."""


def measure_shares(
    accepted: Array, cell: Array, cells: int, units: Units, plan: Resampling
) -> TwoWayMeans | Array | None:
    """Return what `share_interval` takes of rows that each count once in one cell.

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
        return two_way_means(values, cell_weights(cell, cells), plan.units(units))
    inside = cell >= 0
    own = units.of_rows(np.flatnonzero(inside))
    return cell_means(values[inside, None], cell[inside], cells, own, plan)[:, :, 0]


def share_interval(
    counts: Sequence[Count],
    contrast: Array,
    found: TwoWayMeans | Array | None,
    level: float = LEVEL,
) -> Interval:
    """Return a weighted sum of shares with its interval over participants and items.

    If a share is 0 or 1, its answers don't vary: the interval is then no narrower than the one that
    takes answers as independent (Wilson's, or the MOVER one of a sum).

    Parameters
    ----------
    counts
        Successes and all answers of every cell.
    contrast
        (cells,) weights of the shares.
    found
        The cells' means, or (replicates, cells) of a bootstrap; None for a single participant,
        whose answers are taken as independent.
    level
        Confidence level.
    """
    if found is None:
        return mover(counts, contrast.tolist(), level)
    if isinstance(found, TwoWayMeans):
        low, high = (float(limit[0]) for limit in found.rates(contrast, level)[1:])
    else:
        used = contrast != 0
        low, high = percentile_interval(found[:, used] @ contrast[used], level)
    return never_collapsed(counts, contrast, low, high, level)


def never_collapsed(
    counts: Sequence[Count], contrast: Array, low: float, high: float, level: float = LEVEL
) -> Interval:
    """Return a sum of shares with limits that are widened if a share is 0 or 1."""
    plain = mover(counts, contrast.tolist(), level)
    if not plain.known:
        return plain
    at_end = any(counts[cell].rate in (0.0, 1.0) for cell in np.flatnonzero(contrast))
    if at_end or not np.isfinite([low, high]).all():
        low, high = np.fmin(low, plain.ci_low), np.fmax(high, plain.ci_high)
    least, most = contrast[contrast < 0].sum(), contrast[contrast > 0].sum()
    return Interval(plain.estimate, float(max(low, least)), float(min(high, most)))


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
        return two_way_means(values, weights, plan.units(units))
    cells = weights.shape[1]

    def means(sums: Array) -> Array:
        return sums[:, :cells] / sums[:, cells:]

    columns = np.column_stack([values[:, None] * weights, weights])
    return bootstrap_sums(columns, means, units, plan)


def measure_each(values: Array, weights: Array, units: Units, plan: Resampling) -> Sequence[Means]:
    """Return `measure_means` of every column of values (n, m); the layout is computed once."""
    if plan.means == "bootstrap":
        return [measure_means(column, weights, units, plan) for column in values.T]
    layout = Layout.of(weights, plan.units(units))
    return layout.means(values).columns()


def cells_of(found: Means) -> int:
    """Return the number of means."""
    return len(found.estimate if isinstance(found, Bootstrap) else found.means)


def estimate_of(found: Means, contrast: Array) -> float:
    """Return a weighted sum of the means; NaN where one of them isn't known."""
    used = contrast != 0
    means = found.estimate if isinstance(found, Bootstrap) else found.means[:, 0]
    return float(contrast[used] @ means[used])


def mean_interval(found: Means, contrast: Array, level: float = LEVEL) -> Interval:
    """Return a weighted sum of the means with its interval."""
    if not isinstance(found, Bootstrap):
        return found.interval(contrast, level=level)
    estimate = estimate_of(found, contrast)
    if not np.isfinite(estimate):
        return UNKNOWN
    used = contrast != 0
    return Interval(
        estimate, *percentile_interval(found.replicates[:, used] @ contrast[used], level)
    )


def share_limits(found: Means, contrast: Array, level: float = LEVEL) -> tuple[float, float]:
    """Return the limits of a weighted sum of means that are shares, such as means over people."""
    if isinstance(found, Bootstrap):
        part = mean_interval(found, contrast, level)
        return part.ci_low, part.ci_high
    _, low, high = found.rates(contrast, level)
    return float(low[0]), float(high[0])


def mean_p(found: Means, contrast: Array) -> float:
    """Return the two-sided p of a weighted sum of the means against 0; NaN where it isn't known."""
    if not isinstance(found, Bootstrap):
        return found.p(contrast)
    used = contrast != 0
    return centred_p(estimate_of(found, contrast), found.replicates[:, used] @ contrast[used], 0.0)


def curve_interval(found: Means, contrast: Array, rounds: Array) -> Interval:
    """Return a weighted sum of means that are shares, such as product-limit estimates.

    If a share is 0 or 1, nothing varies: the interval is then no narrower than the one that takes
    answers as independent, as in `share_interval`.

    Parameters
    ----------
    found, contrast
        The shares, and their weights.
    rounds
        (cells,) answers behind each share.
    """
    estimate = estimate_of(found, contrast)
    if not np.isfinite(estimate):
        return UNKNOWN
    low, high = share_limits(found, contrast)
    used = np.flatnonzero(contrast)
    shares = [estimate_of(found, np.eye(len(contrast))[cell]) for cell in used]
    at_end = any(min(share, 1 - share) < _END for share in shares)
    if at_end or not np.isfinite([low, high]).all():
        counts = [Count(round(share * rounds[cell]), int(rounds[cell])) for share, cell in
                  zip(shares, used, strict=True)]  # fmt: skip
        plain = mover(counts, contrast[used].tolist())
        low, high = np.fmin(low, plain.ci_low), np.fmax(high, plain.ci_high)
    least, most = contrast[contrast < 0].sum(), contrast[contrast > 0].sum()
    return Interval(estimate, float(max(low, least)), float(min(high, most)))

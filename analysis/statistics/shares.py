"""Weighted sums of shares of answers, whoever gave them: intervals that never collapse."""

from collections.abc import Sequence

import numpy as np

from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.proportions import LEVEL, Count, Interval, mover
from analysis.statistics.two_way import TwoWayMeans, cell_weights, two_way_means

Array = np.ndarray


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
        Whether items stand for others, and where intervals come from.

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

    Where a share is 0 or 1 its answers don't vary: there the interval is no narrower than the one
    that takes answers as independent (Wilson's, or the MOVER one of a sum).

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
    """Return a sum of shares with limits that are widened where a share is 0 or 1."""
    plain = mover(counts, contrast.tolist(), level)
    if not plain.known:
        return plain
    at_end = any(counts[cell].rate in (0.0, 1.0) for cell in np.flatnonzero(contrast))
    if at_end or not np.isfinite([low, high]).all():
        low, high = np.fmin(low, plain.ci_low), np.fmax(high, plain.ci_high)
    least, most = contrast[contrast < 0].sum(), contrast[contrast > 0].sum()
    return Interval(plain.estimate, float(max(low, least)), float(min(high, most)))

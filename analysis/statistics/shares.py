"""Weighted sums of shares of answers, whoever gave them: intervals that never collapse."""

from collections.abc import Sequence

import numpy as np

from analysis.statistics.bootstrap import percentile_interval
from analysis.statistics.proportions import LEVEL, Count, Interval, mover
from analysis.statistics.two_way.means import TwoWayMeans

Array = np.ndarray


def share_interval(
    counts: Sequence[Count],
    contrast: Array,
    found: TwoWayMeans | Array | None,
    level: float = LEVEL,
    column: int = 0,
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
    column
        Of the means.
    """
    plain = mover(counts, contrast.tolist(), level)
    if found is None or not plain.known:
        return plain
    used = contrast != 0
    if isinstance(found, TwoWayMeans):
        low, high = (float(limit[column]) for limit in found.rates(contrast, level)[1:])
    else:
        low, high = percentile_interval(found[:, used] @ contrast[used], level)
    at_end = any(counts[cell].rate in (0.0, 1.0) for cell in np.flatnonzero(used))
    if at_end or not np.isfinite([low, high]).all():
        low, high = np.fmin(low, plain.ci_low), np.fmax(high, plain.ci_high)
    least, most = contrast[contrast < 0].sum(), contrast[contrast > 0].sum()
    return Interval(plain.estimate, float(max(low, least)), float(min(high, most)))

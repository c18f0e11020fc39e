"""How much of the image recognition needed: as published, and with unrecognised rounds kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Bootstrap, Kinds, Resampling, Units, bootstrap_kinds
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.proportions import UNKNOWN, Interval
from analysis.statistics.survival.turnbull import GAP_TOLERANCE, Intervals, Turnbull, turnbull
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

GRID = 120
DENSITY_GRID = 200
MOST_REPLICATES, LEAST_REPLICATES = 400, 100
"""Replicates of Turnbull's estimate, which is iterated; more change its limits little."""
MOST_WEIGHTS = 8_000_000
"""Replicates × rounds beyond which fewer replicates are drawn."""
DRAWN_TOLERANCE = 0.05
"""Log-likelihood that may be left at a replicate's maximum; far below what chance moves it."""
LEAST_FOR_DENSITY = 5
LEAST_ROUNDS = 10
"""Rounds whose image uncovers so much that a share needs for Turnbull's estimate to be given."""
ASKED = (0.05, 0.10, 0.15)
"""Shares of the image at which the page gives the curves in numbers."""
LATE = 0.9


def intervals(table: RoundTable, end_is_final: bool = False) -> Intervals:
    """Return the share of the image that each round's recognition needed, as an interval.

    Recognised: above the last smaller share that was uncovered before, at most what was
    uncovered at recognition. Else: above what was uncovered last. With `end_is_final` an
    unrecognised round that wasn't left counts as unrecognised up to the largest share that
    any image uncovers: more of the map would not have helped.
    """
    frame = table.frame
    upper = frame["share"].to_numpy(dtype=float)
    recognised = frame["recognised"].to_numpy(dtype=bool)
    course = table.amounts[table.item_codes, table.method_codes]
    course = np.column_stack([np.zeros(len(frame)), course])
    before = np.arange(course.shape[1]) < frame["step"].to_numpy(dtype=int)[:, None]
    smaller = np.where(before & (course < upper[:, None]), course, 0.0)
    lower = np.where(recognised, np.nan_to_num(smaller).max(axis=1), upper)
    if end_is_final:
        ended = ~recognised & ~frame["left"].to_numpy(dtype=bool)
        lower = np.where(ended, max(float(np.nanmax(course)), float(upper.max())), lower)
    return Intervals(lower, np.where(recognised, upper, np.inf))


def needed_shares(table: RoundTable, plan: Resampling) -> dict[str, Any]:
    """Return the curves of recognition over the uncovered share of the image, three ways.

    Returns
    -------
    dict
        ``shares`` (the grid) and for each method ``recognised_only`` (as published, Figure
        7), ``reached, ci_low, ci_high`` (Turnbull's, people and images drawn again; unknown
        beyond what the images of ten rounds uncover), ``less_reference, less_low, less_high``
        (that less the reference's; none for the reference) and ``end_final``; ``asked``: the
        same at a few shares; ``late``: by which share nine tenths are recognised.
    """
    grid, asked = _grid(table)
    afforded = max(LEAST_REPLICATES, MOST_WEIGHTS // len(table.frame))
    capped = plan.at_most(min(MOST_REPLICATES, afforded))
    seen = _Seen.of(table, intervals(table))
    estimates = seen.turnbull(seen.numbers, GAP_TOLERANCE)
    drawn = seen.drawn(table.units, grid, capped)
    reached = Bootstrap(_reached(estimates, grid)[0], drawn)
    curves = _curves(table, reached, grid, plan)
    return {
        "late_rate": LATE,
        "shares": grid,
        "curves": [
            {
                "method": curve.method,
                "recognised_only": [part.estimate for part in curve.recognised_only],
                "reached": [part.estimate for part in curve.reached],
                "ci_low": [part.ci_low for part in curve.reached],
                "ci_high": [part.ci_high for part in curve.reached],
                "end_final": curve.end_final,
                "less_reference": [part.estimate for part in curve.less_reference],
                "less_low": [part.ci_low for part in curve.less_reference],
                "less_high": [part.ci_high for part in curve.less_reference],
            }
            for curve in curves
        ],
        "asked": [_at(curve, grid, share) for curve in curves for share in asked],
        "late": [
            _late(table, curve.method, curve.known_to, estimate)
            for curve, estimate in zip(curves, estimates, strict=True)
        ],
        "replicates": capped.replicates,
        "converged": all(estimate.converged for estimate in estimates),
    }


@dataclass(frozen=True, slots=True)
class _Curve:
    """Recognition by one method over the grid of shares, three ways (see `needed_shares`).

    Attributes
    ----------
    method
        The method.
    recognised_only, reached
        A rate with its interval at each share.
    end_final
        (shares,) rates.
    known_to
        The share up to which ``reached`` is known.
    less_reference
        ``reached`` less the reference's, where both are known; empty for the reference.
    """

    method: str
    recognised_only: list[Interval]
    reached: list[Interval]
    end_final: Array
    known_to: float
    less_reference: list[Interval]


def _grid(table: RoundTable) -> tuple[Array, list[float]]:
    """Return the shares at which curves are computed, and those of them that the page states."""
    most = float(np.nanmax(np.append(table.amounts[np.isfinite(table.amounts)], 1e-3)))
    most = max(most, float(table.frame["share"].max()))
    asked = [share for share in ASKED if share < most] or [most]
    return np.unique(np.concatenate([np.linspace(0, most, GRID), asked])), asked


def _curves(
    table: RoundTable, all_rounds: Bootstrap, grid: Array, plan: Resampling
) -> list[_Curve]:
    dropped = _recognised_only(table, grid, plan)
    ended = _Seen.of(table, intervals(table, end_is_final=True))
    final = _reached(ended.turnbull(ended.numbers, GAP_TOLERANCE), grid)[0]
    curves, reference_to = [], _known_to(table, 0)
    for number, method in enumerate(table.methods):
        known_to, first = _known_to(table, number), number * len(grid)
        reached = _known(all_rounds, first, grid, known_to)
        gap = (len(table.methods) + number - 1) * len(grid)
        less = _known(all_rounds, gap, grid, min(known_to, reference_to)) if number else []
        only = [dropped.interval(first + place) for place in range(len(grid))]
        end_final = final[first : first + len(grid)]
        curves.append(_Curve(method, only, reached, end_final, known_to, less))
    return curves


def _known(found: Bootstrap, first: int, grid: Array, known_to: float) -> list[Interval]:
    return [
        found.interval(first + place) if share <= known_to + 1e-12 else UNKNOWN
        for place, share in enumerate(grid)
    ]


def _at(curve: _Curve, grid: Array, share: float) -> dict[str, Any]:
    """Return a method's curves at one share."""
    place = int(np.searchsorted(grid, share))
    only = curve.recognised_only[place]
    return {
        "method": curve.method,
        "share": share,
        "recognised_only": only.estimate,
        "only_low": only.ci_low,
        "only_high": only.ci_high,
        **limits_row(curve.reached[place]),
        "end_final": curve.end_final[place],
    }


@dataclass(frozen=True, slots=True)
class _Seen:
    """Rounds of one method and one interval taken together, which are far fewer.

    Attributes
    ----------
    kind
        (n,) place of each round in `intervals`.
    method, intervals
        (kinds,)
    methods
        Number of methods.
    """

    kind: Array
    method: Array
    intervals: Intervals
    methods: int

    @classmethod
    def of(cls, table: RoundTable, seen: Intervals) -> "_Seen":
        lower, low = np.unique(seen.lower, return_inverse=True)
        upper, up = np.unique(seen.upper, return_inverse=True)
        code = (table.method_codes * len(lower) + low) * len(upper) + up
        found, kind = np.unique(code, return_inverse=True)
        both = Intervals(lower[found // len(upper) % len(lower)], upper[found % len(upper)])
        return cls(kind, found // (len(lower) * len(upper)), both, len(table.methods))

    @property
    def numbers(self) -> Array:
        """(1, kinds) how many rounds there are of each kind."""
        return np.bincount(self.kind)[None].astype(float)

    def turnbull(self, numbers: Array, tolerance: float) -> list[Turnbull]:
        """Return each method's estimates for numbers (r, kinds)."""
        lower, upper = self.intervals.lower, self.intervals.upper
        rows = [self.method == method for method in range(self.methods)]
        return [
            turnbull(Intervals(lower[own], upper[own]), numbers[:, own], tolerance) for own in rows
        ]

    def drawn(self, units: Units, grid: Array, plan: Resampling) -> Array:
        """Return replicates of `_reached`, (replicates, …), which are iterated less far."""
        groups = Kinds.of(self.kind, len(self.method), units)

        def curves(counts: Counts) -> Array:
            return _reached(self.turnbull(groups.drawn(counts), DRAWN_TOLERANCE), grid)

        return each_block(curves, units, plan)


def _reached(estimates: Sequence[Turnbull], grid: Array) -> Array:
    """Return recognition at each share, method by method; then each less the reference's."""
    parts = [estimate.reached(grid) for estimate in estimates]
    return np.concatenate([*parts, *(part - parts[0] for part in parts[1:])], axis=1)


def _recognised_only(table: RoundTable, grid: Array, plan: Resampling) -> Bootstrap:
    shares, methods = table.frame["share"].to_numpy(dtype=float), len(table.methods)
    never = len(grid) + 1
    by = np.searchsorted(grid + 1e-12, shares)
    by = np.where(table.frame["recognised"].to_numpy(dtype=bool), by, never)

    def share(numbers: Array) -> Array:
        own = numbers.reshape(len(numbers), methods, -1)[:, :, :never]
        reached = np.cumsum(own, axis=2)
        return (reached[:, :, :-1] / reached[:, :, -1:]).reshape(len(numbers), -1)

    kind = table.method_codes * (never + 1) + by
    return bootstrap_kinds(kind, methods * (never + 1), share, table.units, plan)


def _known_to(table: RoundTable, method: int) -> float:
    """Return the largest share that the images of enough rounds uncover.

    Beyond it the estimate rests on a handful of rounds, and leaps to 1 at the last of them.
    """
    own = table.method_codes == method
    last = table.amounts[table.item_codes[own], method, -1]
    last = np.sort(last[np.isfinite(last)])
    return float(last[-min(LEAST_ROUNDS, len(last))]) if len(last) else 0.0


def _late(table: RoundTable, method: str, known_to: float, estimate: Turnbull) -> dict[str, Any]:
    """Return by which share of the image nine tenths are recognised, both ways."""
    own = table.frame["recognised"] & (table.frame["method"] == method)
    shares = table.frame.loc[own, "share"].to_numpy(dtype=float)
    late = float(estimate.quantile(LATE)[0])
    return {
        "method": method,
        "recognised_only": float(np.quantile(shares, LATE, method="inverted_cdf"))
        if len(shares)
        else None,
        "turnbull": late if late <= known_to + 1e-12 else None,
        "known_to": known_to,
        "by_then": float(estimate.reached([known_to])[0, 0]),
    }


def courses(table: RoundTable) -> list[dict[str, Any]]:
    """Return the uncovered share at each step over images (Figure 4), by method."""
    rows = []
    for m, method in enumerate(table.methods):
        own = table.amounts[:, m]
        own = own[np.isfinite(own).all(axis=1)]
        if not len(own):
            continue
        low, middle, high = np.quantile(own, [0.1, 0.5, 0.9], axis=0)
        rows += [
            {"method": method, "step": k + 1, "q10": low[k], "median": middle[k], "q90": high[k],
             "images": len(own)}
            for k in range(table.steps)
        ]  # fmt: skip
    return rows


def densities(table: RoundTable) -> list[dict[str, Any]]:
    """Return the density of the share of the image at recognition (Figure 6), by method.

    A Gaussian kernel with Scott's bandwidth, recognised rounds only, as published; the
    curve is cut at 0.
    """
    own = table.frame[table.frame["recognised"]]
    if own.empty:
        return []
    grid = np.linspace(0, float(own["share"].max()) * 1.15, DENSITY_GRID)
    rows = []
    for method, shares in _by_method(own, table.methods):
        known = len(shares) >= LEAST_FOR_DENSITY and np.ptp(shares) > 0
        rows.append(
            {
                "method": method,
                "n": len(shares),
                "shares": grid,
                "density": gaussian_kde(shares)(grid) if known else None,
                "median": float(np.median(shares)) if len(shares) else None,
            }
        )
    return rows


def _by_method(frame: pd.DataFrame, methods: tuple[str, ...]) -> list[tuple[str, Array]]:
    return [
        (method, frame.loc[frame["method"] == method, "share"].to_numpy(dtype=float))
        for method in methods
    ]

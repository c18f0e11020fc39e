"""How much of the image recognition needed: as published, and with unrecognised rounds kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde

from analysis.report.about import about
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
"""Replicates of Turnbull's estimate, which is iterated; more hardly change its limits."""
MOST_WEIGHTS = 8_000_000
"""Replicates × rounds beyond which fewer replicates are drawn."""
DRAWN_TOLERANCE = 0.05
"""Log-likelihood that may be left at a replicate's maximum; far less than it varies by chance."""
LEAST_FOR_DENSITY = 5
LEAST_ROUNDS = 10
"""Turnbull's estimate is given up to the share that the images of this many rounds uncover."""
ASKED = (0.05, 0.10, 0.15)
"""Shares of the image at which the page gives the curves in numbers."""
LATE = 0.9
Values = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ShareCurve:
    """Recognition by a method over the uncovered share of the image; a value for each share."""

    method: Annotated[str, about("The method.")]
    recognised_only: Annotated[Values, about("Recognised rounds only, as published (Figure 7).")]
    reached: Annotated[
        Values,
        about("All rounds by Turnbull's estimate; null beyond what the images of ten rounds show."),
    ]
    ci_low: Annotated[Values, about("Lower 95 % limits of reached.")]
    ci_high: Annotated[Values, about("Upper 95 % limits of reached.")]
    end_final: Annotated[Values, about("All rounds; unrecognised ones count as never recognised.")]
    less_reference: Annotated[
        Values, about("reached less the reference's; empty for the reference.")
    ]
    less_low: Annotated[Values, about("Lower 95 % limits of that.")]
    less_high: Annotated[Values, about("Upper 95 % limits of that.")]


@dataclass(frozen=True, slots=True)
class AtShare:
    """A method's curves at one share."""

    method: Annotated[str, about("The method.")]
    share: Annotated[float, about("Share of the image, 0 to 1.")]
    recognised_only: Annotated[float | None, about("Recognised, recognised rounds only.")]
    only_low: Annotated[float | None, about("Its lower 95 % limit; null where all are recognised.")]
    only_high: Annotated[float | None, about("Its upper 95 % limit.")]
    estimate: Annotated[float | None, about("Recognised, all rounds (Turnbull).")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    end_final: Annotated[
        float | None, about("Recognised; unrecognised rounds count as never recognised.")
    ]


@dataclass(frozen=True, slots=True)
class Late:
    """By which share of the image late_rate of a method's rounds are recognised."""

    method: Annotated[str, about("The method.")]
    recognised_only: Annotated[float | None, about("The share, recognised rounds only.")]
    turnbull: Annotated[float | None, about("The share, all rounds; null if not reached.")]
    known_to: Annotated[float, about("Share up to which Turnbull's estimate is given.")]
    by_then: Annotated[float | None, about("Recognised by then, by this estimate.")]
    ahead_from: Annotated[
        float | None,
        about("Share from which on recognised_only is ahead of the reference's; null if never."),
    ] = None


@dataclass(frozen=True, slots=True)
class NeededShares:
    """Recognition over the uncovered share of the image, three ways."""

    late_rate: Annotated[float, about("The rate that counts as late.")]
    shares: Annotated[tuple[float, ...], about("Shares of the image at which curves are given.")]
    curves: Annotated[tuple[ShareCurve, ...], about("The curves, by method.")]
    asked: Annotated[tuple[AtShare, ...], about("The same at a few shares.")]
    late: Annotated[tuple[Late, ...], about("By which share most are recognised, by method.")]
    replicates: Annotated[int, about("Replicates of Turnbull's estimate.")]
    converged: Annotated[bool, about("Whether Turnbull's estimate reached its maximum.")]


@dataclass(frozen=True, slots=True)
class Density:
    """The density of the share of the image at recognition (Figure 6), recognised rounds only."""

    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Recognised rounds.")]
    shares: Annotated[tuple[float, ...], about("Shares of the image.")]
    density: Annotated[Values | None, about("The density at them; null with too few rounds.")]
    median: Annotated[float | None, about("Median share.")]


def intervals(table: RoundTable, end_is_final: bool = False) -> Intervals:
    """Return the share of the image that each round's recognition needed, as an interval.

    If recognised: above the last smaller share that was uncovered before, and at most the share
    uncovered at recognition. Else: above the share uncovered last. With `end_is_final` an
    unrecognised round that wasn't left counts as unrecognised up to the largest share that any
    image uncovers: more of the map would not have helped.
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


def needed_shares(table: RoundTable, plan: Resampling) -> NeededShares:
    """Return the curves of recognition over the uncovered share of the image, three ways.

    As published; by Turnbull's estimate with resampled people and images, also less the
    reference's; and with each round's end taken as final.
    """
    grid, asked = _grid(table)
    afforded = max(LEAST_REPLICATES, MOST_WEIGHTS // len(table.frame))
    capped = plan.at_most(min(MOST_REPLICATES, afforded))
    seen = _Seen.of(table, intervals(table))
    estimates = seen.turnbull(seen.numbers, GAP_TOLERANCE)
    drawn = seen.drawn(table.units, grid, capped)
    reached = Bootstrap(_reached(estimates, grid)[0], drawn)
    curves = _curves(table, reached, grid, plan)
    return NeededShares(
        late_rate=LATE,
        shares=_values(grid),
        curves=tuple(curve.row() for curve in curves),
        asked=tuple(_at(curve, grid, share) for curve in curves for share in asked),
        late=tuple(
            replace(
                _late(table, curve.method, curve.known_to, estimate),
                ahead_from=_ahead_from(grid, curve, curves[0]),
            )
            for curve, estimate in zip(curves, estimates, strict=True)
        ),
        replicates=capped.replicates,
        converged=all(estimate.converged for estimate in estimates),
    )


def _values(array: Array) -> tuple[float, ...]:
    return tuple(map(float, array))


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
        ``reached`` less the reference's, if both are known; empty for the reference.
    """

    method: str
    recognised_only: list[Interval]
    reached: list[Interval]
    end_final: Array
    known_to: float
    less_reference: list[Interval]

    def row(self) -> ShareCurve:
        """Return the curve as results.json has it."""
        return ShareCurve(
            method=self.method,
            recognised_only=tuple(part.estimate for part in self.recognised_only),
            reached=tuple(part.estimate for part in self.reached),
            ci_low=tuple(part.ci_low for part in self.reached),
            ci_high=tuple(part.ci_high for part in self.reached),
            end_final=_values(self.end_final),
            less_reference=tuple(part.estimate for part in self.less_reference),
            less_low=tuple(part.ci_low for part in self.less_reference),
            less_high=tuple(part.ci_high for part in self.less_reference),
        )


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


def _at(curve: _Curve, grid: Array, share: float) -> AtShare:
    """Return a method's curves at one share."""
    place = int(np.searchsorted(grid, share))
    only = curve.recognised_only[place]
    return AtShare(
        method=curve.method,
        share=share,
        recognised_only=only.estimate,
        only_low=only.ci_low if only.ci_low < only.ci_high else None,
        only_high=only.ci_high if only.ci_low < only.ci_high else None,
        **limits_row(curve.reached[place]),
        end_final=float(curve.end_final[place]),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """Rounds grouped by method and interval: there are far fewer groups than rounds.

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
        """Return replicates of `_reached`, (replicates, …), with fewer iterations."""
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

    Beyond it the estimate rests on a few rounds, and jumps to 1 at the last of them.
    """
    own = table.method_codes == method
    last = table.amounts[table.item_codes[own], method, -1]
    last = np.sort(last[np.isfinite(last)])
    return float(last[-min(LEAST_ROUNDS, len(last))]) if len(last) else 0.0


def _ahead_from(grid: Array, own: _Curve, base: _Curve) -> float | None:
    """Return the share from which a method's recognised rounds aren't behind the reference's."""
    ahead, theirs = (
        np.array([part.estimate for part in curve.recognised_only]) for curve in (own, base)
    )
    behind = np.flatnonzero(ahead < theirs)
    first = int(behind[-1]) + 1 if len(behind) else 0
    return float(grid[first]) if (ahead[first:] > theirs[first:]).any() else None


def _late(table: RoundTable, method: str, known_to: float, estimate: Turnbull) -> Late:
    """Return the share of the image by which nine tenths are recognised, both ways."""
    own = table.frame["recognised"] & (table.frame["method"] == method)
    shares = table.frame.loc[own, "share"].to_numpy(dtype=float)
    late = float(estimate.quantile(LATE)[0])
    return Late(
        method=method,
        recognised_only=(
            float(np.quantile(shares, LATE, method="inverted_cdf")) if len(shares) else None
        ),
        turnbull=late if late <= known_to + 1e-12 else None,
        known_to=known_to,
        by_then=float(estimate.reached(np.array([known_to]))[0, 0]),
    )


def density_rows(table: RoundTable) -> tuple[Density, ...]:
    """Return the density of the share of the image at recognition (Figure 6), by method.

    A Gaussian kernel with Scott's bandwidth, recognised rounds only, as published; the
    curve is cut at 0.
    """
    own = table.frame[table.frame["recognised"]]
    if own.empty:
        return ()
    grid = np.linspace(0, float(own["share"].max()) * 1.15, DENSITY_GRID)
    rows = []
    for method, shares in _by_method(own, table.methods):
        known = len(shares) >= LEAST_FOR_DENSITY and np.ptp(shares) > 0
        rows.append(
            Density(
                method=method,
                n=len(shares),
                shares=_values(grid),
                density=_values(gaussian_kde(shares)(grid)) if known else None,
                median=float(np.median(shares)) if len(shares) else None,
            )
        )
    return tuple(rows)


def _by_method(frame: pd.DataFrame, methods: tuple[str, ...]) -> list[tuple[str, Array]]:
    return [
        (method, frame.loc[frame["method"] == method, "share"].to_numpy(dtype=float))
        for method in methods
    ]

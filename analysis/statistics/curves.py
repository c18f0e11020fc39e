"""Acceptance as a function of the decision time that is granted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.bootstrap import Resampling, Units, cell_means
from analysis.statistics.means import estimate_shares, share_ends
from analysis.statistics.proportions import LEVEL, Count
from analysis.statistics.two_way import (
    Layout,
    TwoWayMeans,
    band_factors,
    cell_weights,
    largest_deviations,
)

Array = np.ndarray

MOST_TIMES = 200
TIMES_OF_MANY = 60
MANY = 200_000
"""Acceptances above which a curve is given at fewer times."""
MOST_CELLS = 6_000_000  # rows × times held at once, 48 MB; the result doesn't depend on it

_Parts = tuple[tuple[int, float], ...]
"""The cells that a curve is made of, each with its sign."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Acceptance over decision time, or a difference of two cells' acceptance: a step function.

    Attributes
    ----------
    time_s
        (m,) times at which it is given, ascending, from 0.
    rate, ci_low, ci_high
        (m,) share accepted by then, or the difference of two such shares, with pointwise 95 %
        limits.
    band_low, band_high
        (m,) limits of the simultaneous 95 % band, which holds the whole curve at once.
    n
        Trials, the unanswered ones included.
    """

    time_s: Array
    rate: Array
    ci_low: Array
    ci_high: Array
    band_low: Array
    band_high: Array
    n: int


def decision_times(accept_s: Array, limit_s: float, always: tuple[float, ...]) -> Array:
    """Return the times at which curves are given.

    All times of acceptances if there are at most 200, else 200 quantiles of them (60 of more than
    200,000); 0, the limit and `always` are always included.

    Parameters
    ----------
    accept_s
        (k,) decision times of acceptances in seconds.
    limit_s
        The longest time that was granted.
    always
        Times that must be among them, e.g. the primary cutoff.
    """
    times = np.unique(accept_s[np.isfinite(accept_s)])
    if len(times) > MOST_TIMES:
        wanted = MOST_TIMES if len(accept_s) <= MANY else TIMES_OF_MANY
        times = np.quantile(times, np.linspace(0, 1, wanted), method="higher")
    return np.unique(np.concatenate([[0.0, limit_s], always, times[times <= limit_s]]))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that curves are computed for.

    Attributes
    ----------
    cell
        (n,) cell of each row; -1 for none.
    count
        How many cells there are.
    pairs
        Pairs of cells (a, b) whose difference a minus b is wanted.
    """

    cell: Array
    count: int
    pairs: Sequence[tuple[int, int]] = ()


def curves_and_differences(
    accept_s: Array, of: Cells, times_s: Array, units: Units, plan: Resampling
) -> tuple[list[Curve], list[Curve | None]]:
    """Return every cell's acceptance over decision time, and differences of cells.

    Acceptance at t is the share of trials accepted no later than t; rejections and
    unanswered trials never count, so the curves need no censoring. Pointwise limits are
    those of `estimate_shares`, by the method that the plan names.

    The simultaneous band is a sup-t band (Montiel Olea & Plagborg-Møller
    2019, J. Appl. Econometrics 34, section 3): the rate plus and minus c standard errors,
    c being the 95 % quantile of the largest studentised deviation of a replicate's curve
    (of the multiplier bootstrap, see `largest_deviations`, or of the two-way bootstrap), enlarged
    by each point's degrees of freedom (`band_factors`);
    never within the pointwise limits. For a single participant it is the
    Dvoretzky-Kiefer-Wolfowitz band with Massart's (1990) constant, trials taken as
    independent; for a difference the sum of both cells', at half the error each.

    Parameters
    ----------
    accept_s
        (n,) decision time of an acceptance, infinite for anything else.
    of
        Cells and pairs.
    times_s
        (m,) ascending.
    units, plan
        What is drawn, and how often.

    Returns
    -------
    tuple
        A curve for each cell; one for each pair, None if one of its cells has no row.
    """
    wanted: list[_Parts] = [((number, 1.0),) for number in range(of.count)]
    wanted += [((a, 1.0), (b, -1.0)) for a, b in of.pairs]
    layout, weights = None, cell_weights(of.cell, of.count)
    if units.participants > 1 and plan.means == "two_way":
        layout = Layout.of(weights, plan.units(units), plan.people)
    sizes = weights.sum(axis=0).astype(int).tolist()
    blocks = []
    for start, end in _blocks(len(accept_s), len(times_s)):
        reached = (accept_s[:, None] <= times_s[start:end]).astype(float)
        means: TwoWayMeans | Array | None = None
        if layout is not None:
            means = layout.means(reached)
        elif units.participants > 1:
            means = cell_means(reached, of.cell, of.count, units, plan)
        accepted = (weights.T @ reached).astype(int).tolist()
        counts = [
            [Count(k, size) for k in of_cell] for of_cell, size in zip(accepted, sizes, strict=True)
        ]
        blocks.append(_block(counts, wanted, means, plan))
    curves = [
        _curve(times_s, parts, curve_blocks)
        for parts, curve_blocks in zip(wanted, zip(*blocks, strict=True), strict=True)
    ]
    known = [bool(sizes[a] and sizes[b]) for a, b in of.pairs]
    return curves[: of.count], [
        curve if there else None for curve, there in zip(curves[of.count :], known, strict=True)
    ]


def _blocks(rows: int, times: int) -> list[tuple[int, int]]:
    """Cut the times so that a block's table of rows × times stays small."""
    width = max(1, MOST_CELLS // max(rows, 1))
    return [(start, min(start + width, times)) for start in range(0, times, width)]


@dataclass(frozen=True, slots=True)
class _Block:
    """One curve over some times, and what the band needs of its replicates."""

    sizes: tuple[int, ...]  # rows of each of its cells
    rate: Array  # (m,)
    limits: Array  # (m, 2)
    spread: Array  # (m,) standard errors; 0 where no replicate varies
    largest: Array  # (B,) each replicate's largest studentised deviation; empty without any
    df: Array  # (m,) of the standard errors; infinite if they come from replicates


def _block(
    counts: list[list[Count]],
    curves: Sequence[_Parts],
    means: TwoWayMeans | Array | None,
    plan: Resampling,
) -> list[_Block]:
    """Return every curve's block; equal seeds draw the same deviates in each."""
    weights = [_weights(parts, len(counts)) for parts in curves]
    largest = [np.zeros(0)] * len(curves)
    if isinstance(means, TwoWayMeans):
        largest = largest_deviations(means, weights, plan.replicates, plan.seed)
    return [
        _part(parts, weight, counts, means, strays)
        for parts, weight, strays in zip(curves, weights, largest, strict=True)
    ]


def _weights(parts: _Parts, cells: int) -> Array:
    """Return (cells,) the signs of the cells that a curve is made of; 0 for the others."""
    weights = np.zeros(cells)
    for number, sign in parts:
        weights[number] = sign
    return weights


def _part(
    parts: _Parts,
    weights: Array,
    counts: list[list[Count]],
    means: TwoWayMeans | Array | None,
    largest: Array,
) -> _Block:
    sizes = tuple(counts[number][0].n for number, _ in parts)
    at = list(zip(*counts, strict=True))
    rate = np.array([sum(sign * of_time[number].rate for number, sign in parts) for of_time in at])
    if not all(sizes):
        means = None
    limits = _limits(at, weights, means)
    return _Block(sizes, rate, limits, *_spread(rate, weights, means, largest))


def _limits(
    at: list[tuple[Count, ...]], weights: Array, means: TwoWayMeans | Array | None
) -> Array:
    """Return (times, 2) pointwise limits."""
    if isinstance(means, TwoWayMeans):
        ends = np.transpose(means.rates(weights)[1:])
        return np.array(
            [share_ends(of_time, weights, end) for of_time, end in zip(at, ends, strict=True)]
        )
    else:
        drawn = [None] * len(at) if means is None else np.moveaxis(means, 2, 0)
        parts = [
            estimate_shares(of_time, weights, draws)
            for of_time, draws in zip(at, drawn, strict=True)
        ]
    return np.array([(part.ci_low, part.ci_high) for part in parts]).reshape(-1, 2)


def _spread(
    rate: Array, weights: Array, means: TwoWayMeans | Array | None, largest: Array
) -> tuple[Array, Array, Array]:
    """Return standard errors, each replicate's largest deviation in them, and their df."""
    if isinstance(means, TwoWayMeans):
        spread = means.spread(weights)
        return np.nan_to_num(spread.se), largest, np.where(spread.se > 0, spread.df, np.inf)
    drawn = None if means is None else np.einsum("bkm,k->bm", means, weights)
    return *_deviations(rate, drawn), np.full(len(rate), np.inf)


def _deviations(rate: Array, drawn: Array | None) -> tuple[Array, Array]:
    """Return standard errors, and each replicate's largest deviation in such units."""
    if drawn is None:
        return np.zeros(len(rate)), np.zeros(0)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    spread = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.zeros(len(rate))
    varies = spread > 0
    if not varies.any():
        return spread, np.zeros(len(drawn))
    return spread, (np.abs(drawn - rate)[:, varies] / spread[varies]).max(axis=1)


def _curve(times_s: Array, parts: _Parts, blocks: tuple[_Block, ...]) -> Curve:
    rate = np.concatenate([block.rate for block in blocks])
    low, high = np.concatenate([block.limits for block in blocks]).T
    sizes = blocks[0].sizes
    largest = [block.largest for block in blocks if len(block.largest)]
    if largest:
        df, spread = (
            np.concatenate([getattr(block, name) for block in blocks]) for name in ("df", "spread")
        )
        width = band_factors(np.max(largest, axis=0), df) * spread
    else:
        width = np.full(len(rate), _massart(sizes))
    least = -1 if len(parts) > 1 else 0
    return Curve(
        times_s,
        rate,
        low,
        high,
        band_low=np.clip(np.minimum(rate - width, low), least, 1),
        band_high=np.clip(np.maximum(rate + width, high), least, 1),
        n=sum(sizes),
    )


def _massart(sizes: tuple[int, ...]) -> float:
    """Return the half-width of the band that takes trials as independent; NaN without a row."""
    if not all(sizes):
        return float("nan")
    alpha = (1 - LEVEL) / len(sizes)
    return float(sum(np.sqrt(np.log(2 / alpha) / (2 * n)) for n in sizes))

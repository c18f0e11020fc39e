"""Acceptance as a function of the decision time that is granted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.proportions import LEVEL, Count, mover

Array = np.ndarray

MOST_TIMES = 200
MOST_CELLS = 20_000_000  # rows × times held at once, 160 MB; the result doesn't depend on it

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

    All times of acceptances where there are at most 200, else 200 quantiles of them;
    0, the limit and `always` stand in it too.

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
        times = np.quantile(times, np.linspace(0, 1, MOST_TIMES), method="higher")
    return np.unique(np.concatenate([[0.0, limit_s], always, times[times <= limit_s]]))


def acceptance_curves(
    accept_s: Array, cell: Array, cells: int, times_s: Array, units: Units, plan: Resampling
) -> list[Curve]:
    """Return every cell's acceptance over decision time; see `curves_and_differences`."""
    return curves_and_differences(accept_s, cell, cells, (), times_s, units, plan)[0]


def curves_and_differences(
    accept_s: Array,
    cell: Array,
    cells: int,
    pairs: Sequence[tuple[int, int]],
    times_s: Array,
    units: Units,
    plan: Resampling,
) -> tuple[list[Curve], list[Curve | None]]:
    """Return every cell's acceptance over decision time, and differences of cells.

    Acceptance at t is the share of trials accepted no later than t; rejections and
    unanswered trials never count, so the curves need no censoring. Pointwise limits are
    those of the two-way bootstrap, widened to Wilson's where the share is 0 or 1 and no
    resampling can vary it; Wilson's throughout for a single participant. A difference's limits
    come from the same draws, and are no narrower than MOVER's where a share is 0 or 1.

    The simultaneous band is the bootstrap's sup-t band (Montiel Olea & Plagborg-Møller
    2019, J. Appl. Econometrics 34, section 3): the rate plus and minus c standard errors,
    c being the 95 % quantile of the largest studentised deviation of a replicate's curve;
    never within the pointwise limits. For a single participant it is the
    Dvoretzky-Kiefer-Wolfowitz band with Massart's (1990) constant, trials taken as
    independent; for a difference the sum of both cells', at half the error each.

    Parameters
    ----------
    accept_s
        (n,) decision time of an acceptance, infinite for anything else.
    cell, cells
        (n,) cell of each row (-1 for none), and their number.
    pairs
        Cells (a, b) of which a minus b is wanted.
    times_s
        (m,) ascending.
    units, plan
        What is drawn, and how often.

    Returns
    -------
    tuple
        A curve for each cell; one for each pair, None where one of its cells has no row.
    """
    wanted: list[_Parts] = [((number, 1.0),) for number in range(cells)]
    wanted += [((one, 1.0), (other, -1.0)) for one, other in pairs]
    blocks = [
        _block(accept_s, cell, cells, wanted, times_s[start:end], units, plan)
        for start, end in _blocks(len(accept_s), len(times_s))
    ]
    found = [
        _curve(times_s, parts, own)
        for parts, own in zip(wanted, zip(*blocks, strict=True), strict=True)
    ]
    sizes = np.bincount(cell[cell >= 0], minlength=cells)
    known = [bool(sizes[one] and sizes[other]) for one, other in pairs]
    return found[:cells], [
        curve if there else None for curve, there in zip(found[cells:], known, strict=True)
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


def _block(
    accept_s: Array,
    cell: Array,
    cells: int,
    wanted: Sequence[_Parts],
    times_s: Array,
    units: Units,
    plan: Resampling,
) -> list[_Block]:
    """Return every curve's block; equal seeds draw the same people and items in each."""
    reached = (accept_s[:, None] <= times_s).astype(float)
    draws = None if units.participants < 2 else cell_means(reached, cell, cells, units, plan)
    counts = []
    for number in range(cells):
        own = reached[cell == number]
        counts.append([Count(int(k), len(own)) for k in own.sum(axis=0)])
    return [_part(parts, counts, draws) for parts in wanted]


def _part(parts: _Parts, counts: list[list[Count]], draws: Array | None) -> _Block:
    own = list(zip(*(counts[number] for number, _ in parts), strict=True))
    signs = [sign for _, sign in parts]
    sizes = tuple(counts[number][0].n for number, _ in parts)
    drawn = None
    if draws is not None and all(sizes):
        drawn = sum(sign * draws[:, number] for number, sign in parts)
    rate = np.array(
        [
            sum(sign * count.rate for count, sign in zip(at, signs, strict=True))
            for at in own
        ]
    )  # fmt: skip
    limits = [
        _limits(at, signs, None if drawn is None else drawn[:, place])
        for place, at in enumerate(own)
    ]
    return _Block(sizes, rate, np.array(limits).reshape(-1, 2), *_deviations(rate, drawn))


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
        width = np.quantile(np.max(largest, axis=0), LEVEL) * np.concatenate(
            [block.spread for block in blocks]
        )
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


def _limits(
    counts: tuple[Count, ...], signs: list[float], drawn: Array | None
) -> tuple[float, float]:
    plain = mover(counts, signs)
    at_end = any(count.rate in (0.0, 1.0) for count in counts)
    if drawn is None or (at_end and len(counts) == 1):
        return plain.ci_low, plain.ci_high
    low, high = percentile_interval(drawn, LEVEL)
    return (min(low, plain.ci_low), max(high, plain.ci_high)) if at_end else (low, high)

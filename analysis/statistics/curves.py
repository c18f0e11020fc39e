"""Acceptance as a function of the decision time that is granted."""

from dataclasses import dataclass

import numpy as np

from analysis.statistics.bootstrap import Resampling, Units, cell_means, percentile_interval
from analysis.statistics.proportions import LEVEL, Count, wilson

Array = np.ndarray

MOST_TIMES = 200
MOST_CELLS = 20_000_000  # rows × times held at once, 160 MB; the result doesn't depend on it


@dataclass(frozen=True, slots=True)
class Curve:
    """One cell's acceptance over decision time, a step function.

    Attributes
    ----------
    time_s
        (m,) times at which it is given, ascending, from 0.
    rate, ci_low, ci_high
        (m,) share accepted by then, with pointwise 95 % limits.
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
    """Return every cell's acceptance over decision time.

    Acceptance at t is the share of trials accepted no later than t; rejections and
    unanswered trials never count, so the curves need no censoring. Pointwise limits are
    those of the two-way bootstrap, widened to Wilson's where the share is 0 or 1 and no
    resampling can vary it; Wilson's throughout for a single participant.

    The simultaneous band is the bootstrap's sup-t band (Montiel Olea & Plagborg-Møller
    2019, J. Appl. Econometrics 34, section 3): the rate plus and minus c standard errors,
    c being the 95 % quantile of the largest studentised deviation of a replicate's curve;
    never within the pointwise limits. For a single participant it is the
    Dvoretzky-Kiefer-Wolfowitz band with Massart's (1990) constant, trials taken as
    independent.

    Parameters
    ----------
    accept_s
        (n,) decision time of an acceptance, infinite for anything else.
    cell, cells
        (n,) cell of each row (-1 for none), and their number.
    times_s
        (m,) ascending.
    units, plan
        What is drawn, and how often.
    """
    parts = [
        _block(accept_s, cell, cells, times_s[start:end], units, plan)
        for start, end in _blocks(len(accept_s), len(times_s))
    ]
    return [_curve(times_s, own) for own in zip(*parts, strict=True)]


def _blocks(rows: int, times: int) -> list[tuple[int, int]]:
    """Cut the times so that a block's table of rows × times stays small."""
    width = max(1, MOST_CELLS // max(rows, 1))
    return [(start, min(start + width, times)) for start in range(0, times, width)]


@dataclass(frozen=True, slots=True)
class _Block:
    """One cell's curve over some times, and what the band needs of its replicates."""

    counts: tuple[Count, ...]
    limits: Array  # (m, 2)
    spread: Array  # (m,) standard errors; 0 where no replicate varies
    largest: Array  # (B,) each replicate's largest studentised deviation; empty without any


def _block(
    accept_s: Array, cell: Array, cells: int, times_s: Array, units: Units, plan: Resampling
) -> list[_Block]:
    """Return every cell's block; equal seeds draw the same people and items in each."""
    reached = (accept_s[:, None] <= times_s).astype(float)
    draws = None if units.participants < 2 else cell_means(reached, cell, cells, units, plan)
    blocks = []
    for number in range(cells):
        own = reached[cell == number]
        counts = tuple(Count(int(k), len(own)) for k in own.sum(axis=0))
        drawn = None if draws is None or not len(own) else draws[:, number]
        limits = [
            _limits(count, None if drawn is None else drawn[:, place])
            for place, count in enumerate(counts)
        ]
        blocks.append(_Block(counts, np.array(limits).reshape(-1, 2), *_deviations(counts, drawn)))
    return blocks


def _deviations(counts: tuple[Count, ...], drawn: Array | None) -> tuple[Array, Array]:
    """Return standard errors, and each replicate's largest deviation in such units."""
    if drawn is None:
        return np.zeros(len(counts)), np.zeros(0)
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    rate = np.array([count.rate for count in counts])
    spread = drawn.std(axis=0, ddof=1) if len(drawn) > 1 else np.zeros(len(counts))
    varies = spread > 0
    if not varies.any():
        return spread, np.zeros(len(drawn))
    return spread, (np.abs(drawn - rate)[:, varies] / spread[varies]).max(axis=1)


def _curve(times_s: Array, blocks: tuple[_Block, ...]) -> Curve:
    counts = [count for block in blocks for count in block.counts]
    rate = np.array([count.rate for count in counts])
    low, high = np.concatenate([block.limits for block in blocks]).T
    n = counts[0].n if counts else 0
    largest = [block.largest for block in blocks if len(block.largest)]
    if largest:
        width = np.quantile(np.max(largest, axis=0), LEVEL) * np.concatenate(
            [block.spread for block in blocks]
        )
    else:
        width = np.full(len(rate), np.sqrt(np.log(2 / (1 - LEVEL)) / (2 * n)) if n else np.nan)
    return Curve(
        times_s,
        rate,
        low,
        high,
        band_low=np.clip(np.minimum(rate - width, low), 0, 1),
        band_high=np.clip(np.maximum(rate + width, high), 0, 1),
        n=n,
    )


def _limits(count: Count, draws: Array | None) -> tuple[float, float]:
    if draws is None or count.rate in (0.0, 1.0):
        part = wilson(count)
        return part.ci_low, part.ci_high
    return percentile_interval(draws, LEVEL)

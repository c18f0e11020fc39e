"""Acceptance as a function of the decision time that is granted."""

from dataclasses import dataclass

import numpy as np

from analysis.bootstrap import Plan, Units, cell_means, percentile_interval
from analysis.proportions import LEVEL, Count, wilson

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
    n
        Trials, the unanswered ones included.
    """

    time_s: Array
    rate: Array
    ci_low: Array
    ci_high: Array
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
    accept_s: Array, cell: Array, cells: int, times_s: Array, units: Units, plan: Plan
) -> list[Curve]:
    """Return every cell's acceptance over decision time.

    Acceptance at t is the share of trials accepted no later than t; rejections and
    unanswered trials never count, so the curves need no censoring. Limits are those of
    the two-way bootstrap, widened to Wilson's where the share is 0 or 1 and no resampling
    can vary it; Wilson's throughout for a single participant.

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
    return _joined(
        [
            _block(accept_s, cell, cells, times_s[start:end], units, plan)
            for start, end in _blocks(len(accept_s), len(times_s))
        ],
        times_s,
    )


def _blocks(rows: int, times: int) -> list[tuple[int, int]]:
    """Cut the times so that a block's table of rows × times stays small."""
    width = max(1, MOST_CELLS // max(rows, 1))
    return [(start, min(start + width, times)) for start in range(0, times, width)]


def _block(
    accept_s: Array, cell: Array, cells: int, times_s: Array, units: Units, plan: Plan
) -> list[Curve]:
    """Return every cell's curve over some times; equal seeds draw the same people and items."""
    reached = (accept_s[:, None] <= times_s).astype(float)
    draws = None if units.participants < 2 else cell_means(reached, cell, cells, units, plan)
    curves = []
    for number in range(cells):
        own = reached[cell == number]
        counts = [Count(int(k), len(own)) for k in own.sum(axis=0)]
        limits = np.array(
            [
                _limits(c, None if draws is None else draws[:, number, place])
                for place, c in enumerate(counts)
            ]
        ).reshape(len(times_s), 2)
        rate = np.array([count.rate for count in counts])
        curves.append(Curve(times_s, rate, limits[:, 0], limits[:, 1], len(own)))
    return curves


def _joined(blocks: list[list[Curve]], times_s: Array) -> list[Curve]:
    """Join the blocks of every cell."""
    return [
        Curve(
            times_s,
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("rate", "ci_low", "ci_high")
            ),
            parts[0].n,
        )
        for parts in zip(*blocks, strict=True)
    ]


def _limits(count: Count, draws: Array | None) -> tuple[float, float]:
    if draws is None or count.rate in (0.0, 1.0):
        part = wilson(count)
        return part.ci_low, part.ci_high
    return percentile_interval(draws, LEVEL)

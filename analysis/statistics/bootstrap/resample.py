"""The two-way block bootstrap of any statistic of a table."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.statistics.bootstrap.draws import Counts, Resampling, Units, blocks, draw_block
from analysis.statistics.bootstrap.intervals import (
    Kind,
    acceleration,
    basic_interval,
    bca_interval,
    centred_p,
    percentile_interval,
)
from analysis.statistics.bootstrap.sums import WEIGHTS_AT_ONCE, Sums
from analysis.statistics.proportions import LEVEL, Interval

Array = np.ndarray
Statistic = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A statistic with its replicates.

    Attributes
    ----------
    estimate
        (q,) of the data.
    replicates
        (B, q); NaN where a replicate doesn't give the statistic.
    without_participant, without_item
        (participants, q) and (items, q) of the data with one unit left out, for BCa; None
        where it wasn't asked for, without_item also where items aren't drawn.
    """

    estimate: Array
    replicates: Array
    without_participant: Array | None = None
    without_item: Array | None = None

    def interval(self, place: int = 0, kind: Kind = "percentile", level: float = LEVEL) -> Interval:
        """Return one of the statistic's values with its interval.

        Raises
        ------
        ValueError
            If BCa is asked for and the jackknife wasn't.
        """
        value, draws = float(self.estimate[place]), self.replicates[:, place]
        if kind == "percentile":
            limits = percentile_interval(draws, level)
        elif kind == "basic":
            limits = basic_interval(value, draws, level)
        elif self.without_participant is None:
            raise ValueError("BCa intervals need the jackknife: jackknife=True")
        else:
            by_item = None if self.without_item is None else self.without_item[:, place]
            rate = acceleration(value, self.without_participant[:, place], by_item)
            limits = bca_interval(value, draws, rate, level)
        return Interval(value, *limits)

    def p(self, place: int = 0, null: float = 0.0) -> float:
        """Return the two-sided p of a null value (see `centred_p`)."""
        return centred_p(float(self.estimate[place]), self.replicates[:, place], null)

    def se(self, place: int = 0) -> float:
        """Return the standard deviation of the replicates, NaN ones left out."""
        finite = self.replicates[np.isfinite(self.replicates[:, place]), place]
        return float(finite.std(ddof=1)) if len(finite) > 1 else float("nan")


def bootstrap_sums(
    columns: Array, statistic: Statistic, units: Units, plan: Resampling, jackknife: bool = False
) -> Bootstrap:
    """Resample a statistic that is a function of weighted sums of columns.

    Each replicate draws participants and items independently with replacement; a row's
    weight is the product of how often its participant and its item were drawn (Owen 2007,
    Ann. Appl. Stat. 1(2), "pigeonhole bootstrap"; McCullagh 2000, Bernoulli 6(2)). It is
    conservative: noise within a participant and item is counted three times, so that with
    no other variance its intervals are √3 times too wide; they are never too narrow for
    want of one factor.

    Parameters
    ----------
    columns
        (n, k), e.g. a response, its product with a condition, and ones.
    statistic
        From sums (r, k) to values (r, q) or (r,); NaN where there is none.
    units, plan
        What is drawn, and how often.
    jackknife
        Whether BCa intervals will be wanted.

    Examples
    --------
    The difference of two conditions' means:

    >>> import numpy as np
    >>> units = Units(np.repeat([0, 1, 2], 4), np.tile([0, 1, 2, 3], 3))
    >>> y, with_ = np.arange(12.0) % 5, np.tile([0, 0, 1, 1], 3)
    >>> columns = np.column_stack([y * with_, with_, y * (1 - with_), 1 - with_])
    >>> def difference(sums):
    ...     return sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3]
    >>> found = bootstrap_sums(columns, difference, units, Resampling(2000, seed=1))
    >>> round(float(found.estimate[0]), 3)
    -0.5
    """
    sums = Sums(np.asarray(columns, dtype=float), units)
    total = sums.total()

    def value(weighted: Array) -> Array:
        return _two_dimensional(statistic(weighted))

    estimate = _quietly(value, total[None])[0]
    replicates = each_block(lambda counts: value(sums.of(counts)), units, plan)
    if not jackknife:
        return Bootstrap(estimate, replicates)
    left_out = _quietly(value, total - sums.by_participant())
    items = None if plan.drawn == "participants" else _quietly(value, total - sums.by_item())
    return Bootstrap(estimate, replicates, left_out, items)


def bootstrap_weights(
    statistic: Statistic, units: Units, plan: Resampling, jackknife: bool = False
) -> Bootstrap:
    """Resample any statistic that takes a weight for each row.

    Drawn as in `bootstrap_sums`, which is quicker where it serves; this one is for what
    sums don't give, e.g. a median or an iterated fit.

    Parameters
    ----------
    statistic
        From weights (r, n) to values (r, q) or (r,).
    units, plan, jackknife
        As in `bootstrap_sums`.
    """

    def value(weights: Array) -> Array:
        return _two_dimensional(statistic(weights))

    def drawn(counts: Counts) -> Array:
        return _in_parts(counts, units, value)

    estimate = _quietly(value, np.ones((1, units.rows)))[0]
    replicates = each_block(drawn, units, plan)
    if not jackknife:
        return Bootstrap(estimate, replicates)
    without_participant = _quietly(drawn, _leave_one_out(units.participants, units.items))
    if plan.drawn == "participants":
        return Bootstrap(estimate, replicates, without_participant)
    swapped = _leave_one_out(units.items, units.participants)
    without_item = _quietly(drawn, Counts(swapped.item, swapped.participant))
    return Bootstrap(estimate, replicates, without_participant, without_item)


def each_block(compute: Callable[[Counts], Array], units: Units, plan: Resampling) -> Array:
    """Return what a function gives for every block of replicates, one after the other.

    Parameters
    ----------
    compute
        From a block's counts to (r, …).
    units, plan
        What is drawn, and how often.
    """

    def one(block: int) -> Array:
        return _quietly(compute, draw_block(units, plan, block))

    return np.concatenate([one(block) for block in blocks(plan)])


def _in_parts(counts: Counts, units: Units, value: Statistic) -> Array:
    step = max(1, WEIGHTS_AT_ONCE // max(units.rows, 1))
    starts = range(0, len(counts), step)
    return np.concatenate([value(counts.part(at, at + step).rows(units)) for at in starts])


def _leave_one_out(units: int, others: int) -> Counts:
    return Counts(1 - np.eye(units), np.ones((units, others)))


def _two_dimensional(values: Array) -> Array:
    values = np.asarray(values, dtype=float)
    return values[:, None] if values.ndim == 1 else values


def _quietly(function: Callable[..., Array], argument: object) -> Array:
    """Return NaN, without a warning, for a replicate that drew no row of a cell."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return function(argument)

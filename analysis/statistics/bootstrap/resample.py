"""The two-way block bootstrap of any statistic of a table: replicates, intervals and p values.

A large table has few kinds of rows: for example, rounds of one image by one method end at one of a
few steps. Rows of one kind and one item differ only in their participant. So `Kinds` draws people
by one product with a sparse matrix of the participants' numbers of rows, and items by weights of
the result's columns. All sums are whole numbers, so they are exact in any order. `cell_means`
resamples the means of a table's cells.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr

from analysis.distributions import normal_quantile
from analysis.statistics.bootstrap.draws import (
    WEIGHTS_AT_ONCE,
    Counts,
    Resampling,
    Sums,
    Units,
    blocks,
    draw_block,
)
from analysis.statistics.proportions import LEVEL, Interval

Array = np.ndarray
Kind = Literal["percentile", "basic", "bca"]

_UNKNOWN = (float("nan"), float("nan"))

Statistic = Callable[[Array], Array]

_LARGEST_SINGLE = 2**24
"""Up to here float32 holds every whole number."""


def percentile_interval(replicates: Array, level: float) -> tuple[float, float]:
    """Return the percentile interval of replicates (NaN ones are left out).

    Parameters
    ----------
    replicates
        (B,) values of the statistic.
    level
        Confidence level, e.g. .95.
    """
    return _quantiles(replicates, (1 - level) / 2, (1 + level) / 2)


def basic_interval(estimate: float, replicates: Array, level: float) -> tuple[float, float]:
    """Return the basic interval: the percentile interval, reflected at the estimate.

    Davison & Hinkley (1997), eq. 5.6. It may leave the statistic's range, e.g. below 0
    for a rate.
    """
    low, high = percentile_interval(replicates, level)
    return 2 * estimate - high, 2 * estimate - low


def bca_interval(
    estimate: float, replicates: Array, acceleration: float, level: float
) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval (Efron 1987, J. Am. Stat. Assoc. 82).

    Replicates that equal the estimate count half towards the bias, so that a discrete
    statistic isn't taken for a biased one.

    Parameters
    ----------
    estimate
        The statistic of the data.
    replicates
        (B,) NaN ones are left out.
    acceleration
        From `acceleration`.
    level
        Confidence level.
    """
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0 or not np.isfinite(estimate):
        return _UNKNOWN
    below = (finite < estimate).mean() + (finite == estimate).mean() / 2
    if not 0 < below < 1:
        return _UNKNOWN
    bias = normal_quantile(below)
    z = bias + normal_quantile(np.array([(1 - level) / 2, (1 + level) / 2]))
    scale = 1 - acceleration * z
    if not np.isfinite(acceleration) or (scale <= 0).any():
        return _UNKNOWN
    return _quantiles(finite, *ndtr(bias + z / scale))


def acceleration(estimate: float, without_participant: Array, without_item: Array | None) -> float:
    """Return BCa's acceleration by a two-factor jackknife.

    To first order the statistic is a sum of one contribution from each participant and
    one from each item, all independent. A unit's contribution is (m − 1)/m times the mean
    of the leave-one-out values of its factor less its own, with m units in the factor;
    the acceleration is a sixth of the sum's skewness,

        Σ l³ / (6 (Σ l²)^1.5), over participants and items together,

    which is the several-sample form of Davison & Hinkley (1997, section 5.3) with the
    two factors as the samples. With one factor it is Efron's own. Interaction and noise
    within a participant and item are left out of it.

    Parameters
    ----------
    estimate
        The statistic of the data; if it isn't known, neither is the acceleration.
    without_participant, without_item
        The statistic with one unit left out, (participants,) and (items,); None for a
        factor that isn't drawn.
    """
    contributions = [
        (len(values) - 1) / len(values) * (values.mean() - values)
        for values in (without_participant, without_item)
        if values is not None and len(values) > 1
    ]
    if not contributions or not np.isfinite(estimate):
        return float("nan")
    all_of_them = np.concatenate(contributions)
    spread = float((all_of_them**2).sum())
    if not np.isfinite(spread):
        return float("nan")
    return float((all_of_them**3).sum() / (6 * spread**1.5)) if spread > 0 else 0.0


def centred_p(estimate: float, replicates: Array, null: float = 0.0) -> float:
    """Return the two-sided p of a null value by centring.

    The replicates, shifted so that the estimate becomes the null value, show what would have been
    found under it: p = (1 + those at least as far from the null as the estimate) / (1 + B). NaN
    replicates are left out.
    """
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0 or not np.isfinite(estimate):
        return float("nan")
    distance = abs(estimate - null)
    beyond = np.abs(finite - estimate) >= distance * (1 - 1e-12)
    return float((1 + beyond.sum()) / (1 + len(finite)))


def _quantiles(replicates: Array, low: float, high: float) -> tuple[float, float]:
    finite = replicates[np.isfinite(replicates)]
    if len(finite) == 0:
        return _UNKNOWN
    ends = np.quantile(finite, [low, high])
    return float(ends[0]), float(ends[1])


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
        (participants, q) and (items, q) of the data with one unit left out, for BCa; None if it
        wasn't asked for; without_item is None, too, if items aren't drawn.
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

    Each replicate draws participants and items independently with replacement; a row's weight is
    the product of how often its participant and its item were drawn (Owen 2007, Ann. Appl. Stat.
    1(2), "pigeonhole bootstrap"; McCullagh 2000, Bernoulli 6(2)). It is conservative: noise within
    a participant and item is counted three times, so that with no other variance its intervals are
    √3 times too wide; they are never too narrow because a factor is missing.

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

    Drawn as in `bootstrap_sums`, which is quicker if sums are enough; this function is for
    statistics that sums don't give, e.g. a median or an iterated fit.

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
    """Return a function's values for all blocks of replicates, in order.

    Parameters
    ----------
    compute
        From a block's counts to (r, …).
    units, plan
        What is drawn, and how often.
    """

    def replicates(block: int) -> Array:
        return _quietly(compute, draw_block(units, plan, block))

    return np.concatenate([replicates(block) for block in blocks(plan)])


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


@dataclass(frozen=True, slots=True)
class Kinds:
    """Rows grouped by kind and item.

    Attributes
    ----------
    item, kind
        (m,) item and kind of each group.
    kinds
        Number of kinds.
    people
        (m, participants) how many rows of each group are a participant's.
    """

    item: Array
    kind: Array
    kinds: int
    people: csr_array[Any, tuple[int, int]]

    @classmethod
    def of(cls, kind: Array, kinds: int, units: Units) -> "Kinds":
        """Return the groups of rows of given kinds, (n,) from 0, and units."""
        code, group = np.unique(units.item * kinds + kind, return_inverse=True)
        ones = np.ones(len(group), dtype=np.float32)
        people: Any = csr_array((ones, (group, units.participant)), (len(code), units.participants))
        largest = units.participants * float(people.max()) if len(group) else 0.0
        if largest >= _LARGEST_SINGLE:
            people = people.astype(float)
        return cls(code // kinds, code % kinds, kinds, people)

    def by_people(self, participant: Array) -> Array:
        """Return how many rows of each group are drawn if only people are, (r, m)."""
        drawn = np.ascontiguousarray(participant.T, dtype=self.people.dtype)
        return np.asarray(self.people @ drawn).T.astype(float)

    def drawn(self, counts: Counts) -> Array:
        """Return how many rows of each kind are drawn, (r, kinds)."""
        groups = np.arange(len(self.kind))
        adding = csr_array((np.ones(len(groups)), (groups, self.kind)), (len(groups), self.kinds))
        step = max(1, WEIGHTS_AT_ONCE // max(len(groups), 1))
        parts = [counts.part(at, at + step) for at in range(0, len(counts), step)]
        return np.concatenate(
            [(self.by_people(p.participant) * p.item[:, self.item]) @ adding for p in parts]
        )


def bootstrap_kinds(
    kind: Array, kinds: int, statistic: Callable[[Array], Array], units: Units, plan: Resampling
) -> Bootstrap:
    """Resample a statistic of the numbers of rows by kind, drawn as in `bootstrap_sums`.

    Parameters
    ----------
    kind, kinds
        (n,) kind of each row from 0, and the number of kinds.
    statistic
        From numbers (r, kinds) to values (r, q); NaN where there is none.
    units, plan
        What is drawn, and how often.
    """
    groups = Kinds.of(kind, kinds, units)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = statistic(np.bincount(kind, minlength=kinds)[None].astype(float))[0]
    return Bootstrap(
        estimate, each_block(lambda counts: statistic(groups.drawn(counts)), units, plan)
    )


def cell_means(values: Array, cell: Array, cells: int, units: Units, plan: Resampling) -> Array:
    """Return bootstrap replicates of the mean of every cell, drawn as in `bootstrap_sums`.

    Parameters
    ----------
    values
        (n, m) columns to average, e.g. acceptance at m decision times.
    cell
        (n,) cell of each row, -1 for none.
    cells
        Number of cells.
    units
        Participant and item of each row.
    plan
        Replicates and seed.

    Returns
    -------
    ndarray
        (replicates, cells, m); NaN where a replicate drew no row of a cell.
    """
    if units.rows == 0:
        return np.full((plan.replicates, cells, values.shape[1]), np.nan)
    counted = np.column_stack([np.ones(len(values)), values])
    cell_sums = [
        Sums(counted[rows], units.of_rows(rows))
        for rows in (np.flatnonzero(cell == number) for number in range(cells))
    ]

    def average(counts: Counts) -> Array:
        sums = np.stack([part.of(counts) for part in cell_sums], axis=1)
        return sums[:, :, 1:] / sums[:, :, :1]

    return each_block(average, units, plan)

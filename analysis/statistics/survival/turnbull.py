"""Turnbull's estimate: the distribution of a value that is only known to lie in an interval.

Turnbull (1976), J. R. Stat. Soc. B 38: the nonparametric maximum of the likelihood puts all
its mass on the innermost intervals, those that begin with some observation's lower end and
finish with some observation's upper end without another end between them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.sparse import csc_array, csr_array

Array = np.ndarray

GAP_TOLERANCE = 1e-4
"""Largest rise of the log-likelihood that may be left at the maximum."""
MOST_STEPS, MOST_HALVINGS = 1_000, 12
_DUE = 1e-4  # of the rise that the slope promises
_KEEPS = 0.01  # of its probability that a kind keeps at least
_LEAST_CURVE = 1e-12  # of the largest one
_TINY = 1e-300  # instead of 0, of which there is no logarithm


@dataclass(frozen=True, slots=True)
class Intervals:
    """Observations, each known to lie in (lower, upper].

    Attributes
    ----------
    lower, upper
        (n,) ends; `upper` is infinite where the event wasn't seen (right-censored at
        `lower`); where both are equal the value is known exactly.
    """

    lower: Array
    upper: Array

    def __post_init__(self) -> None:
        if np.any(np.isnan(self.lower) | np.isnan(self.upper) | (self.lower > self.upper)):
            raise ValueError("an interval's lower end lies above its upper end")

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True, slots=True)
class Turnbull:
    """A distribution on innermost intervals.

    Attributes
    ----------
    lower, upper
        (m,) the innermost intervals, ascending; the last upper end may be infinite.
    mass
        (r, m) probability of each, a row for each set of weights; NaN in a row whose weights are
        all 0. The data can't say where within its interval a mass lies.
    gap
        (r,) how much more log-likelihood there may be (0 at the maximum).
    """

    lower: Array
    upper: Array
    mass: Array
    gap: Array

    @property
    def converged(self) -> bool:
        """Whether every row is at its maximum."""
        return bool(np.nanmax(self.gap, initial=0.0) <= GAP_TOLERANCE)

    def reached(self, values: Array) -> Array:
        """Return the probability of at most each value, mass spread evenly in its interval.

        Parameters
        ----------
        values
            (v,) where; mass whose interval has no upper end never arrives.

        Returns
        -------
        ndarray
            (r, v).
        """
        return self.mass @ self._shares(np.asarray(values, dtype=float), 0.5).T

    def bounds(self, values: Array) -> tuple[Array, Array]:
        """Return the least and the largest probability that the masses allow, (r, v) each."""
        values = np.asarray(values, dtype=float)
        late, early = self._shares(values, 1.0), self._shares(values, 0.0)
        return self.mass @ late.T, self.mass @ early.T

    def quantile(self, share: float) -> Array:
        """Return the smallest end by which a share is reached, (r,); infinite where none is."""
        reached = np.cumsum(self.mass, axis=1) >= share - 1e-12
        first = reached.argmax(axis=1)
        ends = np.where(reached.any(axis=1), self.upper[first], np.inf)
        return np.where(np.isnan(self.mass).any(axis=1), np.nan, ends)

    def _shares(self, values: Array, spread: float) -> Array:
        """Return (v, m) which part of each mass lies at or below each value.

        `spread` 0 has it at the interval's lower end, 1 at its upper, .5 evenly between.
        """
        below = (values[:, None] >= self.upper).astype(float)
        inside = (values[:, None] > self.lower) & (values[:, None] < self.upper)
        if spread == 1.0:
            return below
        if spread == 0.0:
            return np.where(inside, 1.0, below)
        width = np.where(np.isfinite(self.upper), self.upper - self.lower, np.inf)
        part = np.divide(
            values[:, None] - self.lower, width, out=np.zeros_like(below), where=width > 0
        )
        return np.where(inside, part, below)


def turnbull(intervals: Intervals, weights: Array | None = None) -> Turnbull:
    """Return the nonparametric maximum-likelihood distribution of interval-censored values.

    Self-consistency steps (Turnbull 1976, eq. 3.1; an EM algorithm) in turns with steps of the
    iterative convex minorant (Wellner & Zhan 1997, J. Am. Stat. Assoc. 92), until no direction
    promises a higher likelihood (Gentleman & Geyer 1994, Biometrika 81).

    Parameters
    ----------
    intervals
        (n,) observations.
    weights
        (r, n) or (n,) how often each counts, such as bootstrap counts; None for once.
    """
    if not len(intervals):
        raise ValueError("there are no observations")
    weights = np.ones((1, len(intervals))) if weights is None else np.atleast_2d(weights)
    lower, upper, first, last = _innermost(intervals)
    kinds, kind = np.unique(np.column_stack([first, last]), axis=0, return_inverse=True)
    rows = np.arange(len(intervals))
    merge = csr_array((np.ones(len(intervals)), (rows, kind.ravel())), (len(intervals), len(kinds)))
    likelihood = _Likelihood.of(kinds[:, 0], kinds[:, 1], len(lower))
    mass, gap = _climbed(likelihood, np.asarray(weights @ merge))
    return Turnbull(lower, upper, mass, gap)


def _innermost(spans: Intervals) -> tuple[Array, Array, Array, Array]:
    """Return the innermost intervals' ends, and for each observation which of them it holds.

    Returns
    -------
    tuple
        Lower and upper ends (m,); first and one past the last interval of each
        observation (n,).
    """
    values, rank = np.unique(np.concatenate([spans.lower, spans.upper]), return_inverse=True)
    below, above = rank.reshape(2, -1)
    # The line in pieces: 2v is the v-th value itself, 2v + 1 the gap above it.
    first = np.where(spans.lower == spans.upper, 2 * below, 2 * below + 1)
    last = 2 * above
    begins, ends = np.unique(first), np.unique(last)
    nearest = begins[np.searchsorted(begins, ends, side="right") - 1]
    inner = nearest > np.concatenate([[-1], ends[:-1]])
    begins, ends = nearest[inner], ends[inner]
    return (
        values[begins // 2],
        values[ends // 2],
        np.searchsorted(begins, first, side="left"),
        np.searchsorted(ends, last, side="right"),
    )


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """Kinds of observations, each of which holds the intervals [first, last).

    Attributes
    ----------
    first, last
        (kinds,).
    change
        (m + 1, kinds) 1 where a kind's range begins, -1 past its last.
    """

    first: Array
    last: Array
    change: csc_array

    @classmethod
    def of(cls, first: Array, last: Array, intervals: int) -> "_Likelihood":
        rows = np.arange(len(first))
        signs = np.concatenate([np.ones(len(rows)), -np.ones(len(rows))])
        places = (np.concatenate([rows, rows]), np.concatenate([first, last]))
        return cls(first, last, csr_array((signs, places), (len(rows), intervals + 1)).T)

    @property
    def intervals(self) -> int:
        return self.change.shape[0] - 1

    def held(self, mass: Array) -> Array:
        """Return each kind's probability, (r, kinds)."""
        total = np.zeros((len(mass), self.intervals + 1))
        np.cumsum(mass, axis=1, out=total[:, 1:])
        held = total.take(self.last, axis=1)
        held -= total.take(self.first, axis=1)
        return np.maximum(held, _TINY, out=held)

    def bends(self, held: Array, weights: Array) -> tuple[Array, Array]:
        """Return the log-likelihood's slope and curvature, both (r, m - 1).

        They are by the distribution function between two intervals; the curvature is positive.
        """
        ratio = weights / held
        slope = -(self.change @ ratio.T).T[:, 1:-1]
        curve = (abs(self.change) @ (ratio / held).T).T[:, 1:-1]
        # The curvature is 0 where no kind that counts begins or ends; Newton's step divides by it.
        return slope, np.maximum(curve, _LEAST_CURVE * curve.max(axis=1, keepdims=True))

    def slopes(self, held: Array, weights: Array, total: Array) -> Array:
        """Return each mass's slope over the total weight, (r, m): 1 for those of a maximum."""
        change = (self.change @ (weights / held).T).T
        return np.cumsum(change, axis=1)[:, :-1] / total[:, None]


def _climbed(likelihood: _Likelihood, weights: Array) -> tuple[Array, Array]:
    """Return the masses of largest likelihood (r, m), and what more there may be (r,)."""
    known = weights.sum(axis=1) > 0
    mass = np.full((len(weights), likelihood.intervals), 1 / likelihood.intervals)
    mass[~known] = np.nan
    gap = np.full(len(weights), np.nan)
    rows = np.flatnonzero(known)
    row_weights, now = weights[rows], mass[rows]
    total = row_weights.sum(axis=1)
    for _ in range(MOST_STEPS):
        slopes = likelihood.slopes(likelihood.held(now), row_weights, total)
        gap[rows] = total * np.maximum(slopes.max(axis=1) - 1, 0)
        going = gap[rows] > GAP_TOLERANCE
        if not going.all():
            mass[rows] = now
            rows, row_weights, now, total = (
                part[going] for part in (rows, row_weights, now, total)
            )
        if not len(rows):
            break
        now = _stepped(likelihood, row_weights, now * slopes[going])
    mass[rows] = now
    return mass, gap


def _stepped(likelihood: _Likelihood, weights: Array, mass: Array) -> Array:
    """Return masses (r, m) after a step of the iterative convex minorant.

    It is Newton's step for the distribution function, with the curvature's diagonal alone: an
    isotonic regression keeps the function rising. The step is halved until the likelihood rises by
    its due share (Armijo's rule), and no kind loses nearly all its probability: it could hardly
    get it back. A row for which no step is short enough stays.
    """
    held = likelihood.held(mass)
    reached, slope, curve = np.cumsum(mass, axis=1)[:, :-1], *likelihood.bends(held, weights)
    wanted = np.clip(_rising(reached + slope / curve, curve), 0, 1)
    step = np.maximum(np.diff(wanted, axis=1, prepend=0.0, append=1.0), 0) - mass
    before, due = _log_likelihood(held, weights), (slope * (wanted - reached)).sum(axis=1)
    found, rows, share = mass.copy(), np.arange(len(mass)), 1.0
    for _ in range(MOST_HALVINGS):
        there = mass[rows] + share * step[rows]
        holds, counts = likelihood.held(there), weights[rows]
        enough = _log_likelihood(holds, counts) >= before[rows] + _DUE * share * due[rows]
        enough &= ((holds >= _KEEPS * held[rows]) | (counts == 0)).all(axis=1)
        found[rows[enough]] = there[enough]
        rows, share = rows[~enough], share / 2
        if not len(rows):
            break
    return found


def _rising(values: Array, weights: Array) -> Array:
    """Return the isotonic regression of each row (r, k), by one of all rows.

    Each row is raised above the one before, so that no two of them are pooled.
    """
    clear = np.maximum(values[:-1].max(axis=1) - values[1:].min(axis=1), 0) + 1
    raised = np.concatenate([[0.0], np.cumsum(clear)])[:, None]
    fitted = isotonic_regression((values + raised).ravel(), weights=weights.ravel())
    return fitted.x.reshape(values.shape) - raised


def _log_likelihood(held: Array, weights: Array) -> Array:
    """Return the log-likelihood, (r,), added up kind after kind: the order decides ties."""
    return np.asfortranarray(weights * np.log(held)).sum(axis=1)

"""Resample tables as the published study does, and shrink the accuracies in each of them.

Blocks of rows are drawn as row weights: people's blocks first, then items'. The accuracies of
several methods are shrunken towards each other: ``correct ~ 1 + (1 | method)``. The published study
estimates accuracy before explanations in this way. The model has one grouping factor with few
levels, so its Laplace approximation needs only the numbers of right answers and of answers for each
method. It is maximised for thousands of resampled tables at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, logit

from analysis.statistics.bootstrap import Units

Array = np.ndarray

BLOCK: Final = 500
"""Replicates that one generator draws, fewer in large tables; part of what a seed means."""
WEIGHTS_AT_ONCE: Final = 2_000_000
MOST_WEIGHTS: Final = 500_000_000
"""Rows × replicates; tables with more rows have fewer replicates."""

SINGULAR_SD: Final = 1e-4
"""Of the methods' log odds; below it lme4 calls a fit singular (its default tolerance)."""
_STEPS: Final = 60
_MODE_STEPS: Final = 12
_REACHED: Final = 1e-9
_FARTHEST: Final = 25.0
_WIDTH: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Plan:
    """How many replicates are drawn, and from which seed."""

    replicates: int
    seed: int

    def rng(self, block: int) -> np.random.Generator:
        """Return the generator of a block."""
        seed = np.random.SeedSequence(self.seed, spawn_key=(block,))
        return np.random.Generator(np.random.PCG64(seed))

    def sizes(self, rows: int) -> list[int]:
        """Return the replicates of each block of a table with so many rows."""
        block = max(1, min(BLOCK, WEIGHTS_AT_ONCE // max(rows, 1)))
        most = max(block, MOST_WEIGHTS // max(rows, 1))
        full, rest = divmod(min(self.replicates, most), block)
        return [block] * full + [rest] * (rest > 0)


def each_block(
    compute: Callable[[np.random.Generator, int], Array], plan: Plan, rows: int
) -> Array:
    """Return what a function of a generator and a number of replicates gives, block after block.

    Parameters
    ----------
    compute
        Returns (replicates, …).
    plan
        The resampling plan.
    rows
        Of the table.
    """
    sizes = enumerate(plan.sizes(rows))
    return np.concatenate([compute(plan.rng(block), size) for block, size in sizes])


class TrimmedBlocks:
    """Resampling by blocks: draw people's rows until there are as many as before, then items'.

    Whole blocks are drawn with replacement, each as likely as any other, until they hold as many
    rows as the table; the last block's surplus rows are cut. The same is then done with the items
    that are in the result. A row's weight is how often it is in the final table.

    Parameters
    ----------
    units
        Participant and item of each row, in the table's order.
    """

    def __init__(self, units: Units) -> None:
        self._units, self._n = units, units.rows
        self._size = np.bincount(units.participant, minlength=units.participants)
        order = np.argsort(units.participant, kind="stable")
        starts = np.cumsum(self._size) - self._size
        self._rank = np.empty(self._n, dtype=int)
        self._rank[order] = np.arange(self._n) - starts[units.participant[order]]
        self._of_items = _Totals(units.item, units.items)
        self._rows_of = _lookup(units)

    def weights(self, rng: np.random.Generator, replicates: int) -> Array:
        """Return (replicates, n) weights; each row of them adds up to n."""
        people = self.draw_people(rng, replicates)
        first = self.of_people(people)
        return self.of_items(people, first, rng)

    def draw_people(self, rng: np.random.Generator, replicates: int) -> Array:
        """Return (replicates, draws) people in the order drawn, enough for all rows."""
        width = int(1.25 * self._n / self._size.mean()) + 4
        drawn = rng.integers(len(self._size), size=(replicates, width))
        while (self._size[drawn].sum(axis=1) < self._n).any():
            more = rng.integers(len(self._size), size=(replicates, width))
            drawn = np.concatenate([drawn, more], axis=1)
        return drawn

    def of_people(self, people: Array) -> Array:
        """Return (replicates, n) how often each row is in the table of drawn people."""
        whole, last, rest = _until(self._size[people], self._n)
        counts = _counts(people, whole, len(self._size))
        first = counts[:, self._units.participant]
        of_last = people[np.arange(len(people)), last]
        cut = self._units.participant[None] == of_last[:, None]
        first += cut & (self._rank[None] < rest[:, None])
        return first

    def of_items(self, people: Array, first: Array, rng: np.random.Generator) -> Array:
        """Return (replicates, n) weights after items were drawn from the table of people."""
        sizes = self._of_items.of(first)
        there = sizes > 0
        number = there.sum(axis=1)
        # Codes of the items that occur, packed to the left.
        packed = np.argsort(~there, axis=1, kind="stable")
        width = int(1.25 * number.max()) + 4
        drawn = np.empty((len(first), 0), dtype=int)
        held = np.zeros(len(first), dtype=int)
        while (held < self._n).any():
            picks = (rng.random((len(first), width)) * number[:, None]).astype(int)
            drawn = np.concatenate([drawn, np.take_along_axis(packed, picks, axis=1)], axis=1)
            held = np.take_along_axis(sizes, drawn, axis=1).sum(axis=1)
        whole, last, rest = _until(np.take_along_axis(sizes, drawn, axis=1), self._n)
        counts = _counts(drawn, whole, self._units.items)
        weights = first * counts[:, self._units.item]
        of_last = drawn[np.arange(len(drawn)), last]
        self._add_part(weights, people, of_last, rest)
        return weights

    def _add_part(self, weights: Array, people: Array, item: Array, rest: Array) -> None:
        """Add the first rows of an item's block, in the order in which people were drawn."""
        before = np.cumsum(self._size[people], axis=1) - self._size[people]
        rows = self._rows_of[people, item[:, None]]  # (replicates, draws, most)
        inside = rows >= 0
        inside &= before[..., None] + self._rank[rows] < self._n
        flat, there = rows.reshape(len(rows), -1), inside.reshape(len(rows), -1)
        taken = there & (np.cumsum(there, axis=1) <= rest[:, None])
        replicate, place = np.nonzero(taken)
        np.add.at(weights, (replicate, flat[replicate, place]), 1)


class _Totals:
    """Sums of rows by a code of which every level occurs."""

    def __init__(self, code: Array, levels: int) -> None:
        self._order = np.argsort(code, kind="stable")
        self._starts = np.searchsorted(code[self._order], np.arange(levels))

    def of(self, weights: Array) -> Array:
        """Return (replicates, levels) sums of weights (replicates, n)."""
        return np.add.reduceat(weights[:, self._order], self._starts, axis=1)


def same_number(units: Units, rng: np.random.Generator, replicates: int) -> Array:
    """Return (replicates, n) weights of as many people's blocks as there are, then as many items'.

    Nothing is cut. Items are drawn from those that the drawn people answered.
    """
    people = rng.integers(units.participants, size=(replicates, units.participants))
    first = _counts(people, np.full(replicates, units.participants), units.participants)
    first = first[:, units.participant]
    there = _Totals(units.item, units.items).of(first) > 0
    number = there.sum(axis=1)
    packed = np.argsort(~there, axis=1, kind="stable")
    picks = (rng.random((replicates, units.items)) * number[:, None]).astype(int)
    drawn = np.take_along_axis(packed, picks, axis=1)
    return first * _counts(drawn, number, units.items)[:, units.item]


def _until(sizes: Array, rows: int) -> tuple[Array, Array, Array]:
    """Return how many draws are whole, the place of the next one, and how many rows it gives."""
    held = np.cumsum(sizes, axis=1)
    whole = (held <= rows).sum(axis=1)
    last = np.minimum(whole, sizes.shape[1] - 1)
    every = np.arange(len(sizes))
    before = np.where(whole > 0, held[every, np.maximum(whole - 1, 0)], 0)
    return whole, last, rows - before


def _counts(drawn: Array, whole: Array, levels: int) -> Array:
    """Return (replicates, levels) how often each level is among the first so many draws."""
    valid = np.arange(drawn.shape[1]) < whole[:, None]
    codes = drawn + np.arange(len(drawn))[:, None] * levels
    counts = np.bincount(codes[valid], minlength=len(drawn) * levels)
    return counts.reshape(len(drawn), levels)


def _lookup(units: Units) -> Array:
    """Return (people, items, most) rows of each person and item; −1 where there are fewer."""
    pair = units.participant * units.items + units.item
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    table = np.full((units.participants * units.items, int(place.max(initial=0)) + 1), -1)
    table[ordered, place] = order
    return table.reshape(units.participants, units.items, -1)


@dataclass(frozen=True, slots=True)
class Shrunken:
    """Estimates of many tables.

    Attributes
    ----------
    share
        (tables, methods) probability of each method at its conditional mode, 0…1; NaN for a
        method without answers and where no maximum was found.
    sd
        (tables,) standard deviation of the methods' log odds; 0 where the fit is singular.
    mean
        (tables,) their mean.
    """

    share: Array
    sd: Array
    mean: Array

    @property
    def singular(self) -> Array:
        """(tables,) bool."""
        return self.sd < SINGULAR_SD


def shrunken_shares(right: Array, answers: Array) -> Shrunken:
    """Fit the model to many tables by maximum likelihood (Laplace approximation).

    Parameters
    ----------
    right, answers
        (tables, methods) right answers and answers of each method, whole numbers.

    Notes
    -----
    With b the deviation of a method's log odds from their mean m, v its variance, k of n answers
    right and p the probability at m + b, the likelihood is the product over methods of
    exp(k (m + b) − n log(1 + e^(m + b)) − b² / 2v) / √(1 + v n p (1 − p)) at the b that makes
    its numerator largest (Bates et al. 2015, J. Stat. Softw. 67; as lme4 and `fit` have it).
    """
    right, answers = np.asarray(right, dtype=float), np.asarray(answers, dtype=float)
    if not answers.shape[1]:
        none = np.full(len(answers), np.nan)
        return Shrunken(np.empty_like(answers), none, none)
    model = _Tables(right, answers)
    mean, variance = model.maximum()
    deviation = model.modes(mean, variance, np.zeros_like(right))
    share = np.where(answers > 0, expit(mean[:, None] + deviation), np.nan)
    return Shrunken(share, np.sqrt(variance), mean)


class _Tables:
    """The likelihood of many tables, by the mean and the logarithm of the variance."""

    def __init__(self, right: Array, answers: Array) -> None:
        self._k, self._n = right, answers

    def maximum(self) -> tuple[Array, Array]:
        """Return (tables,) mean and variance where the likelihood is largest."""
        pooled = self._k.sum(axis=1) / np.maximum(self._n.sum(axis=1), 1)
        mean = logit(np.clip(pooled, 1e-4, 1 - 1e-4))
        log_v = np.log(self._moment())
        singular = np.zeros(len(mean), dtype=bool)
        active = np.ones(len(mean), dtype=bool)
        deviation = np.zeros_like(self._k)
        for _ in range(_STEPS):
            rows = np.flatnonzero(active)
            if not len(rows):
                break
            moving = _Tables(self._k[rows], self._n[rows])
            step, slope, deviation[rows] = moving.step(mean[rows], log_v[rows], deviation[rows])
            mean[rows] += step[0]
            log_v[rows] += step[1]
            low = np.exp(log_v[rows]) < 1e-3
            flat = low & (moving.at_zero() <= 0)
            singular[rows[flat | (log_v[rows] < 2 * np.log(SINGULAR_SD))]] = True
            done = (np.abs(step) < 1e-7).all(axis=0) & (np.abs(slope) < 1e-5).all(axis=0)
            active[rows] = ~(done | singular[rows])
        mean[active] = np.nan
        log_v[active] = np.nan
        alike = singular & ~active
        mean[alike] = logit(np.clip(pooled[alike], 1e-12, 1 - 1e-12))
        return mean, np.where(alike, 0.0, np.exp(log_v))

    def step(self, mean: Array, log_v: Array, before: Array) -> tuple[Array, Array, Array]:
        """Return Newton's step (2, tables), the slopes there, and the modes.

        If the likelihood isn't concave, the step goes uphill instead.
        """
        slope, modes = self.slopes(mean, log_v, before)
        by_mean, _ = self.slopes(mean + _WIDTH, log_v, modes)
        by_v, _ = self.slopes(mean, log_v + _WIDTH, modes)
        a, d = (by_mean[0] - slope[0]) / _WIDTH, (by_v[1] - slope[1]) / _WIDTH
        b = (by_mean[1] - slope[1] + by_v[0] - slope[0]) / (2 * _WIDTH)
        det = a * d - b * b
        concave = (a < 0) & (det > 0)
        safe = np.where(concave, det, 1.0)
        newton = np.stack([-(d * slope[0] - b * slope[1]), -(a * slope[1] - b * slope[0])]) / safe
        steep = np.stack([-slope[0] / np.where(a < 0, a, -1.0), np.sign(slope[1])])
        return np.clip(np.where(concave, newton, steep), -1.0, 1.0), slope, modes

    def slopes(self, mean: Array, log_v: Array, before: Array) -> tuple[Array, Array]:
        """Return (2, tables) slopes by mean and log variance, and the modes (tables, methods)."""
        v = np.exp(log_v)[:, None]
        b = self.modes(mean, v[:, 0], before)
        p = expit(mean[:, None] + b)
        weight = self._n * p * (1 - p)
        inner = 1 + v * weight
        residual = self._k - self._n * p
        turn = weight * (1 - 2 * p)  # of the weight by the log odds
        # A mode moves by 1 / inner with the mean, by residual / inner with v.
        by_mean = residual - v * turn / (2 * inner**2)
        by_v = residual**2 / 2 - weight / (2 * inner) - v * turn * residual / (2 * inner**2)
        return np.stack([by_mean.sum(axis=1), (by_v * v).sum(axis=1)]), b

    def at_zero(self) -> Array:
        """Return (tables,) the slope by the variance where it is zero, at the pooled mean."""
        pooled = self._k.sum(axis=1) / np.maximum(self._n.sum(axis=1), 1)
        p = pooled[:, None]
        residual = self._k - self._n * p
        return (residual**2 - self._n * p * (1 - p)).sum(axis=1)

    def modes(self, mean: Array, variance: Array, before: Array) -> Array:
        """Return (tables, methods) the methods' deviations at their modes, by Newton's steps."""
        v, b = variance[:, None], before.copy()
        for _ in range(_MODE_STEPS):
            p = expit(mean[:, None] + b)
            move = (v * (self._k - self._n * p) - b) / (1 + v * self._n * p * (1 - p))
            b += np.clip(move, -2.0, 2.0)
            if np.nanmax(np.abs(move), initial=0.0) < _REACHED:
                break
        return np.clip(b, -_FARTHEST, _FARTHEST)

    def _moment(self) -> Array:
        """Return (tables,) a variance to begin with, from how far the methods' shares lie apart."""
        known = self._n > 0
        share = (self._k + 0.5) / (self._n + 1)
        odds = np.where(known, logit(share), np.nan)
        noise = np.where(known, 1 / np.maximum(self._n * share * (1 - share), 0.25), np.nan)
        with np.errstate(invalid="ignore"):
            between = np.nanvar(odds, axis=1) - np.nanmean(noise, axis=1)
        return np.clip(between, 0.02, 4.0)

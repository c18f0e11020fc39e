"""Permutation tests that respect pairing: labels change places only where they may."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

Array = np.ndarray
Statistic = Callable[[Array], Array]
Alternative = Literal["two-sided", "greater", "less"]

BLOCK = 256
"""Arrangements that one generator draws; part of what a seed means."""
MOST_EXACT = 65_536
"""Up to so many arrangements all are tried, beyond it as many as asked for are drawn."""
_LABELS_AT_ONCE = 4_000_000
_TIE = 1e-10  # relative; sums of the same numbers in another order differ by rounding


@dataclass(frozen=True, slots=True)
class Draws:
    """How many arrangements are drawn where there are too many to try all.

    Attributes
    ----------
    count
        Number of arrangements beside the observed one.
    seed
        Root of every block's generator (PCG64, spawned by the block's number).
    threads
        Blocks computed at once; the result doesn't depend on it.
    """

    count: int
    seed: int
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Permuted:
    """A permutation test.

    Attributes
    ----------
    statistic
        Of the data.
    p
        Exact: the share of all arrangements at least as far out as the observed one. Drawn:
        (b + 1) / (m + 1) with b of m draws as far out (Phipson & Smyth 2010, Stat. Appl.
        Genet. Mol. Biol. 9(1)), never 0.
    arrangements
        Tried (exact) or drawn.
    exact
        Whether all arrangements were tried.
    """

    statistic: float
    p: float
    arrangements: int
    exact: bool


def sign_flip_test(
    differences: Array, draws: Draws, alternative: Alternative = "two-sided"
) -> Permuted:
    """Test whether paired differences lie around 0, by turning their signs.

    Under the null each difference is as likely to be its own negative (Fisher 1935,
    section 21). The statistic is the mean difference.

    Parameters
    ----------
    differences
        (P,) one a participant, e.g. acceptance with less without; NaN ones are left out.
    draws
        Used with more than 16 differences.
    alternative
        ``greater``: the mean is above 0.
    """
    values = np.asarray(differences, dtype=float)
    values = values[np.isfinite(values)]
    size = len(values)
    if size == 0:
        return Permuted(float("nan"), float("nan"), 0, True)

    def mean(signs: Array) -> Array:
        return signs @ values / size

    if 2**size <= MOST_EXACT:
        every = np.array(list(itertools.product((1.0, -1.0), repeat=size)))
        return _judged(mean(np.ones((1, size)))[0], mean(every), alternative, exact=True)

    def drawn(rng: np.random.Generator, count: int) -> Array:
        return mean(1.0 - 2.0 * rng.integers(2, size=(count, size)))

    return _judged(mean(np.ones((1, size)))[0], _each_block(drawn, draws), alternative, exact=False)


def permutation_test(
    labels: Array,
    within: Sequence[Array],
    statistic: Statistic,
    draws: Draws,
    alternative: Alternative = "two-sided",
) -> Permuted:
    """Test a statistic of labelled rows by exchanging labels within strata.

    Parameters
    ----------
    labels
        (n,) the condition of each row, whole numbers.
    within
        Codes (n,) of what labels must stay in: ``[participant]`` where a person gave
        answers under every condition, ``[participant, item]`` where they did so on each
        item, ``[]`` where any two rows may be exchanged (then a row must be a whole
        participant).
    statistic
        From labels (r, n) to (r,); two-sided p counts its absolute value, so it should be
        0 where conditions don't differ. `mean_difference` makes the usual one.
    draws
        Used with more than `MOST_EXACT` arrangements.
    alternative
        ``greater``: the statistic is larger than exchanged labels make it.
    """
    labels = np.asarray(labels)
    if len(labels) == 0:
        return Permuted(float("nan"), float("nan"), 0, True)
    strata = _strata(within, len(labels))
    observed = float(statistic(labels[None])[0])
    count = math.prod(_arrangements(labels[rows]) for rows in strata)
    if count <= MOST_EXACT:
        step = max(1, _LABELS_AT_ONCE // len(labels))
        parts = [statistic(part) for part in _batched(_every(labels, strata), step)]
        return _judged(observed, np.concatenate(parts), alternative, exact=True)
    alike = [
        np.array([s for s in strata if len(s) == size]) for size in sorted({*map(len, strata)})
    ]

    def drawn(rng: np.random.Generator, size: int) -> Array:
        step = max(1, _LABELS_AT_ONCE // len(labels))
        parts = []
        for start in range(0, size, step):
            shuffled = np.repeat(labels[None], min(step, size - start), axis=0)
            for rows in alike:
                shuffled[:, rows] = rng.permuted(shuffled[:, rows], axis=2)
            parts.append(statistic(shuffled))
        return np.concatenate(parts)

    return _judged(observed, _each_block(drawn, draws), alternative, exact=False)


def mean_difference(values: Array, participant: Array) -> Statistic:
    """Return the statistic "mean over participants of (mean under label 1 less under 0)".

    Labels must be 0 and 1. Participants without both labels are left out, since exchange
    within them can't change that.

    Parameters
    ----------
    values, participant
        (n,) answers, and codes from 0.
    """
    order = np.argsort(participant, kind="stable")
    sizes = np.bincount(participant)
    first = (np.cumsum(sizes) - sizes)[sizes > 0]
    sizes, values = sizes[sizes > 0], np.asarray(values, dtype=float)[order]
    sums = np.add.reduceat(values, first)

    def statistic(labels: Array) -> Array:
        ones = labels[:, order].astype(float)
        count = np.add.reduceat(ones, first, axis=1)
        total = np.add.reduceat(ones * values, first, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            difference = total / count - (sums - total) / (sizes - count)
        return np.nanmean(np.where(np.isfinite(difference), difference, np.nan), axis=1)

    return statistic


def _judged(observed: float, values: Array, alternative: Alternative, exact: bool) -> Permuted:
    if not np.isfinite(observed):
        return Permuted(float("nan"), float("nan"), len(values), exact)
    side = {"two-sided": np.abs, "greater": np.asarray, "less": np.negative}[alternative]
    reached = float(side(observed))
    slack = _TIE * max(float(np.abs(values).max(initial=0.0)), abs(observed))
    beyond = int((side(values) >= reached - slack).sum())
    p = beyond / len(values) if exact else (beyond + 1) / (len(values) + 1)
    return Permuted(float(observed), p, len(values), exact)


def _each_block(draw: Callable[[np.random.Generator, int], Array], draws: Draws) -> Array:
    def one(block: int) -> Array:
        seed = np.random.SeedSequence(draws.seed, spawn_key=(block,))
        size = min(BLOCK, draws.count - block * BLOCK)
        return draw(np.random.Generator(np.random.PCG64(seed)), size)

    blocks = range(-(-draws.count // BLOCK))
    with ThreadPoolExecutor(draws.threads) as pool:
        return np.concatenate([np.empty(0), *pool.map(one, blocks)])


def _strata(within: Sequence[Array], rows: int) -> list[Array]:
    """Return the rows of each stratum."""
    if not within:
        return [np.arange(rows)]
    keys = np.column_stack([np.unique(codes, return_inverse=True)[1] for codes in within])
    _, code = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(code.ravel(), kind="stable")
    return np.split(order, np.cumsum(np.bincount(code.ravel()))[:-1])


def _arrangements(labels: Array) -> int:
    """Return in how many distinct ways a stratum's labels can stand."""
    counts = np.unique(labels, return_counts=True)[1].tolist()
    return math.factorial(sum(counts)) // math.prod(math.factorial(count) for count in counts)


def _every(labels: Array, strata: Sequence[Array]) -> Iterator[Array]:
    """Yield every distinct arrangement of the labels within strata."""
    choices = [list(_distinct(labels[rows].tolist())) for rows in strata]
    for chosen in itertools.product(*choices):
        arranged = labels.copy()
        for rows, values in zip(strata, chosen, strict=True):
            arranged[rows] = values
        yield arranged


def _distinct(values: list) -> Iterator[list]:
    if not values:
        yield []
        return
    for first in sorted(set(values)):
        rest = list(values)
        rest.remove(first)
        for tail in _distinct(rest):
            yield [first, *tail]


def _batched(arrays: Iterator[Array], size: int) -> Iterator[Array]:
    while batch := list(itertools.islice(arrays, size)):
        yield np.array(batch)

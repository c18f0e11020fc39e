"""The mean of what was uncovered up to recognition, restricted to a limit image by image.

Unrecognised rounds have no such value, and how much an image uncovers at most depends on the
method. So for each image the mean is taken up to one limit, the smallest final count that any
compared method has there (Royston & Parmar 2013, BMC Med. Res. Methodol. 13, on restricted
means; stratified by image, which also makes censoring by an image's own final count
harmless).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from analysis.statistics.bootstrap import Bootstrap, Kinds, Resampling, Units
from analysis.statistics.bootstrap.draws import Counts
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.survival.steps import (
    Rounds,
    hazards,
    life_table,
    number_of_ends,
    unrecognised,
)

Array = np.ndarray
End = Literal["lower", "middle", "upper"]

_NUMBERS_AT_ONCE = 8_000_000


def smallest_final_count(amounts: Array) -> Array:
    """Return each item's smallest final amount of the methods that showed it, (items,).

    NaN where no method did.

    Parameters
    ----------
    amounts
        (items, methods, steps), as in `Strata`.
    """
    last = amounts[:, :, -1]
    smallest = np.where(np.isnan(last), np.inf, last).min(axis=1)
    return np.where(np.isfinite(smallest), smallest, np.nan)


LIMITS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "smallest_final_count": smallest_final_count
}
"""Up to where a mean is taken, by the name that a protocol has for it."""


@dataclass(frozen=True, slots=True)
class Strata:
    """Rounds by image and method.

    Attributes
    ----------
    rounds
        The rounds, (n,).
    item, method
        (n,) codes from 0.
    amounts
        (items, methods, steps) what is uncovered at each step, ascending; NaN where an
        image wasn't shown by a method.
    limit
        Up to where the mean is taken: a name in `LIMITS`.
    """

    rounds: Rounds
    item: Array
    method: Array
    amounts: Array
    limit: str = "smallest_final_count"

    def __post_init__(self) -> None:
        if self.amounts.shape[2] != self.rounds.steps:
            raise ValueError("an amount is needed for every step")

    @property
    def limits(self) -> Array:
        """(items,) where each item's mean stops; NaN where it was shown by no method."""
        return LIMITS[self.limit](self.amounts)


def interval_lengths(amounts: Array, limits: Array, end: End = "middle") -> Array:
    """Return what a round adds to the mean by being unrecognised as each step begins.

    Recognition at step k needed an amount in (x_{k-1}, x_k]. With T set at the interval's
    upper end, its lower end or its middle, min(T, limit) is a sum over the steps begun.

    Parameters
    ----------
    amounts
        (..., steps) ascending, from the first step's.
    limits
        (...,) where the mean stops.
    end
        Where within its interval recognition is set.

    Returns
    -------
    ndarray
        (..., steps + 1): for step k, and after the last.
    """
    limits = np.broadcast_to(limits, amounts.shape[:-1])
    upto = np.minimum(amounts, limits[..., None])
    lower = np.concatenate([np.zeros((*upto.shape[:-1], 1)), upto], axis=-1)
    upper = np.concatenate([upto, limits[..., None]], axis=-1)
    value = {"lower": lower, "upper": upper, "middle": (lower + upper) / 2}[end]
    # Unrecognised after the last step: at least the limit, whatever the last amount was.
    value[..., -1] = limits
    return np.diff(np.concatenate([np.zeros((*upto.shape[:-1], 1)), value], axis=-1), axis=-1)


def restricted_means(
    strata: Strata, units: Units, plan: Resampling, end: End = "middle", weight: Array | None = None
) -> Bootstrap:
    """Return each method's restricted mean, and its difference to each other method.

    Each image counts once. A method's mean is over the images that were shown by it; a
    difference is over the images shown by both.

    Parameters
    ----------
    strata
        The rounds; images without a limit are left out.
    units
        Participant and item of each round.
    plan
        People and images are drawn independently.
    end
        See `interval_lengths`.
    weight
        (items,) what a unit of each image's amounts is worth, such as 1 over the image's
        size; None for 1.

    Returns
    -------
    Bootstrap
        Values: the methods' means; then for every pair (a, b), a before b, b's less a's.
    """
    lengths = interval_lengths(strata.amounts, strata.limits[:, None], end)
    if weight is not None:
        lengths = lengths * weight[:, None, None]
    cells = _Cells.of(strata, units)
    items = len(strata.limits)

    def value(counts: Counts) -> Array:
        step = max(1, _NUMBERS_AT_ONCE // max(cells.columns, 1))
        starts = range(0, len(counts), step)
        return np.concatenate([_means(cells, lengths, counts.part(s, s + step)) for s in starts])

    ones = Counts(np.ones((1, units.participants)), np.ones((1, items)))
    return Bootstrap(value(ones)[0], each_block(value, units, plan))


def pairs(methods: int) -> list[tuple[int, int]]:
    """Return the pairs of methods in the order of `restricted_means`."""
    return [(a, b) for a in range(methods) for b in range(a + 1, methods)]


@dataclass(frozen=True, slots=True)
class _Cells:
    """Rounds by item, and by method and end."""

    rounds: Kinds
    shape: tuple[int, int, int]

    @property
    def columns(self) -> int:
        return int(np.prod(self.shape))

    @classmethod
    def of(cls, strata: Strata, units: Units) -> "_Cells":
        rounds, (items, methods, steps) = strata.rounds, strata.amounts.shape
        ends = number_of_ends(steps)
        own = Units(units.participant, strata.item)
        kinds = Kinds.of(strata.method * ends + rounds.ends, methods * ends, own)
        return cls(kinds, (items, methods, ends))

    def survival(self, weights: Array) -> tuple[Array, Array]:
        """Return who is unrecognised as each step begins and after the last, and how many rounds.

        (r, items, methods, steps + 1) and (r, items, methods).
        """
        ended = np.zeros((len(weights), self.columns))
        ended[:, self.rounds.item * self.rounds.kinds + self.rounds.kind] = self.rounds.by_people(
            weights
        )
        ended = ended.reshape(len(weights), *self.shape)
        later = unrecognised(hazards(*life_table(ended)))
        whole = np.ones((*ended.shape[:3], 1))
        return np.concatenate([whole, later], axis=-1), ended.sum(axis=-1)


def _means(cells: _Cells, lengths: Array, counts: Counts) -> Array:
    survival, rounds = cells.survival(counts.participant)
    own = np.einsum("rims,ims->rim", survival, np.nan_to_num(lengths))
    known = (rounds > 0) & np.isfinite(lengths[:, :, 0])
    weight = counts.item[:, :, None] * known
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (own * weight).sum(axis=1) / weight.sum(axis=1)
        differences = []
        for a, b in pairs(own.shape[2]):
            both = weight[:, :, a] * known[:, :, b]
            gap = ((own[:, :, b] - own[:, :, a]) * both).sum(axis=1)
            differences.append(gap / both.sum(axis=1))
    return np.column_stack([means, *differences]) if differences else means

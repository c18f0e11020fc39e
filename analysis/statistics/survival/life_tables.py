"""Life tables over steps, and restricted means of what was uncovered up to recognition.

A life table says how many rounds were recognised at each step, and how many never were. A round is
watched for a whole number of steps. It ends with recognition at one of them, or is censored after
the last. All rounds of one image and method have the same steps, so the product-limit estimate over
steps is Turnbull's.

An unrecognised round has no value of what was uncovered, and the most that an image uncovers
depends on the method. So the mean of each image is taken up to one limit: the smallest final count
of the compared methods (Royston & Parmar 2013, BMC Med. Res. Methodol. 13, on restricted means). It
is stratified by image, which also makes censoring by an image's own final count harmless.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.estimate import Estimate
from analysis.statistics.means import (
    Means,
    cells_of,
    estimate_mean,
    measure_means,
    range_of,
)

Array = np.ndarray

End = Literal["lower", "middle", "upper"]
"""Where in its step's interval recognition is set."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds as a life table takes them.

    Attributes
    ----------
    step
        (n,) the step of recognition, from 1; else how many whole steps were seen, from 0.
    recognised
        (n,) boolean.
    steps
        How many steps a round has.
    """

    step: Array
    recognised: Array
    steps: int

    def __post_init__(self) -> None:
        if np.any((self.step < 0) | (self.step > self.steps) | (self.recognised & (self.step < 1))):
            raise ValueError(f"steps must be between 1 and {self.steps}")

    @property
    def ends(self) -> Array:
        """(n,) how each round ended: twice its step, and 1 more if it was recognised."""
        return 2 * self.step + self.recognised


def number_of_ends(steps: int) -> int:
    """Return in how many ways rounds with this many steps may end (see `Rounds.ends`)."""
    return 2 * (steps + 1)


def life_table(ended: Array) -> tuple[Array, Array]:
    """Return how many rounds were recognised at each step, and how many were at risk.

    Parameters
    ----------
    ended
        (..., ends) how many rounds ended in each way.

    Returns
    -------
    tuple
        (..., steps) each.
    """
    last = ended.reshape(*ended.shape[:-1], -1, 2)
    at_risk = np.cumsum(last.sum(axis=-1)[..., ::-1], axis=-1)[..., ::-1]
    return last[..., 1:, 1], at_risk[..., 1:]


def hazards(events: Array, at_risk: Array) -> Array:
    """Return the share recognised at each step of those at risk; 0 where nobody was.

    Parameters
    ----------
    events, at_risk
        (..., steps) weighted numbers.
    """
    return np.divide(events, at_risk, out=np.zeros(np.shape(events)), where=at_risk > 0)


def round_values(ended: Array, lengths: Array) -> Array:
    """Return what a round that ended in some way contributes to a sum over the survival curve.

    The sum is that of ``lengths[k] * S_k``, where S_k is the product-limit estimate of being
    unrecognised after step k (Kaplan & Meier 1958, J. Am. Stat. Assoc. 53), and S_0 is 1. Its value
    is the mean of what is returned over a cell's rounds. If no round was left midway, a round
    contributes its own sum. Otherwise it contributes the estimate plus its influence on it: the
    pseudo-value of Andersen, Klein & Rosthøj (2003, Biometrika 90), by the infinitesimal jackknife.
    So means over participants and items, with their intervals, serve for life tables.

    Parameters
    ----------
    ended
        (cells, ends) how many rounds ended in each way (see `Rounds.ends`).
    lengths
        (cells, steps + 1), or (1, steps + 1) for all cells alike.

    Returns
    -------
    ndarray
        (cells, ends)
    """
    events, at_risk = life_table(ended)
    hazard = hazards(events, at_risk)
    steps = hazard.shape[-1]
    last, recognised = np.divmod(np.arange(number_of_ends(steps)), 2)
    rounds = ended.sum(axis=-1, keepdims=True)
    survival, influence = np.ones((len(ended), 1)), np.zeros(np.shape(ended))
    total = lengths[:, :1] * survival + influence
    for step in range(1, steps + 1):
        step_hazard, there = hazard[:, step - 1 : step], at_risk[:, step - 1 : step]
        surplus = rounds * ((last == step) * recognised - (last >= step) * step_hazard)
        pull = np.divide(surplus, there, out=np.zeros(surplus.shape), where=there > 0)
        influence = (1 - step_hazard) * influence - survival * pull
        survival = survival * (1 - step_hazard)
        total = total + lengths[:, step : step + 1] * (survival + influence)
    return total


def smallest_final_count(amounts: Array) -> Array:
    """Return each item's smallest final amount of the methods that showed it, (items,).

    NaN if no method did.

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
"""Upper limits of a mean, by the name that a protocol has for them."""


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
        The upper limit of the mean: a name in `LIMITS`.
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


@dataclass(frozen=True, slots=True)
class RestrictedMeans:
    """Each method's restricted mean, in which each image that it showed counts once.

    Attributes
    ----------
    means
        The methods' means.
    apart
        The means of two methods over the images that both showed, for pairs that showed others.
    """

    means: Means
    apart: Mapping[tuple[int, int], Means]

    def mean(self, method: int) -> Estimate:
        """Return a method's mean."""
        return _on_scale(self.means, np.eye(cells_of(self.means))[method])

    def difference(self, a: int, b: int) -> Estimate:
        """Return b's mean less a's over the images that both showed."""
        means = self.apart.get((a, b))
        if means is not None:
            contrast = np.array([-1.0, 1.0])
        else:
            means = self.means
            contrast = np.eye(cells_of(means))[b] - np.eye(cells_of(means))[a]
        return _on_scale(means, contrast)


def _on_scale(means: Means, contrast: Array) -> Estimate:
    """Return a sum of mean shares of an image, with limits cut where the shares end."""
    return replace(estimate_mean(means, contrast), ends=range_of(contrast))


def restricted_means(strata: Strata, units: Units, plan: Resampling) -> RestrictedMeans:
    """Return each method's restricted mean, and its difference to each other method.

    Recognition is set at the middle of its step's interval.

    Parameters
    ----------
    strata
        The rounds; images without a limit are left out.
    units, plan
        Participant and item of each round; where intervals come from.
    """
    values, weight = round_amounts(strata)
    methods = strata.amounts.shape[1]

    def means(rows: Array, compared: Sequence[int]) -> Means:
        weights = (strata.method[rows, None] == np.array(compared)) * weight[rows, None]
        return measure_means(values[rows], weights, units.of_rows(rows), plan)

    shown = np.zeros(strata.amounts.shape[:2], dtype=bool)
    shown[strata.item[weight > 0], strata.method[weight > 0]] = True
    apart = {}
    for a, b in pairs(methods):
        both = shown[:, a] & shown[:, b]
        if (both != shown[:, a]).any() or (both != shown[:, b]).any():
            of_pair = both[strata.item] & np.isin(strata.method, (a, b))
            apart[a, b] = means(np.flatnonzero(of_pair), (a, b))
    return RestrictedMeans(means(np.arange(len(values)), range(methods)), apart)


def mean_amounts(strata: Strata, end: End) -> Array:
    """Return (methods,) restricted means with recognition at an end of its step's interval."""
    values, weight = round_amounts(strata, end)
    methods = strata.amounts.shape[1]
    total, known = (
        np.bincount(strata.method, weights=column, minlength=methods)
        for column in (values * weight, weight)
    )
    return np.divide(total, known, out=np.full(methods, np.nan), where=known > 0)


def round_amounts(strata: Strata, end: End = "middle") -> tuple[Array, Array]:
    """Return what each round adds to its method's restricted mean, and its weight in it.

    Parameters
    ----------
    strata
        The rounds.
    end
        See `interval_lengths`.

    Returns
    -------
    tuple
        (n,) values (see `round_values`), and (n,) weights: one over the rounds of the same image
        and method, so that images count alike; 0 where a limit isn't known or nothing was seen.
    """
    items, methods, steps = strata.amounts.shape
    cells, ends = items * methods, number_of_ends(steps)
    cell = strata.item * methods + strata.method
    kind = cell * ends + strata.rounds.ends
    ended = np.bincount(kind, minlength=cells * ends).reshape(cells, ends)
    lengths = interval_lengths(strata.amounts, strata.limits[:, None], end).reshape(cells, -1)
    known = np.isfinite(lengths[:, 0]) & (life_table(ended)[1][:, 0] > 0)
    values = round_values(ended, np.where(known[:, None], lengths, 0.0))
    weight = known / np.maximum(ended.sum(axis=1), 1)
    return values[cell, strata.rounds.ends], weight[cell]


def pairs(methods: int) -> list[tuple[int, int]]:
    """Return all pairs of methods, each once."""
    return [(a, b) for a in range(methods) for b in range(a + 1, methods)]

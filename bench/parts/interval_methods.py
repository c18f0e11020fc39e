"""Intervals of means over participants and items: the report's, and those of other methods."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from scipy.stats import norm

from analysis.statistics.bootstrap import Resampling, cell_means
from analysis.statistics.means import share_ends
from analysis.statistics.proportions import Count, mover
from analysis.statistics.two_way import TwoWayMeans, cell_weights
from bench.parts.interval_worlds import CELLS, Studies

Array = np.ndarray

LEVEL = 0.95
REPLICATES = 300


@dataclass(frozen=True, slots=True)
class Found:
    """Limits of one contrast over all studies: (studies,) each."""

    estimate: Array
    low: Array
    high: Array

    @classmethod
    def joined(cls, parts: Sequence["Found"]) -> "Found":
        """Return several layouts' studies as one."""
        ends = [(part.estimate, part.low, part.high) for part in parts]
        return cls(*(np.concatenate(of) for of in zip(*ends, strict=True)))

    def row(self, truth: float) -> dict[str, float]:
        """Return coverage, and the width by the width that the estimates' spread calls for."""
        spread = float(np.std(self.estimate, ddof=1))
        called_for = 2 * float(norm.ppf((1 + LEVEL) / 2)) * spread
        return {
            "coverage": float(np.mean((self.low <= truth) & (truth <= self.high))),
            "width": float(np.mean(self.high - self.low)) / called_for,
        }


def ours(studies: Studies, means: TwoWayMeans, contrast: Array) -> Found:
    """Return the report's interval, widened where a rate is 0 or 1."""
    estimate, low, high = means.rates(contrast)
    n = np.bincount(studies.cell, minlength=len(CELLS))
    hits = np.stack([studies.answers[studies.cell == k].sum(axis=0) for k in range(len(CELLS))])
    for study in range(len(estimate)):
        counts = [Count(int(k), int(of)) for k, of in zip(hits[:, study], n, strict=True)]
        low[study], high[study] = share_ends(counts, contrast, (low[study], high[study]))
    return Found(estimate, low, high)


def independent(studies: Studies, contrast: Array) -> Found:
    """Return the usual interval where all answers are independent: Wilson's, or Newcombe's."""
    n = np.bincount(studies.cell, minlength=len(CELLS))
    hits = np.stack([studies.answers[studies.cell == k].sum(axis=0) for k in range(len(CELLS))])
    parts = [
        mover([Count(int(k), int(of)) for k, of in zip(own, n, strict=True)], contrast.tolist())
        for own in hits.T
    ]
    return Found(*(np.array(of) for of in zip(*map(astuple, parts), strict=True)))


def percentile(studies: Studies, contrast: Array, level: float = LEVEL) -> Found:
    """Return the percentile interval of the two-way bootstrap."""
    draws = cell_means(
        studies.answers, studies.cell, len(CELLS), studies.units, Resampling(REPLICATES, 1)
    )
    used = contrast != 0
    drawn = np.einsum("bkm,k->bm", draws[:, used], contrast[used])
    shares = np.stack([studies.answers[studies.cell == k].mean(axis=0) for k in range(len(CELLS))])
    ends = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Found(contrast @ shares, *ends)


def by_sums(studies: Studies, contrast: Array) -> dict[str, Found]:
    """Return z intervals from sums of squares of the answers' raw deviations.

    Multiway clustering (Cameron, Gelbach & Miller 2011): V_p + V_i − V_e. Product reweighting
    (Owen & Eckles 2012, Ann. Appl. Stat. 6, eq. 17, leading terms): V_p + V_i + V_e. The two-way
    components that Menzel's (2021) bootstrap draws from: (V_p − V_e)₊ + (V_i − V_e)₊ + V_e.
    """
    weights = cell_weights(studies.cell, len(CELLS))
    weights = weights / weights.sum(axis=0)
    means = weights.T @ studies.answers
    own = (weights @ contrast)[:, None] * (studies.answers - means[studies.cell])
    people, items = (
        np.square(_added(code, own)).sum(axis=0)
        for code in (studies.units.participant, studies.units.item)
    )
    single = np.square(own).sum(axis=0)
    variances = {
        "multiway clusters": np.maximum(people + items - single, 0),
        "product reweighting": people + items + single,
        "raw components": np.maximum(people - single, 0) + np.maximum(items - single, 0) + single,
    }
    estimate, z = contrast @ means, float(norm.ppf((1 + LEVEL) / 2))
    return {
        name: Found(estimate, estimate - z * np.sqrt(v), estimate + z * np.sqrt(v))
        for name, v in variances.items()
    }


def _added(code: Array, values: Array) -> Array:
    total = np.zeros((int(code.max()) + 1, values.shape[1]))
    np.add.at(total, code, values)
    return total

"""Accuracies of several methods, shrunken towards each other: ``correct ~ 1 + (1 | method)``.

The published study estimates accuracy before explanations so. The model has one grouping factor
with few levels, so its Laplace approximation needs right answers and answers of each method
alone; here it is maximised for thousands of resampled tables at once.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit, logit

Array = np.ndarray

SINGULAR_SD: Final = 1e-4
"""Of the methods' log odds; below it lme4 calls a fit singular (its default tolerance)."""
_STEPS: Final = 60
_MODE_STEPS: Final = 12
_REACHED: Final = 1e-9
_FARTHEST: Final = 25.0
_WIDTH: Final = 1e-4


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
            own = _Tables(self._k[rows], self._n[rows])
            step, slope, deviation[rows] = own.step(mean[rows], log_v[rows], deviation[rows])
            mean[rows] += step[0]
            log_v[rows] += step[1]
            low = np.exp(log_v[rows]) < 1e-3
            flat = low & (own.at_zero() <= 0)
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

        Where the likelihood isn't concave the step goes uphill instead.
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

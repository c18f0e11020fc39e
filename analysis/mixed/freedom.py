"""How well standard errors are known: Satterthwaite's degrees of freedom."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import t as student

Array = np.ndarray

INFERENCES = ("t", "z")
"""Tests and intervals by Student's t with Satterthwaite's degrees of freedom, or by the normal."""
_LEVEL = 0.95
_FLAT = 1e-6  # of the largest curvature: directions of the variances that change nothing


@dataclass(frozen=True, slots=True)
class Freedom:
    """What Satterthwaite's degrees of freedom of a linear combination follow from.

    The variance v = l' C l of a combination l of coefficients is itself an estimate. With
    the noise n that it has by way of the estimated variances, 2 v^2 / n degrees of freedom
    give a chi-squared variable the same first two moments (Satterthwaite 1946, Biometrics
    2(6); Giesbrecht & Burns 1985, Biometrics 41, eq. 3.2).

    Attributes
    ----------
    slopes
        (q, p, p) derivatives of the coefficients' covariance C by the variance parameters.
    spread
        (q, q) covariance of the estimated variance parameters.
    residual
        Variance of the logarithm of the estimated residual variance at given other
        parameters; 0 where there is none.
    """

    slopes: Array
    spread: Array
    residual: float = 0.0

    @classmethod
    def unlimited(cls) -> "Freedom":
        """Return that standard errors count as known: t becomes z."""
        return cls(np.zeros((0, 0, 0)), np.zeros((0, 0)))

    def rescaled(self, fixed: Array) -> "Freedom":
        """Return it for coefficients b = A c, given A (p, p)."""
        if not len(self.slopes):
            return self
        return replace(self, slopes=fixed @ self.slopes @ fixed.T)

    def df(self, weights: Array, variance: float) -> float:
        """Return the degrees of freedom of one linear combination; infinite where v is known.

        Parameters
        ----------
        weights
            (p, ...) of the coefficients; what follows them counts as known.
        variance
            The combination's variance v.
        """
        own = weights[: self.slopes.shape[1]]
        slope = np.einsum("i,kij,j->k", own, self.slopes, own)
        noise = float(slope @ self.spread @ slope) + self.residual * variance**2
        if not noise > 1e-12 * variance**2:
            return float("inf") if variance > 0 else float("nan")
        return 2 * variance**2 / noise

    def joint_df(self, weights: Array, covariance: Array) -> float:
        """Return the denominator's degrees of freedom of an F test of several combinations.

        Fai & Cornelius (1996), J. Stat. Comput. Simul. 54(4): the combinations are turned so
        that they are independent; F has the expectation of the mean of their t².

        Parameters
        ----------
        weights
            (c, p) independent linear combinations of the coefficients.
        covariance
            (p, p) of the coefficients.
        """
        variances, turned = np.linalg.eigh(weights @ covariance @ weights.T)
        rows = turned.T @ weights
        each = [self.df(row, float(v)) for row, v in zip(rows, variances, strict=True)]
        if min(each) <= 2:
            return 2.0
        excess = sum(2 / (df - 2) for df in each)
        return 2 + 2 * len(each) / excess if excess > 0 else float("inf")


def spread_covariance(curvature: Array) -> Array:
    """Return the inverse of a Hessian by variance parameters, without its flat directions.

    Parameters
    ----------
    curvature
        (q, q) of minus the log-likelihood; in a singular model some directions change
        nothing, or point beyond a boundary.
    """
    if not len(curvature):
        return curvature
    values, vectors = np.linalg.eigh(curvature)
    kept = values > _FLAT * max(float(values[-1]), 0.0)
    return (vectors[:, kept] / values[kept]) @ vectors[:, kept].T


def reach(df: float) -> float:
    """Return how many standard errors a 95 % interval reaches to either side."""
    return float(student.ppf((1 + _LEVEL) / 2, df))


def two_sided(ratio: float, df: float) -> float:
    """Return the two-sided p of an estimate over its standard error."""
    return float(2 * student.sf(abs(ratio), df))

"""How well standard errors are known: Satterthwaite's degrees of freedom, and their bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from analysis.distributions import t_above, t_quantile
from analysis.mixed.design import Design, RandomFactor

Array = np.ndarray

INFERENCES = ("t", "z")
"""Tests and intervals by Student's t with Satterthwaite's degrees of freedom, or by the normal."""
_LEVEL = 0.95
VANISHING: Final = 0.01
"""Standard deviation over a column's reach, in units of the link or of the residual, that counts
as zero."""
INTERCEPT: Final = "(Intercept)"
_FLAT = 1e-6  # of the largest curvature: directions of the variances that change nothing


@dataclass(frozen=True, slots=True)
class Freedom:
    """What is needed to compute Satterthwaite's degrees of freedom of a linear combination.

    The variance v = l' C l of a combination l of coefficients is itself an estimate. If n is the
    variance of v that comes from the estimated variances, 2 v^2 / n degrees of freedom give a
    chi-squared variable the same first two moments (Satterthwaite 1946, Biometrics 2(6); Giesbrecht
    & Burns 1985, Biometrics 41, eq. 3.2).

    Attributes
    ----------
    slopes
        (q, p, p) derivatives of the coefficients' covariance C by the variance parameters.
    spread
        (q, q) covariance of the estimated variance parameters.
    residual
        Variance of the logarithm of the estimated residual variance at given other
        parameters; 0 where there is none.
    bounds
        (p,) the most degrees of freedom of each coefficient, as in `containment`; empty for none.
    errors
        (p,) the coefficients' standard errors, with `bounds`: the bound of a combination is that
        of the coefficient which adds most to its variance.
    """

    slopes: Array
    spread: Array
    residual: float = 0.0
    bounds: Array = field(default_factory=lambda: np.zeros(0))
    errors: Array = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def unlimited(cls) -> "Freedom":
        """Return that standard errors count as known: t becomes z."""
        return cls(np.zeros((0, 0, 0)), np.zeros((0, 0)))

    def rescaled(self, fixed: Array) -> "Freedom":
        """Return the degrees of freedom of coefficients b = A c, given A (p, p)."""
        if not len(self.slopes):
            return self
        return replace(self, slopes=fixed @ self.slopes @ fixed.T)

    def df(self, weights: Array, variance: float) -> float:
        """Return the degrees of freedom of one linear combination, no more than its bound.

        Infinite where v is known and nothing bounds them.

        Parameters
        ----------
        weights
            (p, ...) of the coefficients; what follows them counts as known.
        variance
            The combination's variance v.
        """
        return min(self._satterthwaite(weights, variance), self._bound(weights))

    def _bound(self, weights: Array) -> float:
        fixed_weights = weights[: len(self.bounds)]
        if not fixed_weights.any():
            return float("inf")
        return float(self.bounds[np.argmax(np.abs(fixed_weights * self.errors))])

    def _satterthwaite(self, weights: Array, variance: float) -> float:
        fixed_weights = weights[: self.slopes.shape[1]]
        slope = np.einsum("i,kij,j->k", fixed_weights, self.slopes, fixed_weights)
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
        dfs = [self.df(row, float(v)) for row, v in zip(rows, variances, strict=True)]
        if min(dfs) <= 2:
            return 2.0
        excess = sum(2 / (df - 2) for df in dfs)
        return 2 + 2 * len(dfs) / excess if excess > 0 else float("inf")


def containment(
    design: Design,
    factors: Sequence[RandomFactor],
    deviations: Mapping[tuple[str, str], float],
) -> Array:
    """Return the most degrees of freedom of each coefficient, infinite for no bound.

    If a variance is estimated as zero, or its effect was left out, its uncertainty is lost:
    Satterthwaite's formula then counts answers instead of people. The bounds count the levels of
    the grouping factors instead (the containment method of SAS's PROC MIXED). A column that is
    constant within each level of a factor has the levels less the number of such columns. A column
    that varies within levels, and whose slope was asked for, has the levels of the largest such
    factor less one. So does one that is a slope's column times something constant within each
    level, as ``phase:method`` is by people who have one method each: it rests on that slope, and
    has the levels less the number of such columns.

    Parameters
    ----------
    design
        The model as fitted.
    factors
        The grouping factors as they were asked for, before any effect was left out.
    deviations
        Estimated standard deviations over the columns' reach by factor and effect, in units of the
        link or the residual.
    """
    bounds = np.full(len(design.fixed_names), np.inf)
    rests = [_rests_on(design, factor) for factor in factors]
    for place, name in enumerate(design.fixed_names):
        slopes, vanished = [], False
        for factor, terms in zip(factors, rests, strict=True):
            term = terms[place]
            if term not in factor.terms:
                continue
            vanishes = deviations.get((factor.group, term), 0.0) < VANISHING
            most = factor.levels - (1 if term == name != INTERCEPT else terms.count(term))
            if term == INTERCEPT:
                bounds[place] = min(bounds[place], most) if vanishes else bounds[place]
            else:
                slopes.append(most)
                vanished |= vanishes
        if vanished:
            bounds[place] = min(bounds[place], max(slopes))
    return np.maximum(bounds, 1.0)


def _rests_on(design: Design, factor: RandomFactor) -> list[str]:
    """Return the effect of a factor whose variance each fixed column's error has; or its own name.

    That is the intercept for a column which is constant within every level, and a slope for one
    that is, within every level, a multiple of the slope's column.
    """
    columns, names = design.fixed, design.fixed_names
    effects = [
        INTERCEPT if constant else name
        for name, constant in zip(names, _constant_within(columns, factor), strict=True)
    ]
    for slope in (term for term in factor.terms if term in names and term != INTERCEPT):
        column = columns[:, names.index(slope)]
        used = column != 0
        multiple = _constant_within(columns[used] / column[used, None], factor, factor.codes[used])
        multiple &= (columns[~used] == 0).all(axis=0)
        for place in np.flatnonzero(multiple):
            if effects[place] == names[place]:
                effects[place] = slope
    return effects


def _constant_within(columns: Array, factor: RandomFactor, codes: Array | None = None) -> Array:
    """Return (p,) whether each column is the same in all rows of every level, but for rounding.

    ``codes`` are the rows' levels if they aren't all of the factor's rows.
    """
    codes = factor.codes if codes is None else codes
    first = np.zeros(factor.levels, dtype=int)
    first[codes[::-1]] = np.arange(len(columns))[::-1]
    if not len(columns):
        return np.ones(columns.shape[1], dtype=bool)
    rounding = 1e-9 * np.ptp(columns, axis=0) + 1e-15 * np.abs(columns).max(axis=0)
    return (np.abs(columns - columns[first[codes]]) <= rounding).all(axis=0)


def bound_words(names: Sequence[str], bounds: Array, free: Sequence[float]) -> list[str]:
    """Return a sentence for each bound that degrees of freedom met.

    Parameters
    ----------
    names, bounds
        Of the coefficients.
    free
        Their degrees of freedom without bounds.
    """
    met: dict[float, list[str]] = {}
    for name, bound, df in zip(names, bounds.tolist(), free, strict=True):
        if bound < df:
            met.setdefault(bound, []).append(name)
    return [
        f"Degrees of freedom of {', '.join(terms)} are at most {bound:.0f}, by the levels of the "
        "grouping factors: a variance that they rest on was estimated as zero or left out."
        for bound, terms in met.items()
    ]


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
    return float(t_quantile((1 + _LEVEL) / 2, df))


def two_sided(ratio: float, df: float) -> float:
    """Return the two-sided p of an estimate over its standard error."""
    return float(2 * t_above(abs(ratio), df))

"""A weakly informative penalty on standard deviations, for sparse groups."""

from collections.abc import Callable

import numpy as np

from analysis.mixed.parameters import Scaling, Triangles

Array = np.ndarray
Likelihood = Callable[[Array], tuple[float, Array]]

RATES = {"gaussian": 0.0, "binomial": 0.5, "probit": 0.85, "poisson": 0.5,
         "nbinom2": 0.5, "gamma": 0.5, "ordinal": 0.5}
"""How fast the penalty grows with a standard deviation on the link's scale, by family.

The most likely standard deviation is 1 / rate, 2 log odds or log counts. A gaussian model's
are relative to the residual's, and only zero is kept away from."""


def penalised(likelihood: Likelihood, scaling: Scaling, family: str, p: int) -> Likelihood:
    """Return a log-likelihood plus the logarithm of a gamma density for every deviation.

    Shape 2 keeps a deviation from zero and so a correlation from one, and changes little
    that the data say (Chung, Rabe-Hesketh, Dorie, Gelman & Liu 2013, Psychometrika 78(4),
    section 3). The rate keeps it from running away where nearly every group gave one answer
    only. For effects that correlate the first part is that of a Wishart density with k + 2
    degrees of freedom (Chung et al. 2015, J. Educ. Behav. Stat. 40(2)).

    Parameters
    ----------
    likelihood
        Of (p + q,) parameters, with its gradient.
    scaling
        The model's columns.
    family
        One of `RATES`.
    p
        How many coefficients stand before the covariance factors.
    """
    triangles, rate = Triangles.of(scaling.factors), RATES[family]

    def with_penalty(parameters: Array) -> tuple[float, Array]:
        value, gradient = likelihood(parameters)
        spread = slice(p, p + len(triangles))
        more, slopes = penalty(scaling, triangles, rate, parameters[spread])
        gradient = gradient.copy()
        gradient[spread] += slopes
        return value + more, gradient

    return with_penalty


def penalty(
    scaling: Scaling, triangles: Triangles, rate: float, spread: Array
) -> tuple[float, Array]:
    """Return what is added to the log-likelihood, and its gradient by the factors, (q,)."""
    value, slopes = 0.0, []
    for own, triangle in zip(scaling.random, triangles.matrices(spread), strict=True):
        roots = np.diag(triangle)
        if not roots.all():
            return -np.inf, np.zeros(len(spread))
        rows = own @ triangle
        deviations = np.sqrt((rows**2).sum(axis=1))
        value += float(np.log(np.abs(roots)).sum() - rate * deviations.sum())
        slopes.append(np.diag(1 / roots) - rate * own.T @ (rows / deviations[:, None]))
    return value, triangles.gradient(slopes)

"""Find the maximum of the Laplace likelihood: gpboost first, then to a zero gradient."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import gpboost
import numpy as np
from scipy.optimize import minimize

from analysis.mixed.design import Design
from analysis.mixed.laplace import Laplace

Array = np.ndarray
Objective = Callable[[Array], tuple[float, Array]]

# gpboost's tolerance is loose because `climb` goes on until the gradient is zero; from 1e-4 and
# from 1e-8 it reaches the same maximum (to 1e-6), in a third of the time. With gpboost's default
# iterative solver the likelihood is noisy; hence the Cholesky one.
GPBOOST_PARAMS = {"optimizer_cov": "lbfgs", "delta_rel_conv": 1e-4, "maxit": 1000}
START_SD = 0.5
GRADIENT_TOLERANCE = 1e-3
HESSIAN_STEP = 1e-4


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where the likelihood is largest, and how it curves there.

    Attributes
    ----------
    coefficients
        (p,) fixed effects.
    deviations
        (terms,) standard deviations of the random terms, at least 0.
    covariance
        (p + terms, p + terms) inverse of minus the Hessian over both; NaN where the
        likelihood doesn't curve downwards.
    log_likelihood
        Laplace approximation, natural log.
    gpboost_log_likelihood
        What gpboost reports at its own solution; NaN where it found none.
    largest_gradient
        Largest absolute element of the gradient, on the scale of standard errors.
    """

    coefficients: Array
    deviations: Array
    covariance: Array
    log_likelihood: float
    gpboost_log_likelihood: float
    largest_gradient: float

    @property
    def engine(self) -> str:
        """Name and version of what found it."""
        return (
            f"gpboost {version('gpboost')} (Laplace approximation), "
            "last steps and standard errors by its exact gradient"
        )


def maximise(design: Design) -> Optimum:
    """Fit a logistic model with at least one random term.

    gpboost (Sigrist 2022) finds the neighbourhood of the maximum. Its standard errors
    leave out the uncertainty of the variances and its optimiser stops before the
    gradient is zero, so the last steps and the curvature are taken from
    `Laplace`, whose value is compared with gpboost's.
    """
    coefficients, variances, gpboost_value = _gpboost(design)
    return climb(design, coefficients, np.sqrt(np.maximum(variances, 1e-4)), gpboost_value)


def climb(design: Design, coefficients: Array, deviations: Array, gpboost_value: float) -> Optimum:
    """Return the maximum next to a starting point, by BFGS on the exact gradient."""
    laplace = Laplace(design)
    start = np.concatenate([coefficients, deviations])

    def objective(parameters: Array) -> tuple[float, Array]:
        value, gradient = laplace.value_and_gradient(parameters)
        return -value, -gradient

    curvature = _rough_hessian(objective, start)
    found = minimize(
        objective,
        start,
        jac=True,
        method="BFGS",
        options={"gtol": 1e-5, "maxiter": 200, "hess_inv0": _positive_inverse(curvature)},
    )
    parameters = found.x
    curvature = _hessian(objective, parameters)
    gradient = objective(parameters)[1]
    covariance = _covariance(curvature)
    p = design.fixed.shape[1]
    parameters[p:] = np.abs(parameters[p:])
    return Optimum(
        coefficients=parameters[:p],
        deviations=parameters[p:],
        covariance=covariance,
        log_likelihood=-float(found.fun),
        gpboost_log_likelihood=gpboost_value,
        largest_gradient=float(np.abs(gradient * np.sqrt(np.abs(np.diag(covariance)))).max()),
    )


def _gpboost(design: Design) -> tuple[Array, Array, float]:
    groups = list(dict.fromkeys(term.group for term in design.random))
    slopes = [term for term in design.random if term.term != "(Intercept)"]
    with_intercept = {term.group for term in design.random if term.term == "(Intercept)"}
    codes = {term.group: term.codes for term in design.random}
    options: dict[str, object] = {}
    if slopes:
        options["group_rand_coef_data"] = np.column_stack([term.regressor for term in slopes])
        options["ind_effect_group_rand_coef"] = [groups.index(t.group) + 1 for t in slopes]
    if len(with_intercept) < len(groups):
        options["drop_intercept_group_rand_effect"] = [g not in with_intercept for g in groups]
    model = gpboost.GPModel(
        likelihood="bernoulli_logit",
        group_data=np.column_stack([codes[group] for group in groups]),
        matrix_inversion_method="cholesky",
        num_parallel_threads=1,
        **options,
    )
    try:
        model.fit(y=design.response, X=design.fixed, params=dict(GPBOOST_PARAMS))
    except gpboost.basic.GPBoostError:
        return _from_nothing(design)
    variances = model.get_cov_pars(format_pandas=False)
    order = [(g, "(Intercept)") for g in groups if g in with_intercept]
    order += [(term.group, term.term) for term in slopes]
    place = {name: number for number, name in enumerate(order)}
    variances = variances[[place[term.group, term.term] for term in design.random]]
    coefficients = model.get_coef(format_pandas=False)
    if not (np.isfinite(variances).all() and np.isfinite(coefficients).all()):
        return _from_nothing(design)
    return coefficients, variances, -float(model.get_current_neg_log_likelihood())


def _from_nothing(design: Design) -> tuple[Array, Array, float]:
    variances = np.full(len(design.random), START_SD**2)
    return np.zeros(design.fixed.shape[1]), variances, float("nan")


def _hessian(objective: Objective, parameters: Array) -> Array:
    """Return the Hessian by central differences of the exact gradient."""
    size = len(parameters)
    hessian = np.empty((size, size))
    for place in range(size):
        step = np.zeros(size)
        step[place] = HESSIAN_STEP * max(1.0, abs(parameters[place]))
        above, below = objective(parameters + step)[1], objective(parameters - step)[1]
        hessian[place] = (above - below) / (2 * step[place])
    return (hessian + hessian.T) / 2


def _rough_hessian(objective: Objective, parameters: Array) -> Array:
    """Return the Hessian by forward differences: enough to begin BFGS with."""
    here = objective(parameters)[1]
    size = len(parameters)
    rows = [
        (objective(parameters + HESSIAN_STEP * np.eye(size)[place])[1] - here) / HESSIAN_STEP
        for place in range(size)
    ]
    return (np.array(rows) + np.array(rows).T) / 2


def _positive_inverse(hessian: Array) -> Array:
    values, vectors = np.linalg.eigh(hessian)
    floor = max(1e-4 * float(values.max()), 1e-8)
    inverse = (vectors / np.maximum(np.abs(values), floor)) @ vectors.T
    return (inverse + inverse.T) / 2  # BFGS asks for exact symmetry


def _covariance(hessian: Array) -> Array:
    values, vectors = np.linalg.eigh(hessian)
    if values.min() <= 1e-10 * values.max():
        return np.full_like(hessian, np.nan)
    return (vectors / values) @ vectors.T

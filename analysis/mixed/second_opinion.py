"""A second engine on the same model: do two independent programs find the same maximum?"""

import contextlib
import io
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from analysis.mixed.design import Design
from analysis.mixed.estimation import Method
from analysis.mixed.families import SHARES
from analysis.mixed.fit import fit_design
from analysis.mixed.result import MixedResult

Array = np.ndarray

_LIKELIHOODS = {
    "gaussian": "gaussian",
    "binomial": "bernoulli_logit",
    "probit": "bernoulli_probit",
    "poisson": "poisson",
}
SAME_MAXIMUM = 1e-3
"""Difference of log-likelihoods below which two maxima are the same."""
# With gpboost's default, iterative solver the likelihood is noisy; with its default tolerance
# the search stops short of the maximum.
_SOLVER = "cholesky"
_SEARCH = {"optimizer_cov": "lbfgs", "delta_rel_conv": 1e-10, "maxit": 1000}


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What another engine makes of a model.

    Attributes
    ----------
    engine
        Its name and version.
    reason
        Why it can't fit this model; empty where it can, and the numbers below are given.
    log_likelihood
        Its maximum.
    difference
        The log-likelihood found here less its own: above 0 it stopped short.
    largest_shift
        Largest difference of a coefficient, in standard errors.
    """

    engine: str
    reason: str = ""
    log_likelihood: float | None = None
    difference: float | None = None
    largest_shift: float | None = None


def second_opinion(result: MixedResult) -> SecondOpinion:
    """Return what gpboost (Sigrist 2022, JMLR 23) makes of a fitted model.

    It maximises the same likelihood, Laplace-approximated where that is needed, by a
    program of its own. It has no restricted likelihood: a gaussian model is compared by
    maximum likelihood. Its standard errors are not compared: they leave out the
    uncertainty of the variances.

    Parameters
    ----------
    result
        The fit.
    """
    engine = f"gpboost {version('gpboost')}"
    design = result.estimates.design
    if reason := _why_not(design, result.family):
        return SecondOpinion(engine, reason)
    ours = result
    if result.criterion == "REML":
        ours = fit_design(design, result.family, Method(restricted=False))
    try:
        value, coefficients = _maximum(design, result.family)
    except Exception as fault:
        return SecondOpinion(engine, f"it gave up: {str(fault).splitlines()[0]}")
    shifts: list[float] = [
        abs(theirs - row.estimate) / row.se
        for theirs, row in zip(coefficients, ours.fixed, strict=True)
        if row.se > 0
    ]
    return SecondOpinion(
        engine=engine,
        log_likelihood=value,
        difference=float(ours.log_likelihood - value),
        largest_shift=float(max(shifts, default=0.0)),
    )


def _why_not(design: Design, family: str) -> str:
    if not design.random:
        return "there are no random effects"
    if not design.fixed.shape[1]:
        return "there are no coefficients"
    if any(len(block) > 1 for factor in design.random for block in factor.blocks):
        return "its random effects don't correlate"
    if family in SHARES and (design.trials != 1).any():
        return "its responses are 0 or 1"
    if (design.trials != 1).any():
        return "its rows have no weights here"
    return ""


def _maximum(design: Design, family: str) -> tuple[float, Array]:
    import gpboost

    slopes, of_group = _slopes(design)
    without = [not _has_intercept(factor.regressors) for factor in design.random]
    model = gpboost.GPModel(
        likelihood=_LIKELIHOODS[family],
        group_data=np.column_stack([factor.codes for factor in design.random]),
        group_rand_coef_data=slopes,
        ind_effect_group_rand_coef=of_group,
        drop_intercept_group_rand_effect=without if slopes is not None else None,
        matrix_inversion_method=_SOLVER,
        num_parallel_threads=1,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        model.fit(
            y=design.response,
            X=design.fixed,
            offset=design.offset if design.offset.any() else None,
            params=_SEARCH,
        )
    coefficients = np.asarray(model.get_coef(format_pandas=False), dtype=float)
    return -float(model.get_current_neg_log_likelihood()), coefficients


def _slopes(design: Design) -> tuple[Array | None, list[int] | None]:
    """Return the regressors that aren't intercepts (n, k), and the factor of each, from 1."""
    columns, groups = [], []
    for number, factor in enumerate(design.random, start=1):
        for column in factor.regressors.T:
            if not (column == 1).all():
                columns.append(column)
                groups.append(number)
    return (np.column_stack(columns), groups) if columns else (None, None)


def _has_intercept(regressors: Array) -> bool:
    return bool((regressors == 1).all(axis=0).any())

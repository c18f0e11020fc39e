"""Fit a logistic mixed model and say in words how well that went."""

import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.stats import norm
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from analysis.mixed import simplify
from analysis.mixed.design import Design, build_design
from analysis.mixed.laplace import Laplace
from analysis.mixed.optimise import GRADIENT_TOLERANCE, Optimum, climb, maximise
from analysis.mixed.result import (
    LEVEL_Z,
    FixedEffect,
    MixedResult,
    NotEstimableError,
    RandomEffect,
)

Array = np.ndarray

# Beyond these a coefficient on the logit scale has run away: odds of 22,000 to 1.
RUNAWAY_LOGIT = 10.0
FEW_LEVELS = 5
LARGEST_SYSTEM = 60_000_000  # numbers in the coupling of two grouping factors, .5 GB


def fit_logistic(formula: str, frame: pd.DataFrame) -> MixedResult:
    """Fit a Bernoulli-logit model with independent random effects by maximum likelihood.

    Terms that the data can't determine are left out by stated rules, and every one of
    them is named in the result's notes.

    Parameters
    ----------
    formula
        In lme4's notation, e.g. ``y ~ x + (1 + x || participant) + (1 | item)``.
    frame
        One row an observation; the response is 0/1 or boolean.

    Raises
    ------
    NotEstimableError
        If there is no row, or all answers are the same.
    UserError
        If the formula can't be read or a column is missing.
    """
    response = formula.partition("~")[0].strip()
    if frame.empty:
        raise NotEstimableError("there are no rows")
    frame = frame.assign(**{response: frame[response].astype(float)})
    design = build_design(formula, frame)
    if np.ptp(design.response) == 0:
        raise NotEstimableError(f"all {design.rows} answers are the same")
    design, notes = simplify.without_aliased(design)
    design, more = simplify.without_undetermined(design)
    notes += more
    if not design.random:
        return _plain_logistic(design, response, notes)
    if Laplace.entries(design) > LARGEST_SYSTEM:
        raise NotEstimableError(f"its grouping factors are too large together: {design.groups}")
    return _mixed_logistic(design, response, notes)


def _mixed_logistic(design: Design, response: str, notes: list[str]) -> MixedResult:
    optimum = maximise(design)
    smaller, stays, more = simplify.without_singular(design, optimum.deviations)
    if more:
        notes = [*notes, *more]
        design = smaller
        start = (optimum.coefficients, optimum.deviations[stays])
        optimum = climb(design, *start, optimum.gpboost_log_likelihood)
    faults = _faults(design, optimum)
    return MixedResult(
        formula=simplify.spelled(design, response),
        asked=design.formula,
        family="binomial",
        engine=optimum.engine,
        n=design.rows,
        groups=design.groups,
        fixed=_fixed_rows(design.fixed_names, optimum.coefficients, optimum.covariance),
        random=tuple(
            RandomEffect(term.group, term.term, float(deviation))
            for term, deviation in zip(design.random, optimum.deviations, strict=True)
        ),
        log_likelihood=optimum.log_likelihood,
        converged=not faults,
        notes=tuple(notes + faults + _remarks(design, optimum)),
        covariance=optimum.covariance,
    )


def _plain_logistic(design: Design, response: str, notes: list[str]) -> MixedResult:
    with warnings.catch_warnings():
        # Separation is looked for and said below.
        warnings.simplefilter("ignore", PerfectSeparationWarning)
        fitted = sm.GLM(design.response, design.fixed, family=sm.families.Binomial()).fit()
    covariance = np.asarray(fitted.cov_params())
    faults = _separation(design, np.asarray(fitted.params), covariance)
    return MixedResult(
        formula=simplify.spelled(design, response),
        asked=design.formula,
        family="binomial",
        engine=f"statsmodels {version('statsmodels')} (logistic regression)",
        n=design.rows,
        groups={},
        fixed=_fixed_rows(design.fixed_names, np.asarray(fitted.params), covariance),
        random=(),
        log_likelihood=float(fitted.llf),
        converged=bool(fitted.converged) and not faults,
        notes=(*notes, *faults),
        covariance=covariance,
    )


def _fixed_rows(names: tuple[str, ...], estimates: Array, covariance: Array) -> tuple:
    errors = np.sqrt(np.maximum(np.diag(covariance)[: len(names)], 0))
    rows = []
    for name, estimate, se in zip(names, estimates.tolist(), errors.tolist(), strict=True):
        z = estimate / se if se > 0 else float("nan")
        low, high = estimate - LEVEL_Z * se, estimate + LEVEL_Z * se
        rows.append(FixedEffect(name, estimate, se, z, float(2 * norm.sf(abs(z))), low, high))
    return tuple(rows)


def _faults(design: Design, optimum: Optimum) -> list[str]:
    faults = _separation(design, optimum.coefficients, optimum.covariance)
    if faults:
        return faults
    if not np.isfinite(optimum.covariance).all():
        return ["The likelihood is flat in some direction: no standard errors can be given."]
    if optimum.largest_gradient > GRADIENT_TOLERANCE:
        return [
            "The optimiser stopped before the likelihood's gradient vanished "
            f"({optimum.largest_gradient:.2g} standard errors away)."
        ]
    return []


def _separation(design: Design, coefficients: Array, covariance: Array) -> list[str]:
    errors = np.sqrt(np.abs(np.diag(covariance)[: len(coefficients)]))
    runaway = (np.abs(coefficients) > RUNAWAY_LOGIT) | (errors > RUNAWAY_LOGIT)
    if not runaway.any():
        return []
    _, cell = np.unique(design.fixed, axis=0, return_inverse=True)
    cell = cell.ravel()
    shares = np.bincount(cell, weights=design.response) / np.bincount(cell)
    pure = int(((shares == 0) | (shares == 1)).sum())
    terms = ", ".join(np.array(design.fixed_names)[runaway])
    return [
        f"Separation: {pure} of the design's {len(shares)} cells hold one answer only, so that "
        f"{terms} has no finite estimate; take the rates and their intervals instead."
    ]


def _remarks(design: Design, optimum: Optimum) -> list[str]:
    remarks = []
    for term, deviation in zip(design.random, optimum.deviations, strict=True):
        if deviation < simplify.SINGULAR_SD:
            remarks.append(f"The variance of {term.term} by {term.group} is estimated as zero.")
    for group, levels in design.groups.items():
        if levels < FEW_LEVELS:
            remarks.append(
                f"Only {levels} {group}s: variances between them are hardly determined, "
                "and the intervals are too narrow for conclusions about others."
            )
    if np.isnan(optimum.gpboost_log_likelihood):
        remarks.append("gpboost found no solution; the maximum was sought from the start.")
    if optimum.log_likelihood < optimum.gpboost_log_likelihood - 0.01:
        remarks.append(
            f"gpboost reports a log-likelihood of {optimum.gpboost_log_likelihood:.3f}, "
            f"our own computation {optimum.log_likelihood:.3f}."
        )
    return remarks

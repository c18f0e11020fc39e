"""Fit a mixed model and say in words how well that went."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.mixed import diagnostics
from analysis.mixed.design import (
    Design,
    RandomFactor,
    Reading,
    build_design,
    independent_columns,
)
from analysis.mixed.estimation import (
    Method,
    Peak,
    family_of,
    peak_of_generalised,
    peak_of_linear,
    scaling_of,
)
from analysis.mixed.families import COUNTS, SHARES, Family
from analysis.mixed.freedom import bound_words, containment, reach, two_sided
from analysis.mixed.parameters import Scaling, Triangles, lower_root
from analysis.mixed.result import (
    Correlation,
    Estimates,
    FamilyParameter,
    FixedEffect,
    MixedResult,
    NotEstimableError,
    RandomEffect,
)
from analysis.mixed.system import PenalisedSystem
from stimuli.versions import suite_version

Array = np.ndarray

LARGEST_SYSTEM = 60_000_000  # numbers in the dense parts of one system, .5 GB each

_ENGINES = {
    "REML": "(penalised least squares, REML)",
    "ML": "(penalised least squares, maximum likelihood)",
    "Laplace": "(Laplace approximation, standard errors from the full Hessian)",
    "quadrature": "({} nodes of adaptive quadrature, standard errors from the full Hessian)",
}
_PENALTY = "; weakly informative penalty on standard deviations"
_T = "; t tests with Satterthwaite's degrees of freedom"
_TESTS = {
    ("REML", "t"): _T,
    ("ML", "t"): _T,
    ("Laplace", "t"): f"{_T}, after one step of REML",
    ("quadrature", "t"): f"{_T}, after one step of REML",
}
_PLAIN = f"Plainsight {suite_version()} (maximum likelihood, no random effects)"
_USUAL = Method()
_PLAINLY = Reading()
OWN = {"nbinom2": "theta", "gamma": "shape"}
"""What a family's own parameter is called."""


def fit_mixed(
    formula: str,
    frame: pd.DataFrame,
    family: str = "gaussian",
    method: Method = _USUAL,
    reading: Reading = _PLAINLY,
) -> MixedResult:
    """Fit a linear or generalised linear mixed model by (restricted) maximum likelihood.

    Parameters
    ----------
    formula
        In lme4's notation: ``y ~ x + (1 + x | participant) + (1 | item)``.
    frame
        One row for each observation; no columns are needed but the formula's. Text columns
        are factors with treatment coding, the first level in sorted order the base.
    family
        ``gaussian`` (identity), ``binomial`` (logit), ``probit``, ``poisson``, ``nbinom2``,
        ``gamma`` (log) or ``ordinal`` (cumulative logit).
    method
        How it is estimated and tested.
    reading
        Weights, and the order of an ordinal response's levels.

    Returns
    -------
    MixedResult
        Gaussian standard errors are those of generalised least squares at the estimated
        covariances, as lme4 gives them; the other families' come from the Hessian over
        coefficients and covariances together, and for ``t`` from one step of REML on top
        (`restricted_step`).

    Raises
    ------
    UserError
        If the formula can't be read, or the table or the method doesn't suit it.
    NotEstimableError
        If nothing can be estimated from these data.
    """
    design = build_design(formula, frame, family, reading)
    check_effects(design, family)
    return fit_design(design, family, method)


# As in a report: more threads would mostly wait for each other.
@threadpool_limits.wrap(limits=1)
def fit_design(
    design: Design,
    family: str,
    method: Method = _USUAL,
    near: MixedResult | None = None,
    factors: Sequence[RandomFactor] | None = None,
) -> MixedResult:
    """Fit a model from its design matrices; see `fit_mixed`.

    `near` is a fit of the same rows with the same fixed effects and these random effects or more:
    its estimates are where the search begins. `factors` are the grouping factors before effects
    were left out, by which degrees of freedom are bounded; None for those of `design`.
    """
    design = without_aliased(design)
    _check_size(design, family)
    method.check(design, family)
    scaling = scaling_of(design, family)
    start = None if near is None else _parameters(near, design, scaling)
    if family == "gaussian":
        peak = peak_of_linear(design, scaling, method, start)
    else:
        peak = peak_of_generalised(design, scaling, family, method, start)
    estimates = Estimates(
        design,
        scaling,
        Triangles.of(scaling.factors),
        peak.coefficients,
        peak.spread,
        peak.covariance,
        peak.freedom,
        peak.shape,
    )
    # One person alone, or items seen once, say nothing of how people or items vary.
    factors = design.random if factors is None else factors
    random = tuple(factor for factor in factors if 1 < factor.levels < design.rows)
    plain = not (random or design.random) and family != "gaussian"
    statistic = "z" if plain else method.inference
    bounded: list[str] = []
    if statistic == "t":
        estimates, bounded = _bounded(estimates, random)
    covariances = estimates.covariances(peak.residual_sd or 1.0)
    fault = diagnostics.fault(design, family, estimates, peak.summit)
    remarks = diagnostics.remarks(design, family, estimates)
    return MixedResult(
        formula=design.formula,
        asked=design.formula,
        family=family,
        criterion="ML" if plain else peak.criterion,
        engine=_PLAIN if plain else _engine(peak.criterion, statistic, method),
        n=design.rows,
        groups=design.groups,
        fixed=_fixed_rows(estimates, statistic),
        random=_random_rows(design, covariances),
        correlations=_correlations(design, covariances),
        residual_sd=peak.residual_sd,
        statistic=statistic,
        log_likelihood=peak.log_likelihood,
        family_parameters=_family_rows(design, family, peak),
        parameters=len(peak.covariance) + (len(peak.spread) + 1) * (family == "gaussian"),
        fault=fault,
        notes=(*design.notes, *([fault] if fault else []), *peak.remarks, *remarks, *bounded),
        estimates=estimates,
    )


def _bounded(estimates: Estimates, factors: Sequence[RandomFactor]) -> tuple[Estimates, list[str]]:
    """Bound degrees of freedom if a variance vanished, and say which; see `containment`."""
    bounds = containment(estimates.design, factors, estimates.deviations())
    units = np.eye(len(bounds))
    errors = np.array([estimates.se(unit) for unit in units])
    free = [estimates.freedom.df(unit, se**2) for unit, se in zip(units, errors, strict=True)]
    freedom = replace(estimates.freedom, bounds=bounds, errors=errors)
    sentences = bound_words(estimates.design.fixed_names, bounds, free)
    return replace(estimates, freedom=freedom), sentences


def _engine(criterion: str, statistic: str, method: Method) -> str:
    penalty = _PENALTY if method.penalised else ""
    how = _ENGINES[criterion].format(method.quadrature)
    return f"Plainsight {suite_version()} {how}{penalty}{_TESTS.get((criterion, statistic), '')}"


def without_aliased(design: Design) -> Design:
    """Leave out fixed effects that earlier ones determine, and say which."""
    kept, aliased = independent_columns(design.fixed, design.fixed_names)
    if not aliased:
        return design
    notes = [f"{term} was left out: the terms before it determine it." for term in aliased]
    recipe = replace(design.recipe, columns=tuple(design.recipe.columns[place] for place in kept))
    return replace(
        design,
        fixed=design.fixed[:, kept],
        fixed_names=tuple(design.fixed_names[place] for place in kept),
        recipe=recipe,
        notes=(*design.notes, *notes),
    )


def _parameters(near: MixedResult, design: Design, scaling: Scaling) -> Array:
    """Return another fit's estimates as parameters of a model with some of its random effects."""
    before = near.estimates
    covariances = {
        factor.group: (factor.terms, covariance)
        for factor, covariance in zip(before.design.random, before.covariances(), strict=True)
    }
    roots = []
    for factor, matrix in zip(design.random, scaling.random, strict=True):
        terms, covariance = covariances[factor.group]
        kept = [terms.index(term) for term in factor.terms]
        inverse = np.linalg.inv(matrix)
        roots.append(lower_root(inverse @ covariance[np.ix_(kept, kept)] @ inverse.T))
    spread = Triangles.of(scaling.factors).gradient(roots)
    if near.family == "gaussian":
        return spread
    scaled = np.linalg.solve(scaling.fixed, before.coefficients)
    return np.concatenate([scaled, spread, before.shape])


def _check_size(design: Design, family: str) -> None:
    if family in (*SHARES, *COUNTS) and np.ptp(design.response / np.maximum(design.trials, 1)) == 0:
        only = design.response[0] / max(design.trials[0], 1)
        if family in SHARES and only in (0, 1):
            raise NotEstimableError(f"all {design.rows} answers are the same")
        if only == 0:
            raise NotEstimableError(f"all {design.rows} counts are 0")
    if family in ("gaussian", "gamma") and np.ptp(design.response - design.offset) == 0:
        raise NotEstimableError("the response is the same in every row")
    if family == "gaussian" and design.fixed.shape[1] >= design.rows:
        raise NotEstimableError(
            f"{design.fixed.shape[1]} fixed effects and {design.rows} rows leave no residual"
        )
    if PenalisedSystem.entries(design.random) > LARGEST_SYSTEM:
        raise NotEstimableError(f"its grouping factors are too large together: {design.groups}")


def check_effects(design: Design, family: str) -> None:
    """Refuse a design with more random effects than its rows can determine.

    Raises
    ------
    NotEstimableError
        With the factor's name.
    """
    for factor in design.random:
        effects = factor.levels * len(factor.terms)
        if factor.levels < 2:
            raise NotEstimableError(f"there is only one {factor.group}")
        if effects > design.rows or (family == "gaussian" and effects == design.rows):
            raise NotEstimableError(
                f"{effects} random effects by {factor.group} can't be estimated from "
                f"{design.rows} rows"
            )


def _fixed_rows(estimates: Estimates, statistic: str) -> tuple[FixedEffect, ...]:
    names, rows = estimates.design.fixed_names, []
    for name, estimate, unit in zip(
        names, estimates.coefficients.tolist(), np.eye(len(names)), strict=True
    ):
        se = estimates.se(unit)
        df = estimates.freedom.df(unit, se**2)
        z = estimate / se if se > 0 else float("nan")
        away = reach(df) * se
        limits = estimate - away, estimate + away
        rows.append(FixedEffect(name, estimate, se, z, two_sided(z, df), *limits, df, statistic))
    return tuple(rows)


def _family_rows(design: Design, family: str, peak: Peak) -> tuple[FamilyParameter, ...]:
    if not len(peak.shape):
        return ()
    part = family_of(design, family)
    assert not isinstance(part, Family)
    values, jacobian = part.named(peak.shape)
    first = len(peak.covariance) - len(values)
    errors = np.sqrt(np.diag(jacobian @ peak.covariance[first:, first:] @ jacobian.T))
    pairs = zip(design.levels, design.levels[1:], strict=False)
    names = [f"{low}|{high}" for low, high in pairs] or [OWN[family]]
    away = reach(np.inf) * errors
    low, high = values - away, values + away
    if not design.levels:
        low, high = (values * np.exp(sign * away / values) for sign in (-1, 1))
    columns = (values.tolist(), errors.tolist(), low.tolist(), high.tolist())
    return tuple(FamilyParameter(*row) for row in zip(names, *columns, strict=True))


def _random_rows(design: Design, covariances: Sequence[Array]) -> tuple[RandomEffect, ...]:
    return tuple(
        RandomEffect(factor.group, term, float(np.sqrt(covariance[place, place])))
        for factor, covariance in zip(design.random, covariances, strict=True)
        for place, term in enumerate(factor.terms)
    )


def _correlations(design: Design, covariances: Sequence[Array]) -> tuple[Correlation, ...]:
    rows = []
    for factor, covariance in zip(design.random, covariances, strict=True):
        sd = np.sqrt(np.diag(covariance))
        for block in factor.blocks:
            for place, i in enumerate(block):
                for j in block[place + 1 :]:
                    both = sd[i] * sd[j]
                    r = covariance[i, j] / both if both > 0 else float("nan")
                    names = factor.terms[i], factor.terms[j]
                    rows.append(Correlation(factor.group, *names, float(np.clip(r, -1, 1))))
    return tuple(rows)

"""Fit a mixed model and say in words how well that went."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.mixed import diagnostics
from analysis.mixed.design import Design, build_design, independent_columns
from analysis.mixed.families import GENERALISED, SHARES, Family
from analysis.mixed.freedom import Freedom, reach, two_sided
from analysis.mixed.gaussian import LinearMixed
from analysis.mixed.laplace import Laplace
from analysis.mixed.maximise import Maximum, maximise
from analysis.mixed.parameters import Scaling, Triangles
from analysis.mixed.restricted import restricted_step
from analysis.mixed.result import (
    Correlation,
    Estimates,
    FixedEffect,
    MixedResult,
    NotEstimableError,
    RandomEffect,
)
from analysis.mixed.system import PenalisedSystem
from stimuli.version import suite_version

Array = np.ndarray

LARGEST_SYSTEM = 60_000_000  # numbers in the dense parts of one system, .5 GB each

_ENGINES = {
    "REML": "(penalised least squares, REML)",
    "ML": "(penalised least squares, maximum likelihood)",
    "Laplace": "(Laplace approximation, standard errors from the full Hessian)",
}
_T = "; t tests with Satterthwaite's degrees of freedom"
_TESTS = {
    ("REML", "t"): _T,
    ("ML", "t"): _T,
    ("Laplace", "t"): f"{_T}, after one step of REML",
}
_PLAIN = "(maximum likelihood, no random effects)"


@dataclass(frozen=True, slots=True)
class _Maximum:
    criterion: str
    coefficients: Array
    spread: Array
    covariance: Array
    freedom: Freedom
    residual_sd: float | None
    log_likelihood: float
    summit: Maximum


def fit_mixed(
    formula: str,
    frame: pd.DataFrame,
    family: str = "gaussian",
    restricted: bool = True,
    also: Sequence[str] = (),
    inference: str = "t",
) -> MixedResult:
    """Fit a linear or generalised linear mixed model by (restricted) maximum likelihood.

    Parameters
    ----------
    formula
        In lme4's notation: ``y ~ x + (1 + x | participant) + (1 | item)``.
    frame
        One row an observation; no columns are needed but the formula's. Text columns
        are factors with treatment coding, the first level in sorted order the base.
    family
        ``gaussian`` (identity), ``binomial`` (logit), ``probit`` or ``poisson`` (log).
    restricted
        REML rather than ML; gaussian only.
    also
        Further columns whose cells must not be missing.
    inference
        ``t``: tests and intervals with Satterthwaite's degrees of freedom; ``z``: by the
        normal distribution, as if the variances were known.

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
        If the formula can't be read or the table doesn't suit it.
    NotEstimableError
        If nothing can be estimated from these data.
    """
    design = build_design(formula, frame, family, also)
    _check_effects(design, family)
    return fit_design(design, family, restricted, inference)


def fit_design(
    design: Design, family: str, restricted: bool = True, inference: str = "t"
) -> MixedResult:
    """Fit a model whose matrices are made; see `fit_mixed`."""
    design = without_aliased(design)
    _check_size(design, family)
    scaling = Scaling.of(design)
    if family == "gaussian":
        found = _fit_linear(design, scaling, restricted, inference)
    else:
        found = _fit_generalised(design, scaling, GENERALISED[family], inference)
    estimates = Estimates(
        design,
        scaling,
        Triangles.of(scaling.factors),
        found.coefficients,
        found.spread,
        found.covariance,
        found.freedom,
    )
    covariances = covariance_matrices(estimates, found.residual_sd or 1.0)
    faults = diagnostics.faults(design, family, estimates, found.summit)
    remarks = diagnostics.remarks(design, family, covariances, found.residual_sd)
    plain = _PLAIN if not design.random and family != "gaussian" else None
    statistic = inference if family == "gaussian" or design.random else "z"
    tests = _TESTS.get((found.criterion, statistic), "")
    return MixedResult(
        formula=design.formula,
        asked=design.formula,
        family=family,
        criterion="ML" if plain else found.criterion,
        engine=f"Plainsight {suite_version()} {plain or _ENGINES[found.criterion]}{tests}",
        n=design.rows,
        groups=design.groups,
        fixed=_fixed_rows(estimates, statistic),
        random=_random_rows(design, covariances),
        correlations=_correlations(design, covariances),
        residual_sd=found.residual_sd,
        statistic=statistic,
        log_likelihood=found.log_likelihood,
        parameters=len(found.coefficients) + len(found.spread) + (family == "gaussian"),
        converged=not faults,
        notes=(*design.notes, *faults, *remarks),
        estimates=estimates,
    )


def without_aliased(design: Design) -> Design:
    """Leave out fixed effects that earlier ones determine, and say which."""
    kept, aliased = independent_columns(design.fixed, design.fixed_names)
    if not aliased:
        return design
    notes = [f"{term} was left out: the terms before it determine it." for term in aliased]
    recipe = replace(design.recipe, kept=tuple(design.recipe.kept[place] for place in kept))
    return replace(
        design,
        fixed=design.fixed[:, kept],
        fixed_names=tuple(design.fixed_names[place] for place in kept),
        recipe=recipe,
        notes=(*design.notes, *notes),
    )


def covariance_matrices(estimates: Estimates, scale: float) -> list[Array]:
    """Return every factor's covariance matrix on its effects' own scale, (k, k)."""
    found = []
    for triangle, own in zip(
        estimates.triangles.matrices(estimates.spread), estimates.scaling.random, strict=True
    ):
        root = own @ triangle * scale
        found.append(root @ root.T)
    return found


def _check_size(design: Design, family: str) -> None:
    if family != "gaussian" and np.ptp(design.response / np.maximum(design.trials, 1)) == 0:
        only = design.response[0] / max(design.trials[0], 1)
        if family in SHARES and only in (0, 1):
            raise NotEstimableError(f"all {design.rows} answers are the same")
        if only == 0:
            raise NotEstimableError(f"all {design.rows} counts are 0")
    if family == "gaussian" and np.ptp(design.response - design.offset) == 0:
        raise NotEstimableError("the response is the same in every row")
    if family == "gaussian" and design.fixed.shape[1] >= design.rows:
        raise NotEstimableError(
            f"{design.fixed.shape[1]} fixed effects and {design.rows} rows leave no residual"
        )
    if PenalisedSystem.entries(design.random) > LARGEST_SYSTEM:
        raise NotEstimableError(f"its grouping factors are too large together: {design.groups}")


def _check_effects(design: Design, family: str) -> None:
    for factor in design.random:
        effects = factor.levels * len(factor.terms)
        if factor.levels < 2:
            raise NotEstimableError(f"there is only one {factor.group}")
        if effects > design.rows or (family == "gaussian" and effects == design.rows):
            raise NotEstimableError(
                f"{effects} random effects by {factor.group} can't be estimated from "
                f"{design.rows} rows"
            )


def _fit_linear(design: Design, scaling: Scaling, restricted: bool, inference: str) -> _Maximum:
    model = LinearMixed(scaling, design.response - design.offset, restricted)
    summit = maximise(model.value_and_gradient, *model.start())
    if not np.isfinite(summit.value):
        raise NotEstimableError("the fixed effects explain the response without a residual")
    fit = model.fit(summit.point)
    known = inference == "z"
    freedom = Freedom.unlimited() if known else model.freedom(summit.point, summit.hessian)
    return _Maximum(
        criterion="REML" if restricted else "ML",
        coefficients=scaling.fixed @ fit.coefficients,
        spread=summit.point,
        covariance=scaling.fixed @ fit.covariance @ scaling.fixed.T,
        freedom=freedom.rescaled(scaling.fixed),
        residual_sd=fit.residual_sd,
        log_likelihood=summit.value,
        summit=summit,
    )


def _fit_generalised(design: Design, scaling: Scaling, family: Family, inference: str) -> _Maximum:
    model = Laplace(scaling, family, design.response, design.trials, design.offset)
    summit = maximise(model.value_and_gradient, *model.start())
    p = design.fixed.shape[1]
    covariance, freedom = joint_covariance(summit.hessian, p), Freedom.unlimited()
    if inference == "t":
        covariance, freedom = restricted_step(model, summit.point, covariance)
    transform = np.eye(len(summit.point))
    transform[:p, :p] = scaling.fixed
    return _Maximum(
        criterion="Laplace",
        coefficients=scaling.fixed @ summit.point[:p],
        spread=summit.point[p:],
        covariance=transform @ covariance @ transform.T,
        freedom=freedom.rescaled(scaling.fixed),
        residual_sd=None,
        log_likelihood=summit.value + family.constant(design.response, design.trials),
        summit=summit,
    )


def joint_covariance(hessian: Array, p: int) -> Array:
    """Return the inverse of a Hessian over p coefficients and the covariance factors.

    In a singular model some directions of the factors change nothing; they are left out
    of the inverse. NaN where the coefficients themselves aren't determined.
    """
    spread = hessian[p:, p:]
    inner = np.linalg.pinv(spread, rcond=1e-6, hermitian=True) if len(spread) else spread
    across = hessian[:p, p:] @ inner
    schur = hessian[:p, :p] - across @ hessian[p:, :p]
    values = np.linalg.eigvalsh(schur) if p else np.ones(1)
    if not values.min() > 1e-10 * values.max():
        return np.full_like(hessian, np.nan)
    covariance = np.empty_like(hessian)
    covariance[:p, :p] = np.linalg.inv(schur)
    covariance[:p, p:] = -covariance[:p, :p] @ across
    covariance[p:, :p] = covariance[:p, p:].T
    covariance[p:, p:] = inner + across.T @ covariance[:p, :p] @ across
    return covariance


def _fixed_rows(estimates: Estimates, statistic: str) -> tuple[FixedEffect, ...]:
    names, rows = estimates.design.fixed_names, []
    for name, estimate, own in zip(
        names, estimates.coefficients.tolist(), np.eye(len(names)), strict=True
    ):
        se = estimates.se(own)
        df = estimates.freedom.df(own, se**2)
        z = estimate / se if se > 0 else float("nan")
        away = reach(df) * se
        limits = estimate - away, estimate + away
        rows.append(FixedEffect(name, estimate, se, z, two_sided(z, df), *limits, df, statistic))
    return tuple(rows)


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
            for place, one in enumerate(block):
                for other in block[place + 1 :]:
                    both = sd[one] * sd[other]
                    r = covariance[one, other] / both if both > 0 else float("nan")
                    names = factor.terms[one], factor.terms[other]
                    rows.append(Correlation(factor.group, *names, float(np.clip(r, -1, 1))))
    return tuple(rows)

"""Likelihood-ratio tests of nested models, and the parametric bootstrap.

The bootstrap draws new answers from the fitted model, and fits the model to them again.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.linalg import null_space
from scipy.special import expit, ndtr

from analysis.distributions import chi2_above, f_above
from analysis.mixed.design import (
    Design,
    RandomFactor,
    Reading,
    Recipe,
    build_design,
    independent_columns,
    next_to_nothing,
)
from analysis.mixed.effects import Effects
from analysis.mixed.estimation import Method
from analysis.mixed.families import SHARES
from analysis.mixed.fit import check_effects, fit_design
from analysis.mixed.formula import read_formula
from analysis.mixed.parameters import Triangles, upper_triangle
from analysis.mixed.result import MixedResult, NotEstimableError
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers, ordered_map

Array = np.ndarray

_SPAN = 1e-6
_USUAL = Method()
_PLAINLY = Reading()

FEWEST = 19  # the fewest replicates of which one in twenty is a number
_TOGETHER = 10  # replicates of one task


@dataclass(frozen=True, slots=True)
class FTest:
    """The likelihood-ratio statistic over its degrees of freedom, as Fisher's F.

    Attributes
    ----------
    value
        F.
    df, df_error
        Degrees of freedom of numerator and denominator (Satterthwaite's).
    p
        Upper tail.
    """

    value: float
    df: int
    df_error: float
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A likelihood-ratio test.

    Attributes
    ----------
    smaller, larger
        Both models, fitted to the same rows by maximum likelihood.
    statistic
        Twice the difference of the log-likelihoods, at least 0.
    df
        Difference in the number of parameters.
    p
        Upper tail of `reference`.
    reference
        The distribution under the smaller model, in words.
    notes
        What the reader should know.
    f
        The same for small samples; None if the models differ in their random effects.
    """

    smaller: MixedResult
    larger: MixedResult
    statistic: float
    df: int
    p: float
    reference: str
    notes: tuple[str, ...]
    f: FTest | None


def compare(
    formula: str,
    against: str,
    frame: pd.DataFrame,
    family: str,
    method: Method = _USUAL,
    reading: Reading = _PLAINLY,
) -> Comparison:
    """Test a model against another one; one of the two must be a special case of the other.

    Rows with a missing cell in a column of either formula are left out of both. Gaussian models are
    fitted by maximum likelihood, because restricted likelihoods of different fixed effects can't be
    compared.

    A single variance is tested on its boundary: under the smaller model the statistic
    follows the even mixture of chi-squared distributions with c and c + 1 degrees of
    freedom, c counting the other parameters (Self & Liang 1987; Stram & Lee 1994).

    If the models differ only in fixed effects, the result also has F with Satterthwaite's degrees
    of freedom, which keeps its level in small samples too.

    Raises
    ------
    UserError
        If the models are the same, their responses differ, or neither is a special case of the
        other.
    """
    first, second = read_formula(formula, frame.columns), read_formula(against, frame.columns)
    if [t.text for t in first.response] != [t.text for t in second.response]:
        raise UserError(f"{formula!r} and {against!r} have different responses")
    method, fits = replace(method, restricted=False), []
    for model, also in ((formula, second.columns), (against, first.columns)):
        design = build_design(model, frame, family, replace(reading, also=tuple(also)))
        check_effects(design, family)
        fits.append(fit_design(design, family, method))
    smaller, larger = sorted(fits, key=lambda fit: fit.parameters)
    df = larger.parameters - smaller.parameters
    reason = not_nested(smaller.estimates.design, larger.estimates.design)
    if reason:
        raise UserError(
            f"{smaller.formula!r} is not a special case of {larger.formula!r}: {reason}"
        )
    if df == 0:
        raise UserError(f"{formula!r} and {against!r} are the same model")
    statistic = max(2 * (larger.log_likelihood - smaller.log_likelihood), 0.0)
    variances = _variances(larger.estimates.design) - _variances(smaller.estimates.design)
    p, reference, notes = _tail(statistic, df, variances)
    if not (smaller.converged and larger.converged):
        notes = ("One of the models didn't converge: the test can't be relied on.", *notes)
    if family == "gaussian":
        notes = ("Both models were fitted by maximum likelihood.", *notes)
    f = f_test(smaller, larger, statistic) if _same_spread(smaller, larger) else None
    return Comparison(smaller, larger, statistic, df, p, reference, notes, f)


def f_test(smaller: MixedResult, larger: MixedResult, statistic: float) -> FTest:
    """Refer a likelihood-ratio statistic of fixed effects to F with Satterthwaite's freedom.

    Parameters
    ----------
    smaller, larger
        Fits with the same random effects, the larger one with t tests.
    statistic
        Twice the difference of their log-likelihoods.
    """
    # In scaled columns, so that units don't decide what is in the span; then orthonormal
    # combinations of the coefficients, as lmerTest takes them.
    scale, p = larger.estimates.scaling.fixed, len(larger.fixed)
    inner = smaller.estimates.design.fixed @ smaller.estimates.scaling.fixed
    span = np.linalg.lstsq(larger.estimates.design.fixed @ scale, inner)[0]
    tested = np.linalg.qr(np.linalg.solve(scale.T, null_space(span.T, rcond=_SPAN)))[0].T
    covariance = larger.estimates.covariance[:p, :p]
    error = larger.estimates.freedom.joint_df(tested, covariance)
    value = statistic / len(tested)
    if np.isinf(error):
        return FTest(value, len(tested), error, chi2_above(statistic, len(tested)))
    return FTest(value, len(tested), error, f_above(value, len(tested), error))


def _same_spread(smaller: MixedResult, larger: MixedResult) -> bool:
    kept = [
        [(factor.group, factor.terms, factor.blocks) for factor in fit.estimates.design.random]
        for fit in (smaller, larger)
    ]
    return kept[0] == kept[1] and larger.statistic == "t" and bool(kept[0])


def not_nested(smaller: Design, larger: Design) -> str:
    """Return why a model isn't a special case of another; empty if it is."""
    outside = _outside(smaller.fixed, larger.fixed)
    if outside.any():
        names = [n for n, o in zip(smaller.fixed_names, outside, strict=True) if o]
        return f"the fixed effects {', '.join(names)} are not in the other's span"
    if not np.allclose(smaller.offset, larger.offset):
        return "the offsets differ"
    for factor in smaller.random:
        for block in factor.blocks:
            if not any(_holds(other, factor, block) for other in larger.random):
                names = ", ".join(factor.terms[place] for place in block)
                return f"no random effects of the other allow {names} by {factor.group}"
    return ""


def _holds(larger: RandomFactor, factor: RandomFactor, block: tuple[int, ...]) -> bool:
    """Whether effects with any covariance are effects of one block of the larger factor."""
    if larger.levels != factor.levels or not _same_groups(larger.codes, factor.codes):
        return False
    columns = factor.regressors[:, list(block)]
    return any(not _outside(columns, larger.regressors[:, list(b)]).any() for b in larger.blocks)


def _same_groups(first: Array, second: Array) -> bool:
    return len(np.unique(np.column_stack([first, second]), axis=0)) == len(np.unique(first))


def _outside(columns: Array, span: Array) -> Array:
    """Return for each column whether it lies outside the other matrix's span."""
    kept, _ = independent_columns(span, [""] * span.shape[1])
    q = np.linalg.qr(span[:, kept])[0]
    rest = columns - q @ (q.T @ columns)
    rest -= q @ (q.T @ rest)
    return np.linalg.norm(rest, axis=0) > next_to_nothing(columns)


def _variances(design: Design) -> int:
    triangles = Triangles.of(design.random)
    return sum(row == column for _, row, column in triangles.places)


def _tail(statistic: float, df: int, variances: int) -> tuple[float, str, tuple[str, ...]]:
    if variances == 0:
        return chi2_above(statistic, df), f"chi-squared with {df} degrees of freedom", ()
    if variances == 1:
        lower = chi2_above(statistic, df - 1) if df > 1 else float(statistic <= 0)
        p = (lower + chi2_above(statistic, df)) / 2
        reference = f"even mixture of chi-squared with {df - 1} and {df} degrees of freedom"
        return p, reference, ("A variance is tested on its boundary, zero.",)
    return (
        chi2_above(statistic, df),
        f"chi-squared with {df} degrees of freedom",
        (
            f"{variances} variances are tested on their boundary at once: this p is too large "
            "(conservative).",
        ),
    )


@dataclass(frozen=True, slots=True)
class Bootstrapped:
    """One coefficient's test and 95 % interval by the bootstrap."""

    term: str
    estimate: float
    p: float
    ci_low: float
    ci_high: float


@dataclass(frozen=True, slots=True)
class Replicates:
    """What the replicates gave.

    Attributes
    ----------
    replicates
        How many were drawn.
    failed
        How many of them could not be fitted; they are left out.
    fixed
        The coefficients.
    """

    replicates: int
    failed: int
    fixed: tuple[Bootstrapped, ...]


@dataclass(frozen=True, slots=True)
class _Task:
    """Some replicates of a model; `roots` turn spherical effects into the factors' effects."""

    design: Design
    family: str
    method: Method
    mean: Array
    coefficients: Array
    roots: tuple[Array, ...]
    residual_sd: float
    numbers: range


def parametric_bootstrap(
    result: MixedResult, method: Method, replicates: int, workers: Workers
) -> Replicates:
    """Return tests and intervals of the coefficients by the parametric bootstrap.

    New people and items, then new answers, are drawn from the fitted model. Each replicate's
    coefficient less the one that it was drawn with, over its standard error, is a draw of t.
    p is the share of draws that lie as far from 0 as the t that was found; the interval
    reaches as many standard errors as 95 % of the draws do (Davison & Hinkley 1997, Bootstrap
    Methods and their Application, sections 2.4 and 4.2).

    Parameters
    ----------
    result
        The fit.
    method
        How it was fitted; the replicates are fitted likewise.
    replicates
        How many, at least 19. Each is drawn by its number and the formula, whichever worker
        draws it.
    workers
        Where they are fitted.

    Raises
    ------
    UserError
        If the fit isn't sound, there are too few replicates, or rows have weights that
        answers can't be drawn by.
    """
    _check(result, replicates)
    t_values = [
        draw
        for _, draws in ordered_map(_drawn, _tasks(result, method, replicates), workers)
        for draw in draws
    ]
    known = np.array([draw for draw in t_values if draw is not None])
    if len(known) < FEWEST:
        raise UserError(
            f"--bootstrap: only {len(known)} of {replicates} replicates could be fitted"
        )
    reached = np.sort(np.abs(known), axis=0)
    quantile = reached[min(math.ceil(0.95 * (len(known) + 1)), len(known)) - 1]
    rows = []
    for row, draws, far in zip(result.fixed, reached.T, quantile, strict=True):
        as_far = int((draws >= abs(row.z) * (1 - 1e-12)).sum())
        p, away = (1 + as_far) / (1 + len(known)), float(far) * row.se
        rows.append(
            Bootstrapped(row.term, row.estimate, p, row.estimate - away, row.estimate + away)
        )
    return Replicates(replicates, replicates - len(known), tuple(rows))


def _check(result: MixedResult, replicates: int) -> None:
    if not result.converged:
        raise UserError("--bootstrap: the fit isn't sound, so nothing can be drawn from it")
    if replicates < FEWEST:
        raise UserError(f"--bootstrap {replicates}: at least {FEWEST} replicates are needed")
    weights = result.estimates.design.trials
    whole = (weights % 1 == 0).all() if result.family in SHARES else (weights == 1).all()
    if result.family != "gaussian" and not whole:
        raise UserError("--bootstrap: answers can't be drawn for these --weights")


def _tasks(result: MixedResult, method: Method, replicates: int) -> Iterator[tuple[str, _Task]]:
    estimates = result.estimates
    design, scale = estimates.design, result.residual_sd or 1.0
    recipe = Recipe(Effects((), np.zeros((0, 0)), False, (), None), (), (), pd.DataFrame())
    triangles = estimates.triangles.matrices(estimates.spread)
    pairs = zip(estimates.scaling.random, triangles, strict=True)
    whole = _Task(
        design=replace(design, recipe=recipe),
        family=result.family,
        method=method,
        mean=design.offset + design.fixed @ estimates.coefficients,
        coefficients=estimates.coefficients,
        roots=tuple(_root(matrix @ triangle * scale) for matrix, triangle in pairs),
        residual_sd=scale,
        numbers=range(0),
    )
    for first in range(0, replicates, _TOGETHER):
        numbers = range(first, min(first + _TOGETHER, replicates))
        yield str(first), replace(whole, numbers=numbers)


def _root(factor: Array) -> Array:
    """Return the one lower triangle with F F' = L L' whose diagonal isn't negative."""
    lower = upper_triangle(factor.T).T
    return lower * np.where(np.diag(lower) < 0, -1.0, 1.0)


def _drawn(task: _Task) -> list[list[float] | None]:
    """Return each replicate's t of every coefficient, None if it couldn't be fitted."""
    t_values = []
    for number in task.numbers:
        rng = np.random.default_rng(seed_of("bootstrap", task.design.formula, number))
        try:
            fitted = fit_design(
                replace(task.design, response=_response(task, rng)), task.family, task.method
            )
        except NotEstimableError:
            t_values.append(None)
            continue
        pairs = zip(fitted.fixed, task.coefficients.tolist(), strict=False)
        draws = [(row.estimate - truth) / row.se for row, truth in pairs if row.se > 0]
        whole = fitted.converged and len(draws) == len(task.coefficients)
        t_values.append(draws if whole else None)
    return t_values


def _response(task: _Task, rng: np.random.Generator) -> Array:
    """Draw new levels of every factor, then new responses of every row."""
    design, eta = task.design, task.mean.copy()
    for factor, root in zip(design.random, task.roots, strict=True):
        effects = rng.standard_normal((factor.levels, len(root))) @ root.T
        eta += (factor.regressors * effects[factor.codes]).sum(axis=1)
    if task.family == "gaussian":
        return rng.normal(eta, task.residual_sd / np.sqrt(design.trials))
    if task.family == "poisson":
        return rng.poisson(np.exp(np.minimum(eta, 40))).astype(float)
    share = expit(eta) if task.family == "binomial" else ndtr(eta)
    return rng.binomial(design.trials.astype(int), share).astype(float)

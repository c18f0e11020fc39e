"""Parametric bootstrap: answers are drawn from the fitted model and fitted again."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import expit, ndtr

from analysis.mixed.design import Design, Recipe
from analysis.mixed.effects import Effects
from analysis.mixed.estimation import Method
from analysis.mixed.families import SHARES
from analysis.mixed.fit import fit_design
from analysis.mixed.parameters import upper_triangle
from analysis.mixed.result import MixedResult, NotEstimableError
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers, ordered_map

Array = np.ndarray

FEWEST = 19  # the fewest replicates of which one in twenty is a number
_TOGETHER = 10  # replicates of one task


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
    """What came of the replicates.

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
    """Some replicates of a model; `roots` make spherical effects the factors' effects."""

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
    found = [
        draw
        for _, draws in ordered_map(_drawn, _tasks(result, method, replicates), workers)
        for draw in draws
    ]
    known = np.array([draw for draw in found if draw is not None])
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
        roots=tuple(_root(own @ triangle * scale) for own, triangle in pairs),
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
    """Return each replicate's t of every coefficient, None where it couldn't be fitted."""
    found = []
    for number in task.numbers:
        rng = np.random.default_rng(seed_of("bootstrap", task.design.formula, number))
        try:
            fitted = fit_design(
                replace(task.design, response=_response(task, rng)), task.family, task.method
            )
        except NotEstimableError:
            found.append(None)
            continue
        pairs = zip(fitted.fixed, task.coefficients.tolist(), strict=False)
        draws = [(row.estimate - truth) / row.se for row, truth in pairs if row.se > 0]
        whole = fitted.converged and len(draws) == len(task.coefficients)
        found.append(draws if whole else None)
    return found


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

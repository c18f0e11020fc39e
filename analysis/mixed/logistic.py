"""The studies' models: terms that data can't determine leave by stated rules."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.mixed import simplify
from analysis.mixed.design import build_design
from analysis.mixed.fit import fit_design, without_aliased
from analysis.mixed.result import MixedResult, NotEstimableError


def fit_logistic(formula: str, frame: pd.DataFrame) -> MixedResult:
    """Fit a Bernoulli-logit model by maximum likelihood, simplified where it must be.

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
    if response in frame:
        frame = frame.assign(**{response: frame[response].astype(float)})
    return _simplified(formula, frame, "binomial", "answers")


def fit_linear(formula: str, frame: pd.DataFrame) -> MixedResult:
    """Fit a linear mixed model by REML, simplified where it must be; as `fit_logistic`.

    Raises
    ------
    NotEstimableError
        If there is no row, or all responses are the same.
    UserError
        If the formula can't be read or a column is missing.
    """
    return _simplified(formula, frame, "gaussian", "responses")


def fit_counts(formula: str, frame: pd.DataFrame) -> MixedResult:
    """Fit a Poisson model (log) by maximum likelihood, simplified where it must be.

    Raises
    ------
    NotEstimableError
        If there is no row, or all counts are the same.
    UserError
        If the formula can't be read or a column is missing.
    """
    return _simplified(formula, frame, "poisson", "counts")


def _simplified(formula: str, frame: pd.DataFrame, family: str, noun: str) -> MixedResult:
    if frame.empty:
        raise NotEstimableError("there are no rows")
    design = without_aliased(build_design(formula, frame, family))
    if np.ptp(design.response) == 0:
        raise NotEstimableError(f"all {design.rows} {noun} are the same")
    response = formula.partition("~")[0].strip()
    design = simplify.without_undetermined(design)
    result = fit_design(design, family)
    smaller = simplify.without_singular(design, result)
    if smaller is not design:
        design, result = smaller, fit_design(smaller, family)
    return replace(result, formula=simplify.spelled(design, response), asked=formula)

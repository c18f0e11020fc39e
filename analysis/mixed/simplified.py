"""The studies' models: terms that the data can't determine are left out by stated rules."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from analysis.mixed import simplify
from analysis.mixed.design import Design, RandomFactor, build_design
from analysis.mixed.diagnostics import LARGE_SD
from analysis.mixed.estimation import Method
from analysis.mixed.families import SHARES
from analysis.mixed.fit import fit_design, without_aliased
from analysis.mixed.result import MixedResult, NotEstimableError

NOUNS: Final = {
    "gaussian": "responses",
    "binomial": "answers",
    "probit": "answers",
    "poisson": "counts",
    "nbinom2": "counts",
    "gamma": "responses",
    "ordinal": "levels",
}
"""What a response is called, by the family."""
PENALISED: Final = (
    "The likelihood alone has no maximum that could be found, as where nearly every group gave one "
    "answer only; standard deviations bear a weakly informative penalty."
)
_USUAL: Final = Method()


def fit_simplified(
    formula: str, frame: pd.DataFrame, family: str, method: Method = _USUAL
) -> MixedResult:
    """Fit a model of a family, simplified where it must be.

    Linear models are fitted by REML, the others by maximum likelihood. Terms that the data can't
    determine are left out by stated rules, and every one of them is named in the result's notes.
    Where the likelihood of another family has no maximum that can be found, standard deviations
    bear a penalty, and the notes say so.

    Parameters
    ----------
    formula
        In lme4's notation, e.g. ``y ~ x + (1 + x || participant) + (1 | item)``.
    frame
        One row for each observation; the response of a binomial or probit model is 0/1 or boolean.
    family
        One of `NOUNS`.
    method
        How it is estimated and tested.

    Raises
    ------
    NotEstimableError
        If there is no row, or all responses are the same.
    UserError
        If the formula can't be read or a column is missing.
    """
    response = formula.partition("~")[0].strip()
    if family in SHARES and response in frame:
        frame = frame.assign(**{response: frame[response].astype(float)})
    if frame.empty:
        raise NotEstimableError("there are no rows")
    design = without_aliased(build_design(formula, frame, family))
    share = design.response / np.maximum(design.trials, 1)
    if np.ptp(share) == 0 and (family not in SHARES or share[0] in (0, 1)):
        raise NotEstimableError(f"all {design.rows} {NOUNS[family]} are the same")
    asked = design.random
    design = simplify.without_undetermined(design)
    result = _sound_if_possible(design, family, method, None, asked)
    smaller = simplify.without_singular(design, result)
    if smaller is not design:
        near = result if result.converged else None
        design, result = smaller, _sound_if_possible(smaller, family, method, near, asked)
    return replace(result, formula=simplify.spelled(design, response), asked=formula)


def _sound_if_possible(
    design: Design,
    family: str,
    method: Method,
    near: MixedResult | None,
    asked: Sequence[RandomFactor],
) -> MixedResult:
    """Fit a design; with a penalty where the likelihood alone leads nowhere."""
    result = fit_design(design, family, method, near, asked)
    if result.converged or family == "gaussian" or method.penalised or not design.random:
        return result
    again = fit_design(design, family, replace(method, penalised=True), None, asked)
    return replace(again, notes=(PENALISED, *again.notes)) if again.converged else result


fit_linear = partial(fit_simplified, family="gaussian")
fit_logistic = partial(fit_simplified, family="binomial")
fit_probit = partial(fit_simplified, family="probit")
fit_counts = partial(fit_simplified, family="poisson")
fit_ordinal = partial(fit_simplified, family="ordinal")


def fit_plausible_logistic(formula: str, frame: pd.DataFrame) -> MixedResult:
    """Fit a logistic model; a fit whose effects vary beyond all reason isn't sound.

    Where nearly all of a unit's answers are alike the Laplace approximation runs away: it finds
    enormous variances, and far too small errors.
    """
    result = fit_logistic(formula, frame)
    wild = [row.group for row in result.random if row.sd > LARGE_SD]
    if not wild:
        return result
    note = f"Effects by {wild[0]} ran away (SD above {LARGE_SD:g} log odds): no estimate is given."
    return replace(result, converged=False, notes=(*result.notes, note))

"""Fit the studies' models, leaving out terms that the data can't determine.

Stated rules say which terms are left out. A singular model is simplified by one rule (`RULE`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from analysis.mixed.design import Design, RandomFactor, build_design
from analysis.mixed.diagnostics import ran_away
from analysis.mixed.estimation import Method
from analysis.mixed.families import SHARES
from analysis.mixed.fit import fit_design, without_aliased
from analysis.mixed.freedom import VANISHING
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
_SCALES: Final = {
    "gaussian": "of the residual's",
    "binomial": "on the logit scale",
    "probit": "on the probit scale",
    "poisson": "on the log scale",
}


def rule(family: str) -> str:
    """Return in words how a singular model of a family is simplified."""
    return (
        "Random slopes whose standard deviation, over two standard deviations of their column, was "
        f"estimated below {VANISHING:g} {_SCALES[family]} were left out and the model was fitted "
        "again; random intercepts stayed."
    )


RULE = rule("binomial")


def without_undetermined(design: Design) -> Design:
    """Return the design without random effects that these data can't determine.

    A grouping factor needs two levels, one of them with two rows. A slope must vary
    within two levels at least.
    """
    notes = []
    for factor in design.random:
        reason = _factor_reason(factor)
        if reason:
            notes.append(f"Random effects by {factor.group} were left out: {reason}.")
            continue
        notes += [
            f"The slope of {term} by {factor.group} was left out: "
            f"it doesn't vary within {factor.group}s."
            for place, term in enumerate(factor.terms)
            if not _varies_within(factor, place)
        ]
    design = _keeping(
        design, lambda factor, place: not _factor_reason(factor) and _varies_within(factor, place)
    )
    return replace(design, notes=(*design.notes, *notes))


def without_singular(design: Design, result: MixedResult) -> Design:
    """Leave out slopes whose standard deviation vanished (see `RULE`), and say which."""
    deviations = result.estimates.deviations()

    def stays(factor: RandomFactor, place: int) -> bool:
        term = factor.terms[place]
        return deviations[factor.group, term] >= VANISHING or term == "(Intercept)"

    notes = []
    for factor in design.random:
        vanished = [t for place, t in enumerate(factor.terms) if not stays(factor, place)]
        if vanished:
            notes.append(
                f"Left out for a vanishing variance by {factor.group}: {', '.join(vanished)}."
            )
    if not notes:
        return design
    return replace(_keeping(design, stays), notes=(*design.notes, *notes))


def spelled(design: Design, response: str) -> str:
    """Return the formula that a design follows now, e.g. ``y ~ 1 + x + (1 + x || g)``."""
    fixed = [_plain(name) for name in design.fixed_names]
    parts = [response + " ~ " + " + ".join(fixed or ["0"])]
    for factor in design.random:
        alone = [block[0] for block in factor.blocks if len(block) == 1]
        if alone:
            parts.append(_bar(factor, alone, "||"))
        parts += [_bar(factor, block, "|") for block in factor.blocks if len(block) > 1]
    return " + ".join(parts)


def _bar(factor: RandomFactor, places: Sequence[int], bar: str) -> str:
    """Return effects of a group that all correlate (``|``) or don't (``||``)."""
    terms = [_plain(factor.terms[place]) for place in places]
    if "1" not in terms:
        terms.insert(0, "0")
    return f"({' + '.join(terms)} {bar if len(terms) > 1 else '|'} {factor.group})"


def _keeping(design: Design, stays: Callable[[RandomFactor, int], bool]) -> Design:
    factors, recipes = [], []
    for factor, recipe in zip(design.random, design.recipe.random, strict=True):
        places = [place for place in range(len(factor.terms)) if stays(factor, place)]
        if places:
            factors.append(factor.keep(places))
            recipes.append(_recipe_keeping(recipe, places))
    return replace(
        design,
        random=tuple(factors),
        recipe=replace(design.recipe, random=tuple(recipes)),
    )


def _recipe_keeping(recipe: tuple, places: list[int]) -> tuple:
    kept, first = [], 0
    for effects, columns in recipe:
        kept_columns = tuple(c for n, c in enumerate(columns) if first + n in places)
        first += len(columns)
        kept.append((effects, kept_columns))
    return tuple(kept)


def _plain(name: str) -> str:
    return "1" if name == "(Intercept)" else name


def _factor_reason(factor: RandomFactor) -> str:
    if factor.levels < 2:
        return f"there is only one {factor.group}"
    if np.bincount(factor.codes).max() < 2:
        return f"no {factor.group} was seen twice"
    return ""


def _varies_within(factor: RandomFactor, place: int) -> bool:
    if factor.terms[place] == "(Intercept)":
        return True
    values = factor.regressors[:, place]
    low = np.full(factor.levels, np.inf)
    high = np.full(factor.levels, -np.inf)
    np.minimum.at(low, factor.codes, values)
    np.maximum.at(high, factor.codes, values)
    return int((high > low).sum()) >= 2


def fit_simplified(
    formula: str, frame: pd.DataFrame, family: str, method: Method = _USUAL
) -> MixedResult:
    """Fit a model of a family, simplified if necessary.

    Linear models are fitted by REML, the others by maximum likelihood. Terms that the data can't
    determine are left out by stated rules, and every one of them is named in the result's notes. If
    no maximum of another family's likelihood can be found, standard deviations have a penalty, and
    the notes say so.

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
    factors = design.random
    design = without_undetermined(design)
    result = _sound_if_possible(design, family, method, None, factors)
    smaller = without_singular(design, result)
    if smaller is not design:
        near = result if result.converged else None
        design, result = smaller, _sound_if_possible(smaller, family, method, near, factors)
    return replace(result, formula=spelled(design, response), asked=formula)


def _sound_if_possible(
    design: Design,
    family: str,
    method: Method,
    near: MixedResult | None,
    factors: Sequence[RandomFactor],
) -> MixedResult:
    """Fit a design; with a penalty if the likelihood alone has no maximum that could be found.

    If it has one that ran away, there is no model: a penalty would decide its estimates.
    """
    result = fit_design(design, family, method, near, factors)
    if family == "gaussian" or method.penalised or not design.random:
        return result
    if result.fault in ("", ran_away(design, family, result.estimates)):
        return result
    again = fit_design(design, family, replace(method, penalised=True), None, factors)
    return replace(again, notes=(PENALISED, *again.notes)) if again.converged else result


fit_linear = partial(fit_simplified, family="gaussian")
fit_logistic = partial(fit_simplified, family="binomial")
fit_probit = partial(fit_simplified, family="probit")
fit_counts = partial(fit_simplified, family="poisson")
fit_ordinal = partial(fit_simplified, family="ordinal")

"""Rows of results.json for fitted models, and which method suits which person or image.

A row has the ratio that the model's link gives. Which method suits whom follows from the shrunken
effects of people and images.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd
from pydantic import TypeAdapter
from scipy.special import expit

from analysis.data.json_values import plain
from analysis.mixed import MixedResult
from analysis.mixed.modes import Modes, conditional_modes
from analysis.mixed.result import Outcome, model_row
from analysis.mixed.simplify import rule
from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.about import about
from analysis.report.model import Coefficient, CorrelationRow, ModelFit, level_code
from analysis.report.wording import grouped

HAZARD: Final = "recognised ~ C(step) * method + (1 + method | participant) + (1 + method | item)"
PER_PIXEL: Final = (
    "recognised ~ C(step) + log2_pixels + method + (1 + method | participant) + (1 + method | item)"
)
TRIES: Final = "wrong_tries ~ method + (1 + method || participant) + (1 + method || item)"
TIMES: Final = "log_rt ~ method + (1 + method || participant) + (1 + method || item)"
_TYPING_CODING: Final = (
    " typing is the participant's seconds a letter when copying class names, less the mean."
)

_RATIO: Final = "ratio"
_ODDS: Final = ("log odds", "Odds ratio", _RATIO)
_STEP: Final = ("step of a round", "steps of rounds")
_ROUND: Final = ("round",)

Array = np.ndarray

UNIT_KINDS: Final = ("participant", "item")
CLEAR: Final = 1.96
"""Conditional standard errors by which the best method must lead the second to be clear."""


@dataclass(frozen=True, slots=True)
class RatioRow(Coefficient):
    """A coefficient, and the ratio of odds, rates or times that it is the logarithm of."""

    ratio: Annotated[float | None, about("The ratio; null if it is too large to write.")]
    ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class RevealFit(ModelFit):
    """A mixed model of rounds or of their steps, or why it wasn't fitted."""

    fixed: Annotated[tuple[RatioRow, ...], about("Coefficients.")] = ()
    row: Annotated[tuple[str, ...], about("What a row is, singular and plural.")] = ()
    scale: Annotated[
        tuple[str, ...], about("Unit of estimates; name of the ratio, and its key.")
    ] = ()
    correlations: Annotated[
        tuple[CorrelationRow, ...], about("Correlations of random effects.")
    ] = ()
    residual_sd: Annotated[
        float | None, about("Residual standard deviation of a linear model.")
    ] = None


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model of this study: its formula in full, and what its numbers mean.

    Attributes
    ----------
    formula
        In lme4's notation.
    coding
        How its variables are coded.
    scale
        Unit of its estimates; what their exponential is called, and its key.
    row
        What a row is, singular and plural.
    """

    formula: str
    coding: str
    scale: tuple[str, str, str]
    row: tuple[str, ...]


OF_HAZARD: Final = ModelDescription(
    HAZARD,
    "One row for each step of a round, until recognition or the end of the round. "
    "Treatment coding; the reference method and the first step are the base.",
    _ODDS,
    _STEP,
)
OF_PIXELS: Final = ModelDescription(
    PER_PIXEL,
    "log2_pixels is the binary logarithm of the share of the image uncovered at the "
    "step: its coefficient is for twice as many pixels. A method's coefficient is then its quality "
    "per pixel: its odds of recognition at the same step and the same number of pixels.",
    _ODDS,
    _STEP,
)
OF_TRIES: Final = ModelDescription(
    TRIES,
    "wrong_tries counts the answers of a completed round that weren't right.",
    ("log rate", "Rate ratio", _RATIO),
    _ROUND,
)
OF_TIMES: Final = ModelDescription(
    TIMES,
    "Natural logarithm of the seconds from onset to the confirming press, recognised "
    "rounds only: slow rounds that ended unrecognised are missing, which flatters methods that "
    "fail late.",
    ("log seconds", "Ratio of times", _RATIO),
    _ROUND,
)


def fit_row(outcome: Outcome, of: ModelDescription) -> RevealFit:
    """Return a model's outcome as results.json has it."""
    fields = model_row(
        outcome, {"coding": of.coding, "rule": ""}, _RATIO, ("correlations", "residual_sd")
    )
    result = outcome.result
    if result is not None:
        typing = _TYPING_CODING if any(row.term == "typing" for row in result.fixed) else ""
        fields |= {
            "formula": spelled_formula(result),
            "row": of.row,
            "coding": of.coding + typing,
            "rule": rule(result.family),
            "scale": of.scale,
        }
    return TypeAdapter(RevealFit).validate_python(plain(fields))


def not_fitted(of: ModelDescription, reason: str, formula: str = "") -> RevealFit:
    """Return the row of a model that wasn't fitted, with the reason."""
    return fit_row(Outcome(formula or of.formula, None, reason), of)


def spelled_formula(result: MixedResult) -> str:
    """Return the formula as asked if every term of it was fitted."""
    notes = " ".join(result.notes).casefold()
    return result.formula if "left out" in notes or "independent here" in notes else result.asked


ADVANTAGE_SD = Quantity(
    "advantage_sd", "SD",
    "Standard deviation between participants, or images, of a method's advantage over the "
    "reference, log odds, as estimated.",
)  # fmt: skip
BEST = Quantity(
    "best_for", "Best", "Participants, or images, for which a method is best by shrunken effects.",
    grouped,
)  # fmt: skip
CLEARLY_BEST = Quantity(
    "clearly_best_for", "Clearly best", "Those for which it is clearly better than the second.",
    grouped,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UnitEffect:
    """The shrunken effects of a participant or an image."""

    of: Annotated[str, about("Of what: participant or item.")]
    unit: Annotated[str, about("The participant or image.")]
    best: Annotated[str, about("Its best method.")]
    clear: Annotated[bool, about("Whether it is clearly better than the second.")]
    effects: Annotated[
        tuple[float, ...],
        about("By method: log odds of recognition at a step, less the average unit's."),
    ]
    hazards: Annotated[tuple[float, ...], about("By method: probability of recognition at a step.")]


def unit_effects(
    fitted: MixedResult, methods: tuple[str, ...]
) -> tuple[tuple[UnitEffect, ...], tuple[EstimateRow, ...]]:
    """Return what the shrunken effects of people and images say of each method, and of all.

    The first method is the reference.
    """
    modes = conditional_modes(fitted)
    units: list[UnitEffect] = []
    rows: list[EstimateRow] = []
    for kind in UNIT_KINDS:
        if kind in modes:
            of_kind = _of_kind(modes[kind], kind, fitted, methods)
            units += of_kind
            rows += _summed(of_kind, kind, methods)
            rows += _spread(modes[kind], kind, fitted, methods)
    return tuple(units), tuple(rows)


def _of_kind(
    modes: Modes, kind: str, fitted: MixedResult, methods: tuple[str, ...]
) -> list[UnitEffect]:
    design = _design(fitted, kind, methods)
    effects = modes.effects @ design.T
    level = _fixed(fitted, methods) + effects
    return [
        UnitEffect(
            kind,
            name,
            methods[level[u].argmax()],
            _leads(modes.covariance[u], design, level[u]),
            tuple(map(float, effects[u])),
            tuple(map(float, expit(level[u]))),
        )
        for u, name in enumerate(modes.names)
    ]


def _summed(
    units: Sequence[UnitEffect], kind: str, methods: Sequence[str]
) -> Iterator[EstimateRow]:
    for method in methods:
        clear = [unit.clear for unit in units if unit.best == method]
        of = {"unit": kind, "method": method}
        yield estimate_row(BEST, of, float(len(clear)), len(units))
        yield estimate_row(CLEARLY_BEST, of, float(sum(clear)), len(units))


def _spread(
    modes: Modes, kind: str, fitted: MixedResult, methods: tuple[str, ...]
) -> Iterator[EstimateRow]:
    design = _design(fitted, kind, methods)
    contrasts, covariance = design - design[0], _covariance(fitted, kind, modes.terms)
    variance = np.einsum("mi,ij,mj->m", contrasts, covariance, contrasts)
    for method, sd in zip(methods[1:], np.sqrt(np.maximum(variance, 0))[1:], strict=True):
        yield estimate_row(ADVANTAGE_SD, {"unit": kind, "method": method}, float(sd))


def _design(fitted: MixedResult, kind: str, methods: tuple[str, ...]) -> Array:
    """Return (methods, k) the regressors of a unit's effects under each method."""
    design = fitted.estimates.design
    place = [factor.group for factor in design.random].index(kind)
    steps = design.recipe.frame.get("step")
    rows = pd.DataFrame({"method": [level_code(method, methods[0]) for method in methods]})
    if steps is not None:
        rows["step"] = steps.iloc[0]
    return design.recipe.rows(rows)[1][place]


def _fixed(fitted: MixedResult, methods: tuple[str, ...]) -> Array:
    """Return each method's log odds at a step, averaged over the steps that rounds reached."""
    frame = fitted.estimates.design.recipe.frame
    shares = frame["step"].value_counts(normalize=True) if "step" in frame else None
    x = []
    for method in methods:
        steps = [1] if shares is None else list(shares.index)
        rows = pd.DataFrame({"step": steps, "method": level_code(method, methods[0])})
        columns = fitted.estimates.design.recipe.rows(rows)[0]
        weights = np.ones(1) if shares is None else shares.to_numpy(dtype=float)
        x.append(weights @ columns)
    return np.array(x) @ fitted.estimates.coefficients


def _covariance(fitted: MixedResult, kind: str, terms: tuple[str, ...]) -> Array:
    sds = {row.term: row.sd for row in fitted.random if row.group == kind}
    covariance = np.diag([sds[term] ** 2 for term in terms])
    for row in fitted.correlations:
        if row.group == kind and np.isfinite(row.r):
            i, j = terms.index(row.term1), terms.index(row.term2)
            covariance[i, j] = covariance[j, i] = row.r * sds[row.term1] * sds[row.term2]
    return covariance


def _leads(covariance: Array, design: Array, level: Array) -> bool:
    """Return whether the best method leads the second by more than its conditional uncertainty."""
    if len(level) < 2:
        return False
    second, first = np.argsort(level)[-2:]
    gap = design[first] - design[second]
    se = float(np.sqrt(max(gap @ covariance @ gap, 0)))
    return bool(se > 0 and level[first] - level[second] > CLEAR * se)

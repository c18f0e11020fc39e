"""Fitted models as results.json has them, each with the ratio that its link gives."""

from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from pydantic import TypeAdapter

from analysis.data.json_values import plain
from analysis.mixed import MixedResult
from analysis.mixed.result import Outcome, model_row
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.model import Coefficient, CorrelationRow, ModelFit

HAZARD: Final = "recognised ~ C(step) * method + (1 + method | participant) + (1 + method | item)"
PER_PIXEL: Final = (
    "recognised ~ C(step) + log2_pixels + method + (1 + method | participant) + (1 + method | item)"
)
TRIES: Final = "wrong_tries ~ method + (1 + method || participant) + (1 + method || item)"
TIMES: Final = "log_rt ~ method + (1 + method || participant) + (1 + method || item)"
_TYPING_CODING: Final = (
    " typing is the participant's seconds a letter when copying class names, less the mean."
)


@dataclass(frozen=True, slots=True)
class OddsRow(Coefficient):
    """A coefficient of a logistic model."""

    odds_ratio: Annotated[float | None, about("Odds ratio; null if it is too large to write.")]
    odds_ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    odds_ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class RateRow(Coefficient):
    """A coefficient of a model of counts."""

    rate_ratio: Annotated[float | None, about("Rate ratio; null if it is too large to write.")]
    rate_ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    rate_ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class TimeRow(Coefficient):
    """A coefficient of a model of log times."""

    time_ratio: Annotated[float | None, about("Ratio of times; null if it is too large to write.")]
    time_ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    time_ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class RevealFit(ModelFit):
    """A mixed model of rounds or of their steps, or why it wasn't fitted."""

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
class HazardFit(RevealFit):
    """A logistic mixed model of recognition at a step, or why it wasn't fitted."""

    fixed: Annotated[tuple[OddsRow, ...], about("Coefficients.")] = ()


@dataclass(frozen=True, slots=True)
class TriesFit(RevealFit):
    """A mixed model of counts, or why it wasn't fitted."""

    fixed: Annotated[tuple[RateRow, ...], about("Coefficients.")] = ()


@dataclass(frozen=True, slots=True)
class TimesFit(RevealFit):
    """A linear mixed model of log times, or why it wasn't fitted."""

    fixed: Annotated[tuple[TimeRow, ...], about("Coefficients.")] = ()


Fit = TypeVar("Fit", bound=RevealFit)
_ODDS: Final = ("log odds", "Odds ratio", "odds_ratio")
_STEP: Final = ("step of a round", "steps of rounds")
_ROUND: Final = ("round",)


@dataclass(frozen=True, slots=True)
class Modelled:
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


OF_HAZARD: Final = Modelled(
    HAZARD,
    "One row for each step of a round, until recognition or the end of the round. "
    "Treatment coding; the reference method and the first step are the base.",
    _ODDS,
    _STEP,
)
OF_PIXELS: Final = Modelled(
    PER_PIXEL,
    "log2_pixels is the binary logarithm of the share of the image uncovered at the "
    "step: its coefficient is for twice as many pixels. A method's coefficient is then its quality "
    "per pixel: its odds of recognition at the same step and the same number of pixels.",
    _ODDS,
    _STEP,
)
OF_TRIES: Final = Modelled(
    TRIES,
    "wrong_tries counts the answers of a completed round that weren't right.",
    ("log rate", "Rate ratio", "rate_ratio"),
    _ROUND,
)
OF_TIMES: Final = Modelled(
    TIMES,
    "Natural logarithm of the seconds from onset to the confirming press, recognised "
    "rounds only: slow rounds that ended unrecognised are missing, which flatters methods that "
    "fail late.",
    ("log seconds", "Ratio of times", "time_ratio"),
    _ROUND,
)


def fit_row(outcome: Outcome, of: Modelled, kind: type[Fit]) -> Fit:
    """Return a model's outcome in its own type."""
    found = model_row(
        outcome, {"coding": of.coding, "rule": ""}, of.scale[-1], ("correlations", "residual_sd")
    )
    result = outcome.result
    if result is not None:
        typing = _TYPING_CODING if any(row.term == "typing" for row in result.fixed) else ""
        found |= {
            "formula": spelled_formula(result),
            "row": of.row,
            "coding": of.coding + typing,
            "rule": rule("logit scale" if result.family == "binomial" else "log scale"),
            "scale": of.scale,
        }
    return TypeAdapter(kind).validate_python(plain(found))


def not_fitted(of: Modelled, kind: type[Fit], reason: str, formula: str = "") -> Fit:
    """Return that a model wasn't fitted, and why."""
    return fit_row(Outcome(formula or of.formula, None, reason), of, kind)


def spelled_formula(result: MixedResult) -> str:
    """Return the formula as asked where every term of it was fitted."""
    said = " ".join(result.notes).casefold()
    return result.formula if "left out" in said or "independent here" in said else result.asked

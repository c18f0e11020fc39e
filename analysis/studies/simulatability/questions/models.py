"""The mixed model of right predictions, in each domain."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportModel
from analysis.report.missing import unsound_model
from analysis.report.model import LogisticFit
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.model import CODING, FORMULA, fit_of
from analysis.studies.simulatability.words import DOMAINS, TWO_WAY, domain_name


@dataclass(frozen=True, slots=True)
class Models:
    """The mixed models."""

    fits: Annotated[dict[str, LogisticFit], about("By domain.")]


def compute(data: SimulatabilityData) -> Models:
    """Return the fit of each domain."""
    return Models({name: fit_of(outcome) for name, outcome in data.models.items()})


def _fit_in(domain: str) -> Callable[[Models], LogisticFit | None]:
    return lambda answer: answer.fits.get(domain)


MODEL_OF = tuple(
    ReportModel(f"model_{name}", _fit_in(name), f"{domain_name(name).capitalize()}.")
    for name in DOMAINS
)


def _methods(answer: Models, whole: Whole) -> list[str]:
    fitted = [fit.formula for fit in answer.fits.values() if fit.fitted]
    model = (
        f"In each domain, right predictions were modelled with a logistic mixed model "
        f"({'; '.join(dict.fromkeys(fitted))}; Laplace approximation, one step of REML, "
        "Satterthwaite’s degrees of freedom) and averaged over participants and items."
        if fitted
        else "No mixed model could be fitted."
    )
    return [
        model,
        f"The report also gives means over participants and items with {whole.frame.intervals} "
        f"({TWO_WAY}).",
    ]


def _lacking(_: SimulatabilityData, answer: Models | None) -> list[Lacking]:
    rows = []
    for name, fit in cast(Models, answer).fits.items():
        rows += unsound_model(fit, f"the mixed model, {domain_name(name)}")
    return rows


MODELS = Question(
    id="models",
    title="The mixed model",
    answer=Models,
    compute=compute,
    parts=MODEL_OF,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise(
        f"Mixed logistic regression of right predictions, one model for each domain. {CODING} "
        "If the data don't support a random effect, it is left out by stated rules.",
        FORMULA,
    ),
)
"""The mixed model of right predictions."""

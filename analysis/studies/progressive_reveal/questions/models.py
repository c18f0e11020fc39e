"""The mixed models: hazard of recognition, quality per pixel, wrong tries, times."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.question import Lacking, Promise, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportModel
from analysis.report.missing import unsound_model
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.model_fit import (
    HAZARD,
    OF_HAZARD,
    PER_PIXEL,
    TIMES,
    TRIES,
    RevealFit,
)
from analysis.studies.progressive_reveal.models import (
    PooledStep,
    per_pixel_model,
    times_model,
    tries_model,
)
from analysis.studies.progressive_reveal.quantities import MODELLED


@dataclass(frozen=True, slots=True)
class Models(Estimates):
    """The mixed models, and recognition by the first of them."""

    hazard: Annotated[RevealFit, about("The discrete-time model of recognition.")]
    pooled_steps: Annotated[
        tuple[PooledStep, ...], about("Which steps share a hazard; empty without recognition.")
    ]
    per_pixel: Annotated[RevealFit, about("The same with the pixels uncovered at each step.")]
    tries: Annotated[RevealFit, about("The model of wrong tries.")]
    times: Annotated[RevealFit, about("The model of times to recognition.")]


def compute(data: RevealData) -> Models:
    """Return the four models, and what the first says of recognition."""
    table, primary = data.table, data.results.model
    return Models(
        primary.curves,
        primary.hazard,
        primary.pooled_steps,
        per_pixel_model(table, primary),
        tries_model(table),
        times_model(table),
    )


PARTS = (
    ReportModel("hazard", "hazard", "Discrete-time model of recognition."),
    ReportModel(
        "per_pixel",
        "per_pixel",
        "The same with the pixels uncovered at each step: quality per pixel.",
    ),
    ReportModel("tries", "tries", "Wrong tries.", ("fixed",)),
    ReportModel("times", "times", "Times to recognition.", ("fixed",)),
)


def _methods(_: Models, whole: Whole) -> list[str]:
    return [
        "Hazards of recognition over steps were modelled by a logistic mixed model on person-step "
        "rows (Laplace approximation), and averaged over the participants and images that were "
        "there."
    ]


def _lacking(data: RevealData, answer: Models | None) -> list[Lacking]:
    assert answer is not None
    fits = {
        "the discrete-time model, and recognition averaged from it": answer.hazard,
        "the model with log pixels": answer.per_pixel,
        "the model of wrong tries": answer.tries,
        "the model of times": answer.times,
    }
    return [row for what, fit in fits.items() for row in unsound_model(fit, what)]


MODELS = Question(
    id="models",
    title="Mixed models",
    answer=Models,
    quantities=(MODELLED,),
    compute=compute,
    step="fitting tries and times",
    parts=PARTS,
    methods=_methods,
    needs={"rt_s": "times to recognition and their model"},
    lacking=_lacking,
    registered=lambda _: Promise(
        f"Discrete-time model of recognition. {OF_HAZARD.coding} The same per pixel: "
        f"{PER_PIXEL}. Wrong tries: {TRIES}. Times: {TIMES}.",
        HAZARD,
    ),
)
"""The mixed models."""

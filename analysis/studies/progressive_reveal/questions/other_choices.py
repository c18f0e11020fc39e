"""The same result under other choices: without those left out by rule, and others."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import level_of, limits_of, n_of, p_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes, some
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import count, interval, number, points_tenth
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.exclusions import PEOPLE, second_analysis
from analysis.studies.progressive_reveal.models import MethodTyping, Typing, typing_model
from analysis.studies.progressive_reveal.quantities import (
    MEAN_STEPS,
    MODELLED,
    RATE,
    RESTRICTED,
    RESTRICTED_LESS,
)
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.recognition import sensitivity
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


@dataclass(frozen=True, slots=True)
class OtherChoices(Estimates):
    """The same result under other choices."""

    typing: Annotated[
        Typing | None, about("What typing time changes in the model; null if it isn't known.")
    ]


def compute(data: RevealData) -> OtherChoices:
    """Return the main results without some, and methods' coefficients with typing time."""
    results, left_out = data.results, data.excluded
    choices = sensitivity(data.table, data.plan, results.restricted, left_out)
    return OtherChoices((*second_analysis(results, left_out), *choices), typing_model(data.table))


ANALYSIS = level_of("analysis", "Analysis", once=True)
TWICE = (RATE, MODELLED, RESTRICTED, MEAN_STEPS)
SECOND = pivot(
    "The main results with everybody, and without those left out by rule.",
    named(
        ANALYSIS,
        METHOD_COLUMN,
        value_of(RATE),
        limits_of(RATE),
        value_of(MODELLED),
        value_of(RESTRICTED),
        limits_of(RESTRICTED),
        value_of(MEAN_STEPS),
        limits_of(MEAN_STEPS),
        n_of(RATE, "Rounds"),
        breaks=True,
    ),
    by=("analysis", "method"),
    of=lambda here: here.answer.rows(*TWICE),
    note="Everybody: by intention to treat. Model: recognition by the last step.",
    strong=changes("analysis"),
    row_headers=2,
)
SENSITIVITY = pivot(
    "Restricted mean less the reference’s, under other choices.",
    named(
        ANALYSIS,
        METHOD_COLUMN,
        Column("Less the reference", RESTRICTED_LESS.id, points_tenth, "points of the image"),
        limits_of(RESTRICTED_LESS),
        p_of(RESTRICTED_LESS),
        n_of(RESTRICTED_LESS, "Rounds"),
    ),
    by=("analysis", "method"),
    of=lambda here: here.answer.rows(RESTRICTED_LESS),
    strong=changes("analysis"),
    row_headers=2,
)


def _typing(here: Shown[OtherChoices]) -> Paragraph | None:
    typing = here.answer.typing
    if typing is None:
        return None
    if typing.typing is None:
        return Paragraph(f"Typing time in the model: {typing.reason}")
    row = typing.typing
    return Paragraph(
        "Typing time (seconds a letter, from the copied words) in the hazard of recognition: "
        f"{number(row.estimate)} log odds a second {interval(row.ci_low, row.ci_high)}, "
        f"over {count(typing.people, 'participant')}. tables/typing.csv has the methods’ "
        "coefficients with and without it."
    )


def _typed(here: Shown[OtherChoices]) -> tuple[MethodTyping, ...]:
    return here.answer.typing.methods if here.answer.typing is not None else ()


def _lacking(_: RevealData, answer: OtherChoices | None) -> list[Lacking]:
    typing = None if answer is None else answer.typing
    if typing is None or typing.fitted:
        return []
    return [Lacking("methods compared at equal typing time, by the model", typing.reason)]


TYPING = ReportTable("typing", some(_typed))
OTHER_CHOICES = Question(
    id="other_choices",
    title="The same result under other choices",
    answer=OtherChoices,
    quantities=(PEOPLE, *TWICE, RESTRICTED_LESS),
    compute=compute,
    step="repeating under other choices",
    parts=(SECOND, SENSITIVITY, _typing, TYPING),
    view=Shown,
    needs={
        "step_first_key": "the same at the first key of the right answer",
        "pixels_first_key": "the same at the first key of the right answer",
        "model_correct": "the result on images that the model classifies correctly",
        "typing_s": "typing time as a covariate",
    },
    lacking=_lacking,
    registered=lambda _: Promise(
        "The primary results without participants who are left out by rule."
    ),
)
"""The same result under other choices."""

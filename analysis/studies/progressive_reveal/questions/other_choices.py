"""The same result under other choices: without those left out by rule, and others."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes, some
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import (
    bare_percent,
    count,
    grouped,
    interval,
    number,
    p_value,
    points_tenth,
    rounded,
    whole_percent,
)
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.exclusions import MethodTwice, second_analysis
from analysis.studies.progressive_reveal.models import MethodTyping, Typing, typing_model
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.recognition import Sensitivity, sensitivity
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


@dataclass(frozen=True, slots=True)
class OtherChoices:
    """The same result under other choices."""

    second: Annotated[
        tuple[MethodTwice, ...],
        about("Main results of everybody and without those left out; empty if nobody is."),
    ]
    sensitivity: Annotated[
        tuple[Sensitivity, ...], about("Restricted means less the reference's, by choice.")
    ]
    typing: Annotated[
        Typing | None, about("What typing time changes in the model; null if it isn't known.")
    ]


def compute(data: RevealData) -> OtherChoices:
    """Return the main results without some, and methods' coefficients with typing time."""
    results, left_out = data.results, data.excluded
    return OtherChoices(
        second_analysis(results, left_out),
        sensitivity(data.table, data.plan, results.restricted, left_out),
        typing_model(data.table),
    )


SECOND = ReportTable(
    "second_analysis",
    "answer.second",
    "The main results with everybody, and without those left out by rule.",
    named(
        Column("Analysis", "analysis", once=True),
        METHOD_COLUMN,
        Column("Recognised", "recognition_rate", whole_percent, "%"),
        limits(whole_percent, "recognition_rate_low", "recognition_rate_high"),
        Column("Model", "model", whole_percent, "%"),
        Column("Restricted mean", "restricted", bare_percent, "% of image"),
        limits(bare_percent, "restricted_low", "restricted_high"),
        Column("Mean steps", "steps", rounded(number, 1)),
        limits(rounded(number, 1), "steps_low", "steps_high"),
        Column("Rounds", "rounds", grouped, "n"),
        breaks=True,
    ),
    "Everybody: by intention to treat. Model: recognition by the last step.",
    strong=changes("analysis"),
    row_headers=2,
)
SENSITIVITY = ReportTable(
    "sensitivity",
    "answer.sensitivity",
    "Restricted mean less the reference’s, under other choices.",
    named(
        Column("Analysis", "analysis", once=True),
        METHOD_COLUMN,
        Column("Less the reference", "estimate", points_tenth, "points of the image"),
        limits(points_tenth),
        Column("p", "p", p_value),
        Column("Rounds", "rounds", grouped, "n"),
    ),
    strong=changes("analysis"),
    row_headers=2,
)


def _typing(here: Shown[OtherChoices]) -> Paragraph | None:
    found = here.answer.typing
    if found is None:
        return None
    if found.typing is None:
        return Paragraph(f"Typing time in the model: {found.reason}")
    row = found.typing
    return Paragraph(
        "Typing time (seconds a letter, from the copied words) in the hazard of recognition: "
        f"{number(row.estimate)} log odds a second {interval(row.ci_low, row.ci_high)}, "
        f"over {count(found.people, 'participant')}. tables/typing.csv has the methods’ "
        "coefficients with and without it."
    )


def _typed(here: Shown[OtherChoices]) -> tuple[MethodTyping, ...]:
    return here.answer.typing.methods if here.answer.typing is not None else ()


TYPING = ReportTable("typing", some(_typed))
OTHER_CHOICES = Question(
    id="other_choices",
    title="The same result under other choices",
    answer=OtherChoices,
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
    registered=lambda _: Promise(
        "secondary", "The primary results without participants who are left out by rule."
    ),
)
"""The same result under other choices."""

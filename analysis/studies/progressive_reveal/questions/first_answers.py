"""How often the first answer is right, raw and corrected for guessing."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column, limits
from analysis.report.wording import grouped, whole_percent
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.rates import FirstAnswer, first_answers
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named


@dataclass(frozen=True, slots=True)
class FirstAnswers:
    """How often the first answer is right; no row if the table lacks it."""

    rows: Annotated[tuple[FirstAnswer, ...], about("First answers by method.")]


def compute(data: RevealData) -> FirstAnswers:
    """Return how often first answers are right, by method."""
    return FirstAnswers(first_answers(data.table, data.plan))


TABLE = ReportTable(
    "first_attempts",
    "answer.rows",
    "Right at the first attempt.",
    named(
        METHOD_COLUMN,
        Column("First answer right", "rate", whole_percent, "%"),
        limits(whole_percent, "rate_low", "rate_high"),
        Column("Corrected for guessing", "estimate", whole_percent, "%"),
        limits(whole_percent),
        Column("Rounds", "n", grouped, "n"),
    ),
    "Corrected: (rate − guess) / (1 − guess), guess one over the number of classes. Rounds without "
    "an answer count as not right.",
)
FIRST_ANSWERS = Question(
    id="first_answers",
    title="First answers",
    answer=FirstAnswers,
    compute=compute,
    parts=(TABLE,),
    view=Shown,
    needs={
        "first_attempt_right": "recognition at the first attempt, raw and corrected for guessing",
        "guess_rate": "recognition at the first attempt, corrected for guessing",
    },
    registered=lambda _: Promise("secondary", "How often the first answer is right."),
)
"""How often the first answer is right."""

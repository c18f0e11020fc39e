"""Accuracy as published, of those who qualified: what the published analysis rests on."""

from dataclasses import dataclass
from typing import Annotated, Literal

from analysis.questions.estimates import AGAINST, Estimates
from analysis.questions.pivot import pivot
from analysis.questions.question import Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.parts import Paragraph
from analysis.report.wording import count
from analysis.studies.human_ai_team.accuracy import accuracy_pairs, per_user_accuracy
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.quantities import (
    OF_ARM,
    OF_PAIR,
)
from analysis.studies.human_ai_team.questions.accuracy import (
    arm_columns,
    of_reference,
    pair_columns,
)
from analysis.studies.human_ai_team.rates import measure
from analysis.studies.human_ai_team.trials import ALL


@dataclass(frozen=True, slots=True)
class Second(Estimates):
    """Accuracy and tests for the group that the main results don't show."""

    of: Annotated[Literal["everybody", "qualified"], about("The group.")]
    participants: Annotated[int, about("Participants.")]
    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]


def compute(data: TeamData) -> Second | Unavailable:
    """Return accuracy and tests for the group that the report isn't of."""
    answers = data.other_group
    if answers is None:
        return Unavailable()
    rates = measure(answers, data.plan)
    return Second(
        (*per_user_accuracy(answers, rates, ALL), *accuracy_pairs(answers, rates)),
        of="everybody" if data.rests_on_qualified else "qualified",
        participants=answers.participants,
        reference=answers.reference,
    )


def _group(answer: Second) -> str:
    return "everybody" if answer.of == "everybody" else "only those who qualified"


BY_ARM = pivot(
    lambda answer: f"Accuracy per participant, {_group(answer)}.",
    arm_columns(),
    by=("method",),
    of=lambda answer: answer.rows(*OF_ARM, part=ALL),
)
PAIRS = pivot(
    lambda answer: f"Arms compared, {_group(answer)}.",
    pair_columns(),
    by=("method", AGAINST),
    of=of_reference,
)


def summary(answer: Second) -> Paragraph:
    """Return who the group is, and how many."""
    who = "Everybody" if answer.of == "everybody" else "Only those who qualified"
    return Paragraph(f"{who}: {count(answer.participants, 'participant')}.")


def _lacking(data: TeamData, _: Second | None) -> list[Lacking]:
    if any(person.qualified is not None for person in data.people):
        return []
    reason = "there are neither validation trials nor a column qualified"
    return [Lacking("the second analysis, of the qualified", reason)]


SECOND = Question(
    id="second",
    title="Accuracy as published, of those who qualified",
    answer=Second,
    quantities=(*OF_ARM, *OF_PAIR),
    compute=compute,
    step="repeating for those who qualified",
    parts=(summary, BY_ARM, PAIRS),
    lacking=_lacking,
    registered=lambda _: Promise(
        "Accuracy as published, of the group that the primary analysis doesn't take."
    ),
)
"""The same for the group that the main results don't show."""

"""What leads noticed: their answers to the questions at the end of a session."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Found, Question
from analysis.report.about import about
from analysis.report.declared import as_mapping
from analysis.studies.accept_reject.blinding import lead_answers
from analysis.studies.accept_reject.blinding_page import answers_table
from analysis.studies.accept_reject_accuracy.data import AccuracyData


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """How many leads gave an answer."""

    question: Annotated[str, about("The question.")]
    answer: Annotated[str, about("The answer.")]
    leads: Annotated[int, about("Leads who gave it.")]
    of: Annotated[int, about("Leads who answered the question.")]
    share: Annotated[float | None, about("Their share, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]


@dataclass(frozen=True, slots=True)
class Noticed:
    """What leads noticed."""

    answers: Annotated[tuple[GivenAnswer, ...], about("Answers by question.")]


def compute(data: AccuracyData, found: Found) -> Noticed:
    """Return answers by question."""
    return Noticed(tuple(GivenAnswer(**row) for row in lead_answers(data.judged.frame)))


NOTICED = Question(
    id="noticed",
    title="What leads noticed",
    answer=Noticed,
    compute=compute,
    parts=(answers_table(lambda found: [as_mapping(row) for row in found.answers]),),
)
"""What leads noticed."""

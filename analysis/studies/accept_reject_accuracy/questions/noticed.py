"""What leads noticed: their answers to the questions at the end of a session."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Question
from analysis.report.about import about
from analysis.studies.accept_reject.blinding import LeadAnswers, answers_at_the_end, answers_table
from analysis.studies.accept_reject_accuracy.data import AccuracyData


@dataclass(frozen=True, slots=True)
class Noticed:
    """What leads noticed."""

    answers: Annotated[tuple[LeadAnswers, ...], about("Answers by question.")]


def compute(data: AccuracyData) -> Noticed:
    """Return answers by question."""
    return Noticed(answers_at_the_end(data.judged.frame))


NOTICED = Question(
    id="noticed",
    title="What leads noticed",
    answer=Noticed,
    compute=compute,
    parts=(answers_table("answers"),),
)
"""What leads noticed."""

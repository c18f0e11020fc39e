"""What leads noticed: their answers to the questions at the end of a session."""

from analysis.questions.estimates import Estimates
from analysis.questions.question import Question
from analysis.studies.accept_reject.blinding import GIVEN, answers_at_the_end, answers_table
from analysis.studies.accept_reject_accuracy.data import AccuracyData


def compute(data: AccuracyData) -> Estimates:
    """Return answers by question."""
    return Estimates(answers_at_the_end(data.judged.frame))


NOTICED = Question(
    id="noticed",
    title="What leads noticed",
    answer=Estimates,
    quantities=(GIVEN,),
    compute=compute,
    parts=(answers_table(),),
)
"""What leads noticed."""

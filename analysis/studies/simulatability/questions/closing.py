"""What participants answered at the end, by method."""

from typing import Final

from analysis.questions.answers_by_arm import (
    ANSWERED,
    AnswersByArm,
    answers_by_arm,
    answers_table,
)
from analysis.questions.question import Question, Unavailable
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import method_name
from stimuli.studies.simulatability.protocol import cell_of

QUESTIONS: Final = ("relied_on", "explanations_helped", "knows_ai")


def compute(data: SimulatabilityData) -> AnswersByArm | Unavailable:
    """Return how often each answer at the end was chosen, by method over all domains.

    For people who took two tests, the first test's method counts.
    """
    people = data.sessions
    if people is None or not set(QUESTIONS) & set(people):
        return Unavailable("answers at the end", "there is no table of people with them")
    methods = people["arm"].map(lambda arm: cell_of(str(arm))[1])
    of_arms = people.assign(method=methods)
    return answers_by_arm("simulatability", QUESTIONS, of_arms, data.predictions.methods)


ANSWERS = answers_table(
    "Answers at the end of the session: participants by method.",
    method_name,
    "The arm without explanations isn’t asked about them.",
)
CLOSING = Question(
    id="closing",
    title="Answers at the end",
    answer=AnswersByArm,
    quantities=(ANSWERED,),
    compute=compute,
    parts=(ANSWERS,),
)
"""What participants answered at the end."""

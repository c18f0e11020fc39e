"""What people answered to the questions before and after the items."""

from analysis.questions.answers_by_arm import (
    ANSWERED,
    AnswersByArm,
    answers_by_arm,
    answers_table,
)
from analysis.questions.question import Question, Unavailable
from analysis.table_study.data import ItemData


def compute(data: ItemData) -> AnswersByArm | Unavailable:
    """Return how often each answer was given, by arm."""
    protocol, people = data.protocol, data.dataset.beside.get("people")
    asked = (*protocol.session.before, *protocol.session.after)
    if not asked or people is None:
        return Unavailable(
            "answers to the questions", "" if not asked else "there is no people.csv"
        )
    analysed = people[people["participant"].isin(data.answered["participant"])]
    return answers_by_arm(
        protocol.study, asked, analysed.rename(columns={"arm": "method"}), protocol.arms
    )


ASKED = Question(
    id="asked",
    title="Questions before and after",
    answer=AnswersByArm,
    quantities=(ANSWERED,),
    compute=compute,
    parts=(answers_table("Number of participants who gave each answer.", lambda arm: arm),),
    shown=lambda answer: answer.estimates,
)
"""What people answered to the questions before and after the items."""

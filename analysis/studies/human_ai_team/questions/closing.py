"""What participants said at the end: what they relied on, what they noticed, what they know."""

from typing import Final

from analysis.questions.answers_by_arm import (
    ANSWERED,
    AnswersByArm,
    answers_by_arm,
    answers_table,
)
from analysis.questions.question import Question, Unavailable
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name
from participants.studies.human_ai_team.rows import ANSWERED_AT_THE_END

RESULT: Final = "what participants said at the end"


def compute(data: TeamData) -> AnswersByArm | Unavailable:
    """Return answers by question and arm, of those whose main trials are analysed."""
    table = data.dataset.beside.get("people")
    if table is None:
        return Unavailable(RESULT, "there is no table of people")
    people = table[table["participant"].astype(str).isin(data.answers.frame["participant"])]
    people = people.drop_duplicates("participant", keep="last")
    questions = tuple(ANSWERED_AT_THE_END)
    answers = answers_by_arm("human_ai_team", questions, people, data.answers.arms)
    if not answers.estimates:
        return Unavailable(RESULT, "nobody answered the questions at the end")
    return answers


TABLE = answers_table("What participants said at the end, by arm.", arm_name)
CLOSING = Question(
    id="closing",
    title="What participants said at the end",
    answer=AnswersByArm,
    quantities=(ANSWERED,),
    compute=compute,
    parts=(TABLE,),
)
"""What participants said at the end."""

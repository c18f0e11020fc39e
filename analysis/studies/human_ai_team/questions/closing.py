"""What participants said at the end: what they relied on, what they noticed, what they know."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import pandas as pd

from analysis.questions.question import Found, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.estimates import limits_row
from analysis.report.parts import Column
from analysis.report.wording import percent
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name
from participants.studies.human_ai_team.columns import ANSWERED_AT_THE_END
from participants.texts.load import load_question

RESULT: Final = "what participants said at the end"
LANGUAGE: Final = "en"


@dataclass(frozen=True, slots=True)
class ClosingAnswer:
    """How often an arm's participants gave an answer."""

    question: Annotated[str, about("The question's id.")]
    asked: Annotated[str, about("The question as it was asked.")]
    choice: Annotated[str, about("The answer's id.")]
    words: Annotated[str, about("The answer in words.")]
    method: Annotated[str, about("The arm.")]
    count: Annotated[int, about("Participants who gave it.")]
    n: Annotated[int, about("Participants of the arm who answered the question.")]
    rate: Annotated[float | None, about("Their share, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]


@dataclass(frozen=True, slots=True)
class Closing:
    """Answers to the questions at the end."""

    answers: Annotated[tuple[ClosingAnswer, ...], about("By question, answer and arm.")]
    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]


def compute(data: TeamData, found: Found) -> Closing | Unavailable:
    """Return answers by question and arm, of those whose main trials are analysed."""
    table = data.dataset.beside.get("people")
    if table is None:
        return Unavailable(RESULT, "there is no table of people")
    own = table[table["participant"].astype(str).isin(data.answers.frame["participant"])]
    rows = tuple(_rows(own.drop_duplicates("participant", keep="last"), data.answers.arms))
    if not rows:
        return Unavailable(RESULT, "nobody answered the questions at the end")
    return Closing(rows, data.answers.arms)


def _rows(people: pd.DataFrame, arms: tuple[str, ...]) -> Iterator[ClosingAnswer]:
    for question in ANSWERED_AT_THE_END:
        given = people[people[question].notna() & (people[question].astype(str) != "")]
        if given.empty:
            continue
        asked = load_question("human_ai_team", LANGUAGE, question)
        known = list(asked.choices)
        others = sorted(set(given[question].astype(str)) - set(known))
        for choice in (*known, *others):
            for method in arms:
                of_arm = given.loc[given["method"].astype(str) == method, question].astype(str)
                counted = Count(int((of_arm == choice).sum()), len(of_arm))
                yield ClosingAnswer(
                    question,
                    asked.text,
                    choice,
                    asked.choices.get(choice, choice),
                    method,
                    counted.successes,
                    counted.n,
                    **limits_row(wilson(counted), "rate"),
                )


@dataclass(frozen=True, slots=True)
class _Choice:
    """An answer with its counts in every arm, which is a row of the page."""

    asked: str
    words: str
    by_arm: Mapping[str, ClosingAnswer]


def _choices(found: Closing) -> list[_Choice]:
    rows: dict[tuple[str, str], dict[str, ClosingAnswer]] = {}
    for row in found.answers:
        rows.setdefault((row.asked, row.words), {})[row.method] = row
    return [_Choice(*names, own) for names, own in rows.items()]


def _cell(method: str) -> Callable[[_Choice], str]:
    def write(row: _Choice) -> str:
        own = row.by_arm[method]
        return f"{own.count} of {own.n}" if own.n else percent(None)

    return write


TABLE = ReportTable(
    "answers_at_the_end",
    "answers",
    "What participants said at the end: participants by arm.",
    lambda found: (
        Column("Question", "asked", once=True),
        Column("Answer", "words"),
        *(Column(arm_name(method), _cell(method), str) for method in found.arms),
    ),
    "tables/answers_at_the_end.csv has shares with Wilson’s intervals.",
    shown=_choices,
    strong=changes("asked"),
    row_headers=2,
)
CLOSING = Question(
    id="closing",
    title="What participants said at the end",
    answer=Closing,
    compute=compute,
    parts=(TABLE,),
)
"""What participants said at the end."""

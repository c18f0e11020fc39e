"""How often answers to questions with fixed choices were given, by arm, and the table of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import pandas as pd

from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.estimates import limits_row
from analysis.report.parts import Column
from analysis.report.wording import percent
from analysis.statistics.proportions import Count, wilson
from participants.texts.load import load_question

LANGUAGE: Final = "en"


@dataclass(frozen=True, slots=True)
class AnswerOfArm:
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
class AnswersByArm:
    """Answers to questions with fixed choices."""

    answers: Annotated[tuple[AnswerOfArm, ...], about("By question, answer and arm.")]
    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]


def answers_by_arm(
    study: str, questions: Sequence[str], people: pd.DataFrame, arms: Sequence[str]
) -> AnswersByArm:
    """Count answers.

    Parameters
    ----------
    study
        By its name in the catalogue; its words say what was asked.
    questions
        Their ids; those that nobody answered are left out.
    people
        One row for each participant: ``method``, and a column of choices for each question; missing
        or empty where it wasn't answered.
    arms
        Values of ``method``, the reference first.
    """
    return AnswersByArm(tuple(_rows(study, questions, people, arms)), tuple(arms))


def _rows(
    study: str, questions: Sequence[str], people: pd.DataFrame, arms: Sequence[str]
) -> Iterator[AnswerOfArm]:
    for question in (name for name in questions if name in people):
        given = people[people[question].notna() & (people[question].astype(str) != "")]
        if given.empty:
            continue
        asked = load_question(study, LANGUAGE, question)
        known = list(asked.choices)
        others = sorted(set(given[question].astype(str)) - set(known))
        for choice in (*known, *others):
            for method in arms:
                of_arm = given.loc[given["method"].astype(str) == method, question].astype(str)
                counted = Count(int((of_arm == choice).sum()), len(of_arm))
                yield AnswerOfArm(
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
    by_arm: Mapping[str, AnswerOfArm]


def _choices(found: AnswersByArm) -> list[_Choice]:
    rows: dict[tuple[str, str], dict[str, AnswerOfArm]] = {}
    for row in found.answers:
        rows.setdefault((row.asked, row.words), {})[row.method] = row
    return [_Choice(*names, own) for names, own in rows.items()]


def _cell(method: str) -> Callable[[_Choice], str]:
    def write(row: _Choice) -> str:
        own = row.by_arm[method]
        return f"{own.count} of {own.n}" if own.n else percent(None)

    return write


def answers_table(
    name: str, caption: str, arm_name: Callable[[str], str], note: str = ""
) -> ReportTable:
    """Return the table of answers: a row for each answer, a column for each arm.

    Parameters
    ----------
    name
        Stem of its file, which has the shares with their intervals.
    caption, note
        What the page says above and below it.
    arm_name
        Returns an arm's name on the page.
    """
    return ReportTable(
        name,
        "answers",
        caption,
        lambda found: (
            Column("Question", "asked", once=True),
            Column("Answer", "words"),
            *(Column(arm_name(method), _cell(method), str) for method in found.arms),
        ),
        f"{note} tables/{name}.csv has shares with Wilson’s intervals.".strip(),
        shown=_choices,
        strong=changes("asked"),
        row_headers=2,
    )

"""Count the answers to questions with fixed choices by arm, and make the table of them.

The reports of studies that compare people have such a question: age and gender of those who took
part.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import pandas as pd

from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.estimates import limits_row
from analysis.report.parts import Column
from analysis.report.wording import percent
from analysis.statistics.proportions import Count, wilson
from participants.folder import DataFolder
from participants.lab_registry import told_by_people
from participants.session.kept_answers import FORM_FIELDS, SKIP
from participants.texts.load import load_question

LANGUAGE: Final = "en"

ID: Final = "about_people"
COUNTED: Final = ("about_age", "about_gender")
"""Questions of the form about oneself whose answers are counted."""


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
        or empty if it wasn't answered.
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


def about_people_question(
    study: str,
    grouped: Callable[[Any], tuple[pd.DataFrame, Sequence[str]]],
    arm_name: Callable[[str], str],
) -> Question[Any, AnswersByArm]:
    """Return the question of a study.

    Parameters
    ----------
    study
        By its name in the catalogue.
    grouped
        Returns, from the study's data, a table with a row for each participant who is analysed
        (``participant``, ``method``), and all arms, the reference first.
    arm_name
        Returns an arm's name on the page.
    """

    def compute(data: Any) -> AnswersByArm:
        people, arms = grouped(data)
        said = _answers_by_code(data.dataset.folder)
        own = people[people["participant"].isin(list(said))]
        columns = {
            question: [said[code][question] for code in own["participant"]] for question in COUNTED
        }
        return answers_by_arm(study, COUNTED, own.assign(**columns), arms)

    note = "From the form about oneself; each question could be skipped."
    return Question(
        id=ID,
        title="Age and gender",
        answer=AnswersByArm,
        compute=compute,
        parts=(answers_table(ID, "Age and gender: participants by arm.", arm_name, note),),
        shown=lambda found: found.answers,
    )


def _answers_by_code(folder: Path | None) -> Mapping[str, Mapping[str, str]]:
    """Return what people answered to the questions that are counted, by code."""
    people = {} if folder is None else told_by_people(DataFolder(folder))
    return {
        code: {question: asdict(person)[FORM_FIELDS[question]] or SKIP for question in COUNTED}
        for code, person in people.items()
    }

"""Count the answers to questions with fixed choices by arm, and make the table of them.

The reports of studies that compare people have such a question: age and gender of those who took
part.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, share_row
from analysis.questions.pivot import Wide, pivot
from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.report.wording import percent
from analysis.statistics.proportions import Count
from participants.folder import DataFolder
from participants.lab_registry import told_by_people
from participants.session.kept_answers import FORM_FIELDS, SKIP
from participants.texts.load import load_question
from stimuli.languages import ENGLISH

ID: Final = "about_people"
COUNTED: Final = ("about_age", "about_gender")
"""Questions of the form about oneself whose answers are counted."""
ANSWERED = Quantity(
    "answered", "Answered", "Share of an arm’s participants who chose this answer.", percent
)


@dataclass(frozen=True, slots=True)
class AnswersByArm(Estimates):
    """Answers to questions with fixed choices."""

    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]
    asked: Annotated[dict[str, str], about("The questions as they were asked.")]
    choices: Annotated[dict[str, dict[str, str]], about("Each question's answers in words.")]


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
    answers = {name: _answers_to(people, name) for name in questions if name in people}
    asked = {
        name: load_question(study, ENGLISH, name) for name, rows in answers.items() if len(rows)
    }
    choices = {name: _words(answers[name], question.choices) for name, question in asked.items()}
    return AnswersByArm(
        tuple(row for name in asked for row in _rows(name, answers[name], choices[name], arms)),
        tuple(arms),
        {name: question.text for name, question in asked.items()},
        choices,
    )


def _answers_to(people: pd.DataFrame, question: str) -> pd.DataFrame:
    """Return the arm and the answer of each participant who answered a question."""
    answers = people[["method", question]].set_axis(["method", "choice"], axis=1)
    answers = answers[answers["choice"].notna()].astype(str)
    return answers[answers["choice"] != ""]


def _words(answers: pd.DataFrame, words: Mapping[str, str]) -> dict[str, str]:
    """Return the words of each answer; an unknown one is its own."""
    return {**words, **{choice: choice for choice in sorted(set(answers["choice"]) - set(words))}}


def _rows(
    question: str, answers: pd.DataFrame, choices: Mapping[str, str], arms: Sequence[str]
) -> Iterator[EstimateRow]:
    for choice in choices:
        for method in arms:
            chosen = answers.loc[answers["method"] == method, "choice"]
            counted = Count(int((chosen == choice).sum()), len(chosen))
            of = {"asked": question, "choice": choice, "method": method}
            yield share_row(ANSWERED, of, counted)


def _cell(method: str) -> Callable[[Wide], str]:
    def write(row: Wide) -> str:
        share, n = (row[f"{ANSWERED.id}/{method}{part}"] for part in ("", ".n"))
        return f"{round(share * n)} of {n}" if n else percent(None)

    return write


def answers_table(caption: str, arm_name: Callable[[str], str], note: str = "") -> ReportTable:
    """Return the table of answers: a row for each answer, a column for each arm.

    Parameters
    ----------
    caption, note
        What the page says above and below it.
    arm_name
        Returns an arm's name on the page.
    """
    return pivot(
        caption,
        lambda answer: (
            Column("Question", lambda row: answer.asked[row["asked"]], once=True),
            Column("Answer", lambda row: answer.choices[row["asked"]][row["choice"]]),
            *(Column(arm_name(method), _cell(method), str) for method in answer.arms),
        ),
        by=("asked", "choice"),
        over="method",
        note=f"{note} tables/estimates.csv has shares with Wilson’s intervals.".strip(),
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
        answers = _answers_by_code(data.dataset.folder)
        people = people[people["participant"].isin(list(answers))]
        columns = {
            question: [answers[code][question] for code in people["participant"]]
            for question in COUNTED
        }
        return answers_by_arm(study, COUNTED, people.assign(**columns), arms)

    note = "From the form about oneself; each question could be skipped."
    return Question(
        id=ID,
        title="Age and gender",
        answer=AnswersByArm,
        quantities=(ANSWERED,),
        compute=compute,
        parts=(answers_table("Age and gender: number of participants.", arm_name, note),),
        shown=lambda answer: answer.estimates,
    )


def _answers_by_code(folder: Path | None) -> Mapping[str, Mapping[str, str]]:
    """Return what people answered to the questions that are counted, by code."""
    people = {} if folder is None else told_by_people(DataFolder(folder))
    return {
        code: {question: asdict(person)[FORM_FIELDS[question]] or SKIP for question in COUNTED}
        for code, person in people.items()
    }

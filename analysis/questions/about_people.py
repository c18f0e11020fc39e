"""Age and gender of those who took part, by arm, for studies that compare people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pandas as pd

from analysis.questions.answers_by_arm import AnswersByArm, answers_by_arm, answers_table
from analysis.questions.question import Found, Question
from participants.folder import DataFolder
from participants.registry_people import told_by_people
from participants.session.about_oneself import FIELDS, SKIP

ID: Final = "about_people"
COUNTED: Final = ("about_age", "about_gender")
"""Questions of the form about oneself whose answers are counted."""


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

    def compute(data: Any, _: Found) -> AnswersByArm:
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
        code: {question: asdict(person)[FIELDS[question]] or SKIP for question in COUNTED}
        for code, person in people.items()
    }

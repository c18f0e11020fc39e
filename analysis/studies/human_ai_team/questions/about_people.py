"""Age and gender of the participants, by arm."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis.questions.answers_by_arm import about_people_question
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name


def _grouped(data: TeamData) -> tuple[pd.DataFrame, Sequence[str]]:
    return data.answers.frame.drop_duplicates("participant"), data.answers.arms


ABOUT_PEOPLE: Final = about_people_question("human_ai_team", _grouped, arm_name)
"""Age and gender, by arm."""

"""Age and gender of the participants, by arm."""

from typing import Final

from analysis.questions.about_people import Grouped, about_people_question
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name


def _grouped(data: TeamData) -> Grouped:
    frame = data.answers.frame.drop_duplicates("participant")
    return Grouped(dict(zip(frame["participant"], frame["method"], strict=True)), data.answers.arms)


ABOUT_PEOPLE: Final = about_people_question("human_ai_team", _grouped, arm_name)
"""Age and gender, by arm."""

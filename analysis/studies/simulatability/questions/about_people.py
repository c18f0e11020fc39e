"""Age and gender of the participants, by method."""

from typing import Final

from analysis.questions.about_people import Grouped, about_people_question
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import method_name


def _grouped(data: SimulatabilityData) -> Grouped:
    pairs = data.predictions.pairs.drop_duplicates("participant")
    arms = dict(zip(pairs["participant"], pairs["method"], strict=True))
    return Grouped(arms, data.predictions.methods)


ABOUT_PEOPLE: Final = about_people_question("simulatability", _grouped, method_name)
"""Age and gender, by method; people with several count for their first."""

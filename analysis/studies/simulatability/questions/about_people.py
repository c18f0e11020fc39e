"""Age and gender of the participants, by method."""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from analysis.questions.answers_by_arm import about_people_question
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import method_name


def _grouped(data: SimulatabilityData) -> tuple[pd.DataFrame, Sequence[str]]:
    return data.predictions.pairs.drop_duplicates("participant"), data.predictions.methods


ABOUT_PEOPLE: Final = about_people_question("simulatability", _grouped, method_name)
"""Age and gender, by method; people with several count for their first."""

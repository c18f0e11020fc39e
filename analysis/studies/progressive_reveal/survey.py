"""Who took part: sessions finished and taken up again, and the optional questions' answers."""

import re
from dataclasses import dataclass
from typing import Annotated, Final

import pandas as pd

from analysis.report.about import about
from participants.studies.progressive_reveal.columns import SURVEY_COLUMNS
from stimuli.io.tables import Column

SKIP: Final = "skip"


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """How often an answer was given."""

    answer: Annotated[str, about("The answer.")]
    n: Annotated[int, about("Participants who gave it.")]


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """The answers to an optional question."""

    question: Annotated[str, about("The question.")]
    asked: Annotated[int, about("Participants who were asked.")]
    skipped: Annotated[int, about("Participants who skipped it.")]
    answers: Annotated[tuple[AnswerCount, ...], about("The answers that were given.")]


@dataclass(frozen=True, slots=True)
class Sample:
    """What the table of people says about the analysed participants."""

    sessions: Annotated[int, about("Their sessions.")]
    complete: Annotated[int | None, about("Sessions that came to their end.")]
    resumed: Annotated[int | None, about("Sessions that took several visits.")]
    survey: Annotated[tuple[SurveyQuestion, ...], about("The optional survey, by question.")]


def sample_of(people: pd.DataFrame | None, rounds: pd.DataFrame) -> Sample | None:
    """Return what the table of people says of those analysed; None without the table."""
    if people is None:
        return None
    own = people[people["participant"].isin(rounds["participant"])]
    visits = own["visits"] if "visits" in own else pd.Series(dtype=float)
    survey = (_question(own, column) for column in SURVEY_COLUMNS.values())
    return Sample(
        sessions=len(own),
        complete=int(own["complete"].fillna(False).sum()) if "complete" in own else None,
        resumed=int((visits > 1).sum()) if len(visits) else None,
        survey=tuple(row for row in survey if row.asked),
    )


def _question(people: pd.DataFrame, column: Column) -> SurveyQuestion:
    given = people[column.name].dropna() if column.name in people else pd.Series(dtype=object)
    counts = given.value_counts()
    words = {} if column.levels is None else dict(column.levels)
    return SurveyQuestion(
        question=column.description.rstrip("."),
        asked=len(given),
        skipped=int(counts.get(SKIP, 0)),
        answers=tuple(
            AnswerCount(_spoken(key, words[key]), int(counts[key]))
            for key in words
            if key != SKIP and key in counts
        ),
    )


def _spoken(key: str, meaning: str) -> str:
    """Return a level's meaning; of one that means itself its name as words."""
    if meaning != key:
        return meaning
    spoken = re.sub(r"(?<=\d)_up$", " or older", key)
    return re.sub(r"(?<=\d)_(?=\d)", " to ", spoken).replace("_", " ")

"""Change as published, of those who qualified and weren't too fast."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import n_of, with_p_of
from analysis.questions.question import Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.parts import Paragraph
from analysis.report.wording import count
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.quantities import (
    CHANGES,
    PUBLISHED_CHANGE,
)
from analysis.studies.simulatability.questions.change import marginal, published_rows
from analysis.studies.simulatability.tables import table_by


@dataclass(frozen=True, slots=True)
class Second(Estimates):
    """Change as published, without those who are left out."""

    participants: Annotated[int, about("Participants that remain.")]


def compute(data: SimulatabilityData) -> Second | Unavailable:
    """Return Change as published without those who are left out, unless nobody or everybody is."""
    kept = data.remaining
    if kept is None:
        return Unavailable()
    return Second(tuple(published_rows(kept, data.protocol)), participants=kept.participants)


def summary(answer: Second) -> Paragraph:
    """Return how many remain."""
    who = count(answer.participants, "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain.")


CHANGE_WITHOUT = table_by(
    ("domain", "test", "method"),
    "Change as published, without those who are left out.",
    (n_of(PUBLISHED_CHANGE, "n", "items"), *with_p_of(PUBLISHED_CHANGE)),
    lambda answer: marginal(answer.rows(PUBLISHED_CHANGE)),
    "The published study left such people out.",
)


def _lacking(data: SimulatabilityData, _: Second | None) -> list[Lacking]:
    if any(person.qualified is not None for person in data.people):
        return []
    reason = "there is neither a table of people nor a column qualified"
    return [Lacking("who understood the method", reason)]


SECOND = Question(
    id="second",
    title="Change as published, of those who qualified",
    answer=Second,
    quantities=CHANGES,
    compute=compute,
    step="repeating without those who are left out",
    parts=(summary, CHANGE_WITHOUT),
    lacking=_lacking,
    registered=lambda _: Promise(
        "Change as published, without those who didn't qualify or were too fast."
    ),
)
"""Change as published, of those who qualified."""

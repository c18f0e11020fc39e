"""The same for those who qualified and weren't too fast."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.pivot import n_of, with_p_of
from analysis.questions.question import Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.model import LogisticFit
from analysis.report.parts import Paragraph
from analysis.report.wording import count
from analysis.studies.simulatability.contrasts import MethodEffects, method_effects
from analysis.studies.simulatability.data import SimulatabilityData, fitted_models
from analysis.studies.simulatability.model import fit_of
from analysis.studies.simulatability.quantities import (
    CHANGES,
    EFFECT,
    METHOD_EFFECTS,
    PUBLISHED_CHANGE,
)
from analysis.studies.simulatability.questions.change import marginal, published_rows
from analysis.studies.simulatability.questions.effects import DECIDED
from analysis.studies.simulatability.tables import table_by


@dataclass(frozen=True, slots=True)
class Second(MethodEffects):
    """What each method adds in each test, without those who are left out."""

    participants: Annotated[int, about("Participants that remain.")]
    models: Annotated[dict[str, LogisticFit], about("The mixed models, by domain.")]


def compute(data: SimulatabilityData) -> Second | Unavailable:
    """Return the effects without those who are left out, unless nobody or everybody is."""
    kept = data.remaining
    if kept is None:
        return Unavailable()
    models = fitted_models(kept)
    effects = method_effects(kept, models, data.protocol, data.plan)
    return Second(
        (*effects.estimates, *published_rows(kept, data.protocol)),
        effects.by_model,
        participants=kept.participants,
        models={name: fit_of(outcome) for name, outcome in models.items()},
    )


def summary(answer: Second) -> Paragraph:
    """Return how many remain."""
    who = count(answer.participants, "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain.")


CONTRASTS = table_by(
    ("domain", "test", "method"),
    "The same effects without those who are left out.",
    DECIDED,
    lambda answer: answer.rows(EFFECT),
)
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
    title="The same for those who qualified",
    answer=Second,
    quantities=(*METHOD_EFFECTS, *CHANGES),
    compute=compute,
    step="repeating without those who are left out",
    parts=(summary, CONTRASTS, CHANGE_WITHOUT),
    lacking=_lacking,
    registered=lambda _: Promise(
        "The primary results without those who didn't qualify or were too fast."
    ),
)
"""The same for those who qualified."""

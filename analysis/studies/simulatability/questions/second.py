"""The same for those who qualified and weren't too fast."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import n_of, with_p_of
from analysis.questions.question import Lacking, Promise, Question, Unavailable, Within
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
from analysis.studies.simulatability.questions.effects import DECIDED, EFFECTS, effect_name
from analysis.studies.simulatability.tables import table_by


@dataclass(frozen=True, slots=True)
class Second(MethodEffects):
    """What each method adds in each test, without those who are left out."""

    participants: Annotated[int, about("Participants that remain.")]
    models: Annotated[dict[str, LogisticFit], about("The mixed models, by domain.")]


def compute(data: SimulatabilityData) -> Second | Unavailable:
    """Return the effects without those who are left out, unless nobody or everybody is."""
    everybody = data.predictions
    people = set(everybody.pairs["participant"])
    left = people - set(data.dropped)
    if not left or left == people:
        return Unavailable()
    kept = everybody.of(sorted(left))
    models = fitted_models(kept)
    effects = method_effects(kept, models, data.protocol, data.plan)
    return Second(
        (*effects.estimates, *published_rows(kept, data.protocol)),
        effects.by_model,
        participants=kept.participants,
        models={name: fit_of(outcome) for name, outcome in models.items()},
    )


def _verdicts(answer: Estimates) -> dict[str, str]:
    """Return the verdict by method, domain and test in words."""
    return {effect_name(row): row.verdict for row in answer.rows(EFFECT)}


def summary(here: Within[Second]) -> Paragraph:
    """Return how many remain, and which verdicts differ."""
    first, now = _verdicts(here.found.of(EFFECTS)), _verdicts(here.answer)
    changed = [f"{name}: {verdict}" for name, verdict in now.items() if first.get(name) != verdict]
    gone = [name for name in first if name not in now]
    same = "" if gone else "No verdict differs."
    sentence = f"Verdicts that differ: {'; '.join(changed)}." if changed else same
    if gone:
        sentence = f"{sentence} No longer compared: {'; '.join(gone)}.".strip()
    who = count(here.answer.participants, "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain. {sentence}")


CONTRASTS = table_by(
    ("domain", "test", "method"),
    "The same effects without those who are left out.",
    DECIDED,
    lambda here: here.answer.rows(EFFECT),
)
CHANGE_WITHOUT = table_by(
    ("domain", "test", "method"),
    "Change as published, without those who are left out.",
    (n_of(PUBLISHED_CHANGE, "n", "items"), *with_p_of(PUBLISHED_CHANGE)),
    lambda here: marginal(here.answer.rows(PUBLISHED_CHANGE)),
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
    view=Within,
    lacking=_lacking,
    registered=lambda _: Promise(
        "The primary results without those who didn't qualify or were too fast."
    ),
)
"""The same for those who qualified."""

"""The same for those who qualified and weren't too fast."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import n_of, with_p_of
from analysis.questions.question import Answered, Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.model import LogisticFit
from analysis.report.parts import Paragraph
from analysis.report.wording import count, listed
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
from analysis.studies.simulatability.questions.effects import DECIDED, EFFECTS
from analysis.studies.simulatability.tables import table_by
from analysis.studies.simulatability.words import domain_name, method_name
from stimuli.studies.simulatability.protocol import arm_of, cell_of


@dataclass(frozen=True, slots=True)
class Second(MethodEffects):
    """What each method adds to Change, without those who are left out."""

    participants: Annotated[int, about("Participants that remain.")]
    models: Annotated[dict[str, LogisticFit], about("The mixed models, by domain.")]
    changed: Annotated[
        tuple[str, ...], about("Arms, domain and method, whose verdict differs from the first.")
    ]
    gone: Annotated[tuple[str, ...], about("Arms, domain and method, that are no longer compared.")]


def combine(data: SimulatabilityData, answers: Answered) -> Second | Unavailable:
    """Return the effects without those who are left out, unless nobody or everybody is."""
    everybody = data.predictions
    people = set(everybody.pairs["participant"])
    left = people - set(data.dropped)
    if not left or left == people:
        return Unavailable()
    kept = everybody.of(sorted(left))
    models = fitted_models(kept)
    effects = method_effects(kept, models, data.protocol, data.plan)
    first, now = _verdicts(answers.of(EFFECTS)), _verdicts(effects)
    return Second(
        (*effects.estimates, *published_rows(kept, data.protocol)),
        effects.by_model,
        participants=kept.participants,
        models={name: fit_of(outcome) for name, outcome in models.items()},
        changed=tuple(arm for arm, verdict in now.items() if first.get(arm) != verdict),
        gone=tuple(arm for arm in first if arm not in now),
    )


def _verdicts(answer: Estimates) -> dict[str, str]:
    """Return the verdict by arm."""
    rows = answer.rows(EFFECT)
    return {arm_of(row.of["domain"], row.of["method"]): row.verdict for row in rows}


def summary(answer: Second) -> Paragraph:
    """Return how many remain, and which verdicts differ."""
    verdicts = _verdicts(answer)
    changed = [f"{_named(arm)}: {verdicts[arm]}" for arm in answer.changed]
    same = "" if answer.gone else "No verdict differs."
    sentence = f"Verdicts that differ: {listed(changed)}." if changed else same
    if answer.gone:
        gone = listed([_named(arm) for arm in answer.gone])
        sentence = f"{sentence} No longer compared: {gone}.".strip()
    who = count(answer.participants, "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain. {sentence}")


def _named(arm: str) -> str:
    domain, method = cell_of(arm)
    return f"{method_name(method)} ({domain_name(domain)})"


CONTRASTS = table_by(
    ("domain", "method"),
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
    combine=combine,
    step="repeating without those who are left out",
    parts=(summary, CONTRASTS, CHANGE_WITHOUT),
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "The primary results without those who didn't qualify or were too fast."
    ),
)
"""The same for those who qualified."""

"""The same for those who qualified and weren't too fast."""

from dataclasses import dataclass
from typing import Annotated

from analysis.questions.question import Answered, Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes, some
from analysis.report.model import LogisticFit
from analysis.report.parts import Column, Paragraph, holm_limits, limits
from analysis.report.wording import count, grouped, listed, p_value, signed
from analysis.studies.simulatability.contrasts import MethodEffects, method_effects
from analysis.studies.simulatability.data import SimulatabilityData, fitted_models
from analysis.studies.simulatability.model import fit_of
from analysis.studies.simulatability.published import MethodChange
from analysis.studies.simulatability.questions.change import (
    flat_columns,
    marginal,
    published_change,
)
from analysis.studies.simulatability.questions.effects import EFFECTS, decided_columns
from analysis.studies.simulatability.words import (
    domain,
    domain_name,
    method,
    method_name,
    test,
)
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
    published: Annotated[
        tuple[MethodChange, ...], about("Change by the published bootstrap, by condition.")
    ]


def combine(data: SimulatabilityData, answers: Answered) -> Second | Unavailable:
    """Return the effects without those who are left out, unless nobody or everybody is."""
    everybody = data.predictions
    people = set(everybody.pairs["participant"])
    left = people - set(data.dropped)
    if not left or left == people:
        return Unavailable()
    kept = everybody.of(sorted(left))
    models = fitted_models(kept)
    own = method_effects(kept, models, data.protocol, data.plan)
    first = {(row.domain, row.method): row.verdict for row in answers.of(EFFECTS).contrasts}
    return Second(
        own.contrasts,
        own.by_model,
        own.means,
        participants=kept.participants,
        models={name: fit_of(outcome) for name, outcome in models.items()},
        changed=tuple(
            arm_of(row.domain, row.method)
            for row in own.contrasts
            if first.get((row.domain, row.method)) != row.verdict
        ),
        gone=tuple(
            arm_of(*arm)
            for arm in first
            if arm not in {(r.domain, r.method) for r in own.contrasts}
        ),
        published=published_change(kept, data.protocol).by_method,
    )


def summary(found: Second) -> Paragraph:
    """Return how many remain, and which verdicts differ."""
    changed = [
        f"{method(row)} ({domain(row)}): {row.verdict}"
        for row in found.contrasts
        if arm_of(row.domain, row.method) in found.changed
    ]
    same = "" if found.gone else "No verdict differs."
    verdicts = f"Verdicts that differ: {listed(changed)}." if changed else same
    if found.gone:
        gone = [f"{method_name(name)} ({domain_name(of)})" for of, name in map(cell_of, found.gone)]
        verdicts = f"{verdicts} No longer compared: {listed(gone)}.".strip()
    who = count(found.participants, "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain. {verdicts}")


CONTRASTS = ReportTable(
    "second_contrasts",
    some(lambda found: [decided_columns(row) for row in found.contrasts]),
    "The same effects without those who are left out.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Effect", "estimate", signed, "points"),
        holm_limits(signed),
        Column("p", "p_holm", p_value, "Holm"),
        Column("Verdict", "verdict"),
    ),
    shown="contrasts",
    strong=changes("domain"),
    row_headers=2,
)


CHANGE_WITHOUT = ReportTable(
    "second_change",
    some(lambda found: [flat_columns(row) for row in found.published]),
    "Change as published, without those who are left out.",
    (
        Column("Domain", domain, once=True),
        Column("Test", test, once=True),
        Column("Method", method),
        Column("n", "n", grouped, "items"),
        Column("Change", "published_change", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "The published study left such people out.",
    shown=lambda found: marginal(found.published),
    strong=changes("domain", "test"),
    row_headers=3,
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
    combine=combine,
    step="repeating without those who are left out",
    parts=(summary, CONTRASTS, CHANGE_WITHOUT),
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "The primary results without those who didn't qualify or were too fast."
    ),
)
"""The same for those who qualified."""

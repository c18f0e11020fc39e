"""simulatability's tables of trials, people and explanations: their fields, and their packs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any, Final

from participants.dataset import fields
from participants.dataset.study_tables import ArmsTable, StudyTables
from participants.session import NO_CHOICE, to_microseconds
from participants.session.qualification import QUALIFICATION
from participants.studies.simulatability.events import TrialEnd
from participants.studies.simulatability.trial import LEARNING, RATING_STEPS
from stimuli.io.tables import Row, levels
from stimuli.maps.metrics import NAMES
from stimuli.pack import Pack
from stimuli.studies.simulatability import stimulus, tables
from stimuli.studies.simulatability.protocol import cell_of

LIME_SAYS_POSITIVE: Final = 0.5
"""Above this total, LIME's linear model predicts the positive class."""
TESTS: Final = levels("forward", "counterfactual")


class CaseSession(fields.TakenSession):
    """A person's session."""

    @cached_property
    def trial_ends(self) -> list[Mapping[str, Any]]:
        """The fields of the ends of all trials."""
        return [end.fields for end in self.journal.of("trial_end")]

    @cached_property
    def first_tests(self) -> Mapping[str, str]:
        """The test that came first, by arm, of those in which something was predicted."""
        predicted = [end for end in self.trial_ends if end["section"] not in LEARNING]
        return {end["arm"]: _use(end["section"]) for end in reversed(predicted)}

    @cached_property
    def looks(self) -> list[Mapping[str, Any]]:
        """The fields of the checks whether the person may go on."""
        return [look.fields for look in self.journal.of(QUALIFICATION)]


def _use(section: str) -> str:
    return "learning" if section in LEARNING else section.partition("_")[0]


@fields.derived(levels=tables.DOMAINS)
def domain(trial: fields.EndedTrial) -> str:
    """The kind of data."""
    return cell_of(trial.end["arm"])[0]


@fields.derived()
def method(trial: fields.EndedTrial) -> str:
    """The explanation method; no_explanation: no explanations."""
    return cell_of(trial.end["arm"])[1]


@fields.derived(levels=tables.USES)
def use(trial: fields.EndedTrial) -> str:
    """What the item is for."""
    return _use(trial.end["section"])


@fields.derived(levels=levels(pre="before explanations", post="after, or with, explanations"))
def phase(trial: fields.EndedTrial) -> str:
    """Before or after explanations."""
    return "post" if trial.end["section"].endswith(("again", "post")) else "pre"


@fields.derived(levels=TESTS)
def first_test(trial: fields.EndedTrial) -> str | None:
    """The test that the person took first in this domain; empty if nothing was predicted."""
    return trial.taken.first_tests.get(trial.end["arm"])


@fields.derived()
def correct(trial: fields.EndedTrial) -> bool | None:
    """Whether the prediction was right; empty without one."""
    decision = trial.end["decision"]
    return None if decision == NO_CHOICE else decision == trial.item["output"]


def _rated(trial: fields.EndedTrial) -> Mapping[str, Any]:
    return trial.taken.of_trial("rating_end", trial.end["trial"]) or trial.end.fields


@fields.derived(scale=(1, RATING_STEPS))
def rating(trial: fields.EndedTrial) -> int | None:
    """How good the explanation is, 1 to 7; empty if not asked."""
    return _rated(trial)["rating"]


@fields.derived()
def rating_rt_s(trial: fields.EndedTrial) -> float | None:
    """Time from onset to the rating."""
    return _rated(trial)["rating_rt_s"]


@fields.derived(scale=(1, 4))
def confidence(trial: fields.EndedTrial) -> int | None:
    """How sure the person was of the prediction, 1 (a guess) to 4; empty if not asked."""
    return fields.sureness(trial)


TRIAL: Final = fields.trial_fields(
    *fields.ended(TrialEnd, "test_number"),
    *fields.of_session("list", description="The person's sheet, a list of the pack."),
    *fields.ended(TrialEnd, "arm"),
    domain,
    method,
    use,
    phase,
    first_test,
    *fields.ended(TrialEnd, "position", "presentation"),
    *fields.in_pack(
        tables.KEY,
        "source_id", "outcome", "flips", "short", "true_label", "original_output", "output",
    ),
    *fields.ended(TrialEnd, "decision"),
    correct,
    rating,
    rating_rt_s,
    confidence,
    *fields.ended(TrialEnd, "rt_corrected_s", "look_s"),
    fields.robot,
    condition=lambda trial: trial.end["arm"],
)  # fmt: skip


@fields.derived()
def arm(session: CaseSession) -> str:
    """Domain and method, such as text_lime."""
    return session.header["order"]


@fields.derived()
def second_arm(session: CaseSession) -> str | None:
    """Domain and method of the second test; empty without one."""
    return next((end["arm"] for end in session.trial_ends if end["test_number"] > 1), None)


@fields.derived(levels=levels("yes", "no"))
def course(session: CaseSession) -> str | None:
    """Whether the person has taken a course in statistics or computer science.

    Empty: not asked.
    """
    return session.answers.get("course")


@fields.derived()
def understanding_right(session: CaseSession) -> int | None:
    """Right answers on the method and the balance of items; empty if not yet counted."""
    counted = [look["right"] for look in session.looks if look["step"] == "understanding"]
    return counted[-1] if counted else None


@fields.derived()
def qualified(session: CaseSession) -> bool | None:
    """Whether the course and the answers were sufficient."""
    return all(look["qualified"] for look in session.looks) if session.looks else None


@fields.derived()
def median_prediction_s(session: CaseSession) -> float | None:
    """Median time of a prediction; empty without predictions."""
    times = [end["rt_s"] for end in session.trial_ends if end["rt_s"] is not None]
    return to_microseconds(median(times)) if times else None


PERSON: Final = (
    *fields.WHOSE_SESSION,
    arm,
    second_arm,
    course,
    understanding_right,
    qualified,
    median_prediction_s,
    *fields.answer_fields(
        {
            "relied_on": "What the person relied on most.",
            "explanations_helped": "How much the explanations helped.",
            "knows_ai": "What the person knows about artificial intelligence.",
        }
    ),
    fields.complete,
    fields.robot,
)


@dataclass(frozen=True, slots=True)
class Explained:
    """An explanation, what it explains, and the positive class of its domain, if it has two."""

    item: Row
    explanation: stimulus.AnyExplanation
    positive: str | None

    @property
    def lime(self) -> stimulus.Lime | None:
        """LIME's part of it, if any."""
        composite = isinstance(self.explanation, stimulus.Composite)
        part = self.explanation.lime if composite else self.explanation
        return part if isinstance(part, stimulus.Lime) else None

    @property
    def rule(self) -> stimulus.Anchor | None:
        """Anchor's part of it, if any."""
        composite = isinstance(self.explanation, stimulus.Composite)
        part = self.explanation.anchor if composite else self.explanation
        return part if isinstance(part, stimulus.Anchor) else None


@fields.derived()
def agrees(explanation: Explained) -> bool | None:
    """Whether it says the model's output for the unchanged input.

    That is LIME's total, the class of a rule or of a prototype, a path that leads to another class.
    Of Composite, whether all parts do. Empty where an explanation says no class.
    """
    output = str(explanation.item["original_output"])
    return points_to(explanation.explanation, output, is_positive=output == explanation.positive)


@fields.derived()
def fidelity(explanation: Explained) -> float | None:
    """LIME, also in Composite: how well the linear model fits the model's probability.

    It is the share of the variance over the samples that is explained (R²). Empty for other
    methods and if unknown.
    """
    return None if explanation.lime is None else explanation.lime.fidelity


@fields.derived()
def precision(explanation: Explained) -> float | None:
    """Anchor, also in Composite: how often the model gives the same output when the rule holds.

    From 0 to 1. Empty for other methods and if unknown.
    """
    return None if explanation.rule is None else explanation.rule.precision


@fields.derived()
def coverage(explanation: Explained) -> float | None:
    """Anchor, also in Composite: how often a draw meets the rule, 0 to 1.

    Empty for other methods and if unknown.
    """
    return None if explanation.rule is None else explanation.rule.coverage


EXPLANATION_FIELDS: Final = (
    *fields.in_pack(tables.EXPLANATIONS, "presentation"),
    *fields.in_pack(tables.KEY, "item"),
    *fields.in_pack(tables.ITEMS, "domain", "use"),
    *fields.in_pack(tables.EXPLANATIONS, "method"),
    agrees,
    fidelity,
    precision,
    coverage,
    *fields.in_pack(tables.EXPLANATIONS, *NAMES),
)


def points_to(
    explanation: stimulus.AnyExplanation, output: str, *, is_positive: bool
) -> bool | None:
    """Return whether an explanation points to the model's output; None if that can't be told.

    Parameters
    ----------
    output, is_positive
        The model's output for the explained input, and whether it is the positive class.
    """
    match explanation:
        case stimulus.Lime():
            return (explanation.total > LIME_SAYS_POSITIVE) == is_positive
        case stimulus.Anchor():
            return explanation.outcome == output
        case stimulus.Prototype():
            return explanation.label == output
        case stimulus.Boundary():
            return explanation.target != output
        case stimulus.Omission():
            return (explanation.margin > 0) == is_positive
        case stimulus.Composite(lime=lime, anchor=rule, boundary=path, prototype=alike):
            parts = (lime, rule, path, alike)
            return all(points_to(part, output, is_positive=is_positive) for part in parts)
        case stimulus.Rationale() | stimulus.Weights():
            return None


def cases_of(pack: Pack) -> fields.ShownPack:
    """Return a pack's data on its items, methods and models."""
    presented = fields.presentations_in(pack, tables.ITEMS, tables.KEY)
    classes = (row for row in pack.table(tables.CLASSES) if row["positive"])
    positive = {row["domain"]: str(row["class"]) for row in classes}
    explained = [
        Explained(
            presented[str(row["presentation"])] | row,
            stimulus.EXPLANATION.validate_json(str(row["explanation"])),
            positive.get(presented[str(row["presentation"])]["domain"]),
        )
        for row in pack.table(tables.EXPLANATIONS)
    ]
    return fields.ShownPack(
        presented,
        {
            "methods": pack.table(tables.METHODS),
            "models": pack.table(tables.MODELS),
            "explanations": [fields.cells(EXPLANATION_FIELDS, row) for row in explained],
        },
    )


TABLES: Final = StudyTables(
    study="simulatability",
    role="participant",
    read_pack=cases_of,
    trial=TRIAL,
    person=PERSON,
    taken=CaseSession,
    of_packs={
        "methods": tables.METHODS,
        "models": tables.MODELS,
        "explanations": fields.table_of(
            "simulatability_explanations",
            "What is known of each explanation in the packs that were shown: one row for each item "
            "and method.",
            EXPLANATION_FIELDS,
        ),
    },
    arms=ArmsTable("methods", ("method",), "origin"),
    people_schema="simulatability_people",
)

"""Rows of simulatability's tables from a journal and what its pack says."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from participants.dataset.table_files import choice_cells, main_trials
from participants.journal import Journal
from participants.session import NO_CHOICE, to_microseconds
from participants.session.qualification import QUALIFICATION
from participants.studies.simulatability.columns import ANSWERED_AT_THE_END, RATINGS
from participants.studies.simulatability.trial import LEARNING, confidence_step
from stimuli.io.tables import Row, whole_number
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import cell_of
from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Omission,
    Prototype,
    Rationale,
    Weights,
)
from stimuli.studies.simulatability.tables import (
    CLASSES,
    EXPLANATIONS,
    ITEMS,
    KEY,
    METHODS,
    MODELS,
)

LIME_SAYS_POSITIVE: Final = 0.5
"""Above this total, LIME's linear model predicts the positive class."""
OF_KEY = (
    "item", "source_id", "outcome", "flips", "short", "true_label", "original_output", "output",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownCases:
    """A pack's data on its items, methods and models.

    Attributes
    ----------
    key
        Rows of ``key.csv`` by presentation.
    methods, models, explanations
        Rows of these tables.
    """

    key: Mapping[str, Row]
    methods: tuple[Row, ...]
    models: tuple[Row, ...]
    explanations: tuple[Row, ...]


def cases_of(pack: Pack) -> ShownCases:
    """Return a pack's data on its items, methods and models."""
    key = {str(row["presentation"]): row for row in pack.table(KEY)}
    positive = {row["domain"]: str(row["class"]) for row in pack.table(CLASSES) if row["positive"]}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    return ShownCases(
        key=key,
        methods=tuple(pack.table(METHODS)),
        models=tuple(pack.table(MODELS)),
        explanations=tuple(
            explanation_row(
                row, items[row["presentation"]], key[str(row["presentation"])], positive
            )
            for row in pack.table(EXPLANATIONS)
        ),
    )


def explanation_row(explained: Row, item: Row, key: Row, positive: Mapping[Any, str]) -> Row:
    """Return the row of data on an explanation.

    Parameters
    ----------
    explained, item, key
        Its row of ``explanations.csv``, its item's of ``items.csv`` and of ``key.csv``.
    positive
        The positive class of each domain that has two.
    """
    explanation = EXPLANATION.validate_json(str(explained["explanation"]))
    composite = isinstance(explanation, Composite)
    lime = explanation.lime if composite else explanation
    rule = explanation.anchor if composite else explanation
    output, domain = str(key["original_output"]), item["domain"]
    return {
        **{name: explained[name] for name in ("presentation", "method")},
        **{name: item[name] for name in ("domain", "use")},
        "item": key["item"],
        "agrees": agrees(explanation, output, is_positive=output == positive.get(domain)),
        "fidelity": lime.fidelity if isinstance(lime, Lime) else None,
        "precision": rule.precision if isinstance(rule, Anchor) else None,
        "coverage": rule.coverage if isinstance(rule, Anchor) else None,
    }


def agrees(explanation: AnyExplanation, output: str, *, is_positive: bool) -> bool | None:
    """Return whether an explanation points to the model's output; None if that can't be told.

    Parameters
    ----------
    output, is_positive
        The model's output for the explained input, and whether it is the positive class.
    """
    match explanation:
        case Lime():
            return (explanation.total > LIME_SAYS_POSITIVE) == is_positive
        case Anchor():
            return explanation.outcome == output
        case Prototype():
            return explanation.label == output
        case Boundary():
            return explanation.target != output
        case Omission():
            return (explanation.margin > 0) == is_positive
        case Composite(lime=lime, anchor=rule, boundary=path, prototype=alike):
            parts = (lime, rule, path, alike)
            return all(agrees(part, output, is_positive=is_positive) for part in parts)
        case Rationale() | Weights():
            return None


def case_rows(journal: Journal, shown: ShownCases) -> list[Row]:
    """Return a session's trials, examples included, in order."""
    ratings = {event["trial"]: event for event in journal.of("rating_end")}
    answers = {event["step"]: event["value"] for event in journal.of("answer")}
    first, rows = _first_tests(journal), []
    for part, end, shown_s in main_trials(journal):
        domain, method = cell_of(str(end["arm"]))
        item, decision, section = shown.key[end["presentation"]], end["decision"], end["section"]
        rated = ratings.get(end["trial"], end)
        sure = answers.get(confidence_step(end["trial"]))
        rows.append(
            choice_cells(part, end, shown_s)
            | {name: end[name] for name in ("test_number", "look_s")}
            | {name: item[name] for name in OF_KEY}
            | {
                "list": part["list"],
                "condition": end["arm"],
                "arm": end["arm"],
                "domain": domain,
                "method": method,
                "use": _use(section),
                "first_test": first.get(end["arm"]),
                "phase": "post" if section.endswith(("again", "post")) else "pre",
                "correct": None if decision == NO_CHOICE else decision == item["output"],
                "rating": rated["rating"],
                "rating_rt_s": rated["rating_rt_s"],
                "confidence": None if sure is None else RATINGS.index(str(sure)) + 1,
            }
        )
    return sorted(rows, key=lambda row: whole_number(row["trial"]))


def _use(section: str) -> str:
    return "learning" if section in LEARNING else section.partition("_")[0]


def _first_tests(journal: Journal) -> dict[str, str]:
    """Return the test that came first, by arm, of those in which something was predicted."""
    ends = [end for end in journal.of("trial_end") if end["section"] not in LEARNING]
    return {str(end["arm"]): _use(end["section"]) for end in reversed(ends)}


def person_row(journal: Journal) -> Row:
    """Return the row of ``people.csv`` of a session."""
    header = journal.header
    answers = {event["question"]: event["value"] for event in journal.of("answer")}
    looks = journal.of(QUALIFICATION)
    ends = journal.of("trial_end")
    times = [end["rt_s"] for end in ends if end["rt_s"] is not None]
    second = [str(end["arm"]) for end in ends if end["test_number"] > 1]
    understanding = [look for look in looks if look["step"] == "understanding"]
    return {
        **{name: header[name] for name in ("participant", "session", "purpose")},
        "arm": header["order"],
        "second_arm": second[0] if second else None,
        "course": answers.get("course"),
        "understanding_right": understanding[-1]["right"] if understanding else None,
        "qualified": all(look["qualified"] for look in looks) if looks else None,
        "median_prediction_s": to_microseconds(median(times)) if times else None,
        **{name: answers.get(name) for name in ANSWERED_AT_THE_END},
        "complete": journal.complete,
        "robot": header["robot"] or None,
    }

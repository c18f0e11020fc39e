"""Rows of simulatability's tables from a journal and what its pack says."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from participants.dataset.rows import choice_cells, main_trials
from participants.journal import Journal
from participants.session import NO_CHOICE, to_microseconds
from participants.session.qualification import QUALIFICATION
from participants.studies.simulatability.columns import ANSWERED_AT_THE_END, RATINGS
from participants.studies.simulatability.trial import LEARNING, confidence_step
from stimuli.io.tables import Row, whole_number
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import cell_of
from stimuli.studies.simulatability.tables import KEY, METHODS, MODELS

OF_KEY = (
    "item", "source_id", "outcome", "flips", "short", "true_label", "original_output", "output",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShownCases:
    """What a pack says of its items, methods and models.

    Attributes
    ----------
    key
        Rows of ``key.csv`` by presentation.
    methods, models
        Rows of these tables.
    """

    key: Mapping[str, Row]
    methods: tuple[Row, ...]
    models: tuple[Row, ...]


def cases_of(pack: Pack) -> ShownCases:
    """Return what is known of a pack's items, methods and models."""
    return ShownCases(
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        methods=tuple(pack.table(METHODS)),
        models=tuple(pack.table(MODELS)),
    )


def case_rows(journal: Journal, shown: ShownCases) -> list[Row]:
    """Return a session's trials, examples included, in order."""
    ratings = {event["trial"]: event for event in journal.of("rating_end")}
    answers = {event["step"]: event["value"] for event in journal.of("answer")}
    rows = []
    for part, end in main_trials(journal):
        domain, method = cell_of(str(end["arm"]))
        item, decision, section = shown.key[end["presentation"]], end["decision"], end["section"]
        rated = ratings.get(end["trial"], end)
        sure = answers.get(confidence_step(end["trial"]))
        rows.append(
            choice_cells(part, end)
            | {name: end[name] for name in ("test_number", "look_s")}
            | {name: item[name] for name in OF_KEY}
            | {
                "list": part["list"],
                "condition": end["arm"],
                "arm": end["arm"],
                "domain": domain,
                "method": method,
                "use": "learning" if section in LEARNING else section.partition("_")[0],
                "phase": "post" if section.endswith(("again", "post")) else "pre",
                "correct": None if decision == NO_CHOICE else decision == item["output"],
                "rating": rated["rating"],
                "rating_rt_s": rated["rating_rt_s"],
                "confidence": None if sure is None else RATINGS.index(str(sure)) + 1,
            }
        )
    return sorted(rows, key=lambda row: whole_number(row["trial"]))


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

"""Rows of human_ai_team's tables from a journal and what its pack says."""

from collections.abc import Mapping
from dataclasses import dataclass

from participants.dataset.table_files import choice_cells, main_trials
from participants.journal import Event, Journal
from participants.session import NO_CHOICE
from participants.session.qualification import QUALIFICATION
from participants.studies.human_ai_team.columns import ANSWERED_AT_THE_END, RATINGS
from participants.studies.human_ai_team.trial import NO, YES, rating_step
from stimuli.io.tables import Row, whole_number
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.origins import arm_counts
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE
from stimuli.studies.human_ai_team.tables import AI, ARMS, AVAILABLE, ITEMS, KEY, METRICS


@dataclass(frozen=True, slots=True)
class ShownImages:
    """A pack's data on its presentations and on the AI alone.

    Attributes
    ----------
    items, key
        Rows of ``items.csv`` and ``key.csv`` by presentation.
    arms, arm_counts, metrics, available, ai
        Rows of these tables.
    """

    items: Mapping[str, Row]
    key: Mapping[str, Row]
    arms: tuple[Row, ...]
    arm_counts: tuple[Row, ...]
    metrics: tuple[Row, ...]
    available: tuple[Row, ...]
    ai: tuple[Row, ...]


def images_of(pack: Pack) -> ShownImages:
    """Return a pack's data on its presentations."""
    return ShownImages(
        items={str(row["presentation"]): row for row in pack.table(ITEMS)},
        key={str(row["presentation"]): row for row in pack.table(KEY)},
        arms=tuple(pack.table(ARMS)),
        arm_counts=arm_counts(pack),
        metrics=tuple(pack.table(METRICS)),
        available=tuple(pack.table(AVAILABLE)),
        ai=tuple(pack.table(AI)),
    )


def team_rows(journal: Journal, shown: ShownImages) -> list[Row]:
    """Return a session's validation and main trials, in order."""
    before = {
        kind: {event["trial"]: event for event in journal.of(kind)}
        for kind in ("prior_end", "own_end")
    }
    ratings = {event["step"]: event["value"] for event in journal.of("answer")}
    about = _about(journal)
    rows = []
    for part, end, shown_s in main_trials(journal, ("validation", "main")):
        prior, own = (before[kind].get(end["trial"]) for kind in ("prior_end", "own_end"))
        rating = ratings.get(rating_step(end["trial"]))
        answered = {
            "prior_knowledge": None if prior is None else prior["decision"],
            "own_decision": None if own is None else own["decision"],
            "own_rt_s": None if own is None else own["rt_s"],
            "confidence_rating": None if rating is None else RATINGS.index(str(rating)) + 1,
        }
        rows.append(_trial_row(choice_cells(part, end, shown_s), end, shown) | answered | about)
    return sorted(rows, key=lambda row: whole_number(row["trial"]))


def person_row(journal: Journal) -> Row:
    """Return the row of ``people.csv`` of a session."""
    header = journal.header
    phases = [end["phase"] for end in journal.of("trial_end")]
    answers = {event["step"]: event["value"] for event in journal.of("answer")}
    look = _look(journal)
    return {
        **{name: header[name] for name in ("participant", "session", "purpose", "rig", "pack_id")},
        "sheet": header["list"],
        "method": header["order"],
        "language": header["language"],
        "complete": journal.complete,
        "trials": phases.count("main"),
        "validation": phases.count("validation"),
        "validation_right": None if look is None else look["right"],
        "validation_needed": None if look is None else look["needed"],
        "qualified": None if look is None else look["qualified"],
        **{name: answers.get(name) for name in ANSWERED_AT_THE_END},
        "robot": header["robot"] or None,
    }


def _about(journal: Journal) -> Row:
    """Return the cells that are the same in all rows of a session."""
    look = _look(journal)
    return {
        "sheet": journal.header["list"],
        "method": journal.header["order"],
        "condition": journal.header["order"],
        "qualified": None if look is None else look["qualified"],
    }


def _look(journal: Journal) -> Event | None:
    """Return the event of the last validation check, or None."""
    looks = journal.of(QUALIFICATION)
    return looks[-1] if looks else None


def _trial_row(shared: Row, end: Event, shown: ShownImages) -> Row:
    item, key = shown.items[end["presentation"]], shown.key[end["presentation"]]
    right = YES if key["ai_correct"] else NO
    decision = end["decision"]
    from_key = {
        name: key[name]
        for name in ("item", "ai_correct", "level", "adversarial", "confidence", "true_label")
    }
    alone = end["arm"] == HUMAN_ALONE
    return {
        **{name: cell for name, cell in shared.items() if name != "list"},
        "phase": end["phase"],
        "help_shown_s": end["help_shown_s"],
        **from_key,
        "pred_label": item["shown_label"],
        "confidence_percent": None if alone else item["confidence_percent"],
        "correct": None if decision == NO_CHOICE else decision == right,
    }

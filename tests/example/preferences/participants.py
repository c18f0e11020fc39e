"""What people go through, what their journals hold, and what becomes of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from participants.dataset.columns import choice_table
from participants.dataset.rows import choice_cells, main_trials
from participants.dataset.study_tables import ShownTable, StudyTables
from participants.journal import Journal
from participants.journal.trials import choice_events
from participants.planning import given_place, plan_of, rows_of_list, rules_of
from participants.registry import Assignment
from participants.robots.choosing import choosing_robots
from participants.session import (
    RENEWED,
    ChoiceTrial,
    Consent,
    Page,
    SessionPlan,
    TimedChoice,
    trial_step,
)
from participants.study import SessionKind, Study
from preferences.stimuli import BETWEEN, ITEMS, LISTS, Rules
from stimuli.io.tables import Column, Row
from stimuli.pack import Pack

NAME = __package__
ORDERS = ("as_listed",)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a trial shows beside its answers: a text, and a picture's file in the pack."""

    text: str
    picture: str


def plan(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    """Return a person's plan: consent, instructions, trials, debrief, renewed consent."""
    rules = rules_of(pack, NAME, "solutions", "a participant's", language).choice
    place = given_place(given, ORDERS)
    steps = (
        Consent("consent"),
        Page("instructions", "instructions"),
        *trials(pack, rules, place.list),
        Page("debrief", "debrief"),
        Consent(RENEWED, renewed=True),
        Page("end", "end"),
    )
    return plan_of(pack, place, language, steps)


def trials(pack: Pack, rules: Rules, list_id: str) -> list[ChoiceTrial]:
    """Return the trials of a list, in order."""
    items = {row["item"]: row for row in pack.table(ITEMS)}
    rows = [items[row["item"]] for row in rows_of_list(pack, LISTS, list_id, "list")]
    return [
        ChoiceTrial(
            step=trial_step(number),
            trial=number,
            phase="main",
            position=number,
            presentation=str(row["item"]),
            stimulus=Shown(str(row["text"] or ""), str(row["picture"] or "")),
            options=dict(zip(rules.keys, str(row["answers"]).split(BETWEEN), strict=True)),
            device="keyboard",
            fixation_s=rules.fixation_s,
            limit_s=rules.limit_s,
            exposure_s=rules.exposure_s,
        )
        for number, row in enumerate(rows, start=1)
    ]


def prefers_first(task: TimedChoice) -> dict[str, float]:
    """Return the chances of a robot that takes the first answer in 80 % of the trials."""
    first, *others = task.options.values()
    return {first: 0.8, **dict.fromkeys(others, 0.2 / len(others))}


def guesses(task: TimedChoice) -> dict[str, float]:
    """Return the chances of a robot that takes any answer."""
    return dict.fromkeys(task.options.values(), 1 / len(task.options))


OWN = (
    Column("place", "integer", "Place of the chosen answer, 1 on the left.", optional=True),
    Column("answers", "text", "The answers from left to right."),
)
"""The study's own columns of ``trials.csv``; those of any timed choice are there."""


def items_of(pack: Pack) -> dict[str, Row]:
    """Return what a pack shows, by item."""
    return {str(row["item"]): row for row in pack.table(ITEMS)}


def rows(journal: Journal, shown: Mapping[str, Row]) -> list[Row]:
    """Return a session's rows of ``trials.csv``."""
    return [
        choice_cells(part, end) | own_cells(end["decision"], shown[end["presentation"]])
        for part, end in main_trials(journal)
    ]


def own_cells(decision: str, item: Row) -> dict[str, Any]:
    """Return the cells of a trial that only this study has; and item and condition."""
    answers = str(item["answers"]).split(BETWEEN)
    return {
        "item": item["item"],
        "condition": "all",
        "answers": item["answers"],
        "place": answers.index(decision) + 1 if decision in answers else None,
    }


STUDY = Study(
    package=NAME,
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=plan,
            events=choice_events,
            robots=choosing_robots(NAME, {"first": prefers_first, "guesser": guesses}),
            orders=lambda protocol: ORDERS,
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=choice_table(NAME, OWN),
        shown=items_of,
        rows=rows,
        of_packs={"items": ShownTable(ITEMS, lambda shown: tuple(shown.values()))},
    ),
    outside=("participant", "item", "decision", "place"),
)

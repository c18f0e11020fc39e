"""What people go through, what becomes of their answers, and robots."""

from participants.choices import ORDERS, choice_study, choice_trials, guesses
from participants.planning import given_place, plan_of, rows_of_list, rules_of
from participants.registry import Assignment
from participants.session import RENEWED, Consent, Page, SessionPlan, TimedChoice
from preferences.stimuli import ITEMS
from stimuli.choices import LISTS, answers_of
from stimuli.io.tables import Column, Row
from stimuli.pack import Pack

OWN = (
    Column("answers", "text", "The answers from left to right."),
    Column("place", "integer", "Place of the chosen answer, 1 on the left.", optional=True),
)
"""The study's own columns of ``trials.csv``; those of any timed choice are there."""


def own_cells(decision: str, item: Row) -> Row:
    """Return a trial's cells in `OWN`."""
    answers = answers_of(item)
    place = answers.index(decision) + 1 if decision in answers else None
    return {"answers": item["answers"], "place": place}


def plan(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    """Return a person's plan: consent, instructions, trials, debrief, renewed consent."""
    protocol = rules_of(pack, __package__, "solutions", "a participant's", language)
    place = given_place(given, ORDERS)
    items = {row["item"]: row for row in pack.table(ITEMS)}
    shown = [items[row["item"]] for row in rows_of_list(pack, LISTS, place.list, "list")]
    steps = (
        Consent("consent"),
        Page("instructions", "instructions"),
        *choice_trials(shown, protocol.choice),
        Page("debrief", "debrief"),
        Consent(RENEWED, renewed=True),
        Page("end", "end"),
    )
    return plan_of(pack, place, language, steps)


def prefers_first(task: TimedChoice) -> dict[str, float]:
    """Return the chances of a robot that takes the first answer in 80 % of the trials."""
    first, *others = task.options.values()
    return {first: 0.8, **dict.fromkeys(others, 0.2 / len(others))}


STUDY = choice_study(
    package=__package__,
    plan=plan,
    robots={"first": prefers_first, "guesser": guesses},
    items=ITEMS,
    own=OWN,
    cells=own_cells,
)

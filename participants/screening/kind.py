"""Screening as a kind of session, for every study that has leads or experts by their eyes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from participants.study import Robots, SessionKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from participants.journal import Journal
    from participants.journal.events import Recorded
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

ROBOTS: Final = (
    "normal", "deutan_slight", "protan_slight", "between", "dichromat", "protan_dichromat",
    "tritan", "inattentive",
)  # fmt: skip


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.screening.plan import plan_screening

    return plan_screening(pack, given, language, code)


def _list_events() -> "Mapping[str, type[Recorded]]":
    from participants.screening.events import screening_events

    return screening_events()


def _load_robots() -> Robots:
    from participants.screening.robots import robots

    return Robots(make=robots)


def _learn_screening(connection: "Connection", journal: "Journal") -> None:
    from participants.screening.stages import learn_screening

    learn_screening(connection, journal)


SCREENING: Final = SessionKind(
    role="candidate",
    plan=_plan,
    events=_list_events,
    robot_names=ROBOTS,
    load_robots=_load_robots,
    learns=_learn_screening,
    takes=("participant", "lead", "expert"),
)

"""What accept_reject declares of its people and their records.

Whoever reads a journal imports this module: what only sessions need is imported where it is used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from participants.dataset.study_tables import ShownTable, StudyTables
from participants.lists import ListOffer
from participants.studies.accept_reject import columns
from participants.studies.accept_reject.annotation_events import (
    AnnotationTrialEnd,
    AnnotationTrialStart,
)
from participants.studies.accept_reject.events import TrialEnd, TrialStart
from participants.study import Dictionary, Place, Robots, SessionKind, Study
from stimuli.io.tables import Row
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LISTS, TASKS

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from participants.journal import Journal
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

LEAD_EVENTS = {"trial_start": TrialStart, "trial_end": TrialEnd}
SIDES = ("left", "right")
LEADS = (
    "lead", "careful", "unaffected", "credulous", "dichromat", "contour_reader", "lazy", "random",
)  # fmt: skip


def simulated_lead(robot: Any, habits: Any, clock: Any, recorder: Any) -> Any:
    """Return the presenter of a simulated lead's trials."""
    from participants.studies.accept_reject.simulated import SimulatedLead

    return SimulatedLead(robot, clock, recorder)


def _plan_lead(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.accept_reject.plan import plan_session

    assert given is not None
    return plan_session(pack, given.list, given.order, language, code, given.accept_side)


def _plan_expert(
    pack: "Pack", given: "Assignment | None", language: str, code: str
) -> "SessionPlan":
    from participants.studies.accept_reject.annotation import plan_annotation

    return plan_annotation(pack, language, code)


def _orders(protocol: Any) -> tuple[str, ...]:
    from participants.studies.accept_reject.plan import orders_of

    return orders_of(protocol)


def _offers(pack: "Pack") -> tuple[ListOffer, ...]:
    from stimuli.studies.accept_reject.lists import list_places

    places = list_places(pack).items()
    return tuple(ListOffer(name, axis, rung) for name, (axis, rung) in places)


def _leads(pack: "Pack", language: str) -> Callable[[str, str, int], Any]:
    from participants.studies.accept_reject.robots.participant import RobotParticipant

    return lambda name, code, seed: RobotParticipant.of(name, pack, code, seed)


def _experts(pack: "Pack", language: str) -> Callable[[str, str, int], Any]:
    from participants.studies.accept_reject.robots.painter import RobotExpert

    return lambda name, code, seed: RobotExpert.of(pack, code, seed)


def _place(pack: "Pack") -> Place:
    from participants.studies.accept_reject.robots.titration import robots_place

    return robots_place(pack)


def _sketch(protocol: Any) -> "Pack":
    from participants.studies.accept_reject.robots.titration import sketch_for_robots

    return sketch_for_robots(protocol)


def _markings(data: "DataFolder") -> Any:
    from participants.studies.accept_reject.expert_sessions import expert_sessions

    return expert_sessions(data)


def _shown(pack: "Pack") -> Any:
    from participants.studies.accept_reject.rows import solutions_of

    return solutions_of(pack)


def _rows(journal: "Journal", shown: Any) -> list[Row]:
    from participants.studies.accept_reject.rows import lead_rows

    return lead_rows(journal, shown)


def _expert_tables(data: "DataFolder") -> None:
    from participants.studies.accept_reject.annotation_tables import write_expert_tables

    write_expert_tables(data)


def _dictionary() -> Dictionary:
    from stimuli.maps.map_set import MAPS

    return Dictionary(
        tables={"annotations": columns.ANNOTATIONS, "experts": columns.EXPERTS},
        pack={
            "items.csv": ITEMS,
            "key.csv": KEY,
            "lists.csv": LISTS,
            "item_table.csv": ITEM_TABLE,
            "maps.csv": MAPS,
        },
        task_pack={"tasks.csv": TASKS},
    )


STUDY = Study(
    package=__package__,
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=_plan_lead,
            events=LEAD_EVENTS,
            robots=Robots(
                names=LEADS,
                make=_leads,
                place=_place,
                simulated=simulated_lead,
                sketch=_sketch,
            ),
            orders=_orders,
            sides=SIDES,
            offers=_offers,
        ),
        "tasks": SessionKind(
            role="expert",
            plan=_plan_expert,
            events={"trial_start": AnnotationTrialStart, "trial_end": AnnotationTrialEnd},
            robots=Robots(names=("expert",), make=_experts),
            markings=_markings,
        ),
    },
    tables=StudyTables(
        role="lead",
        trials=columns.TRIALS,
        shown=_shown,
        rows=_rows,
        of_packs={"items": ShownTable(ITEM_TABLE, lambda shown: shown.item_table)},
        versions=columns.VERSIONS,
        also=_expert_tables,
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
)

"""What accept_reject declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from participants.screening.kind import SCREENING
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.studies.accept_reject.tables import ARMS, ITEM_TABLE, ITEMS, KEY, LISTS, TASKS

if TYPE_CHECKING:
    from participants.dataset.study_tables import StudyTables
    from participants.folder import DataFolder
    from participants.journal.events import Recorded
    from participants.lists import ListOffer
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from participants.study import Markings
    from stimuli.pack import Pack
    from stimuli.studies.accept_reject.protocol import AcceptReject

LEADS = (
    "lead", "careful", "unaffected", "credulous", "dichromat", "contour_reader", "lazy",
    "rejecting", "random",
    "contrary", "absent",
)  # fmt: skip


def _dictionary() -> Dictionary:
    from participants.studies.accept_reject.expert_sessions import ANNOTATIONS, EXPERTS
    from stimuli.maps.map_set import MAPS

    return Dictionary(
        tables={"annotations": ANNOTATIONS, "experts": EXPERTS},
        pack={
            "items.csv": ITEMS,
            "key.csv": KEY,
            "lists.csv": LISTS,
            "item_table.csv": ITEM_TABLE,
            "arms.csv": ARMS,
            "maps.csv": MAPS,
        },
        task_pack={"tasks.csv": TASKS, "arms.csv": ARMS},
    )


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.accept_reject.plan import plan_session

    return plan_session(pack, given, language, code)


def list_events() -> "Mapping[str, type[Recorded]]":
    """Return the kinds of event of a lead's journal."""
    from participants.studies.accept_reject.events import lead_events

    return lead_events()


def _load_leads() -> Robots:
    from participants.studies.accept_reject.robots.leads import (
        SimulatedLead,
        leads,
        robots_place,
        sketch_for_robots,
    )

    return Robots(make=leads, place=robots_place, simulated=SimulatedLead, sketch=sketch_for_robots)


def _list_orders(protocol: "AcceptReject") -> tuple[str, ...]:
    from participants.studies.accept_reject.plan import orders_of

    return orders_of(protocol)


def _list_offers(pack: "Pack") -> "tuple[ListOffer, ...]":
    from participants.studies.accept_reject.plan import offers_of

    return offers_of(pack)


def _plan_annotation(
    pack: "Pack", given: "Assignment | None", language: str, code: str
) -> "SessionPlan":
    from participants.studies.accept_reject.annotation import plan_annotation

    return plan_annotation(pack, given, language, code)


def _list_annotation_events() -> "Mapping[str, type[Recorded]]":
    from participants.studies.accept_reject.events import annotation_events

    return annotation_events()


def _load_experts() -> Robots:
    from participants.studies.accept_reject.robots.expert import experts

    return Robots(make=experts)


def _read_markings(data: "DataFolder") -> "Markings":
    from participants.studies.accept_reject.expert_sessions import expert_sessions

    return expert_sessions(data)


def _load_tables() -> "StudyTables":
    from participants.studies.accept_reject.rows import TABLES

    return TABLES


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=_plan,
            events=list_events,
            robot_names=LEADS,
            load_robots=_load_leads,
            orders=_list_orders,
            sides=SIDES,
            offers=_list_offers,
        ),
        "tasks": SessionKind(
            role="expert",
            plan=_plan_annotation,
            events=_list_annotation_events,
            robot_names=("expert", "mild_deficit"),
            load_robots=_load_experts,
            markings=_read_markings,
        ),
        "screening": SCREENING,
    },
    load_tables=_load_tables,
    outside=("participant", "item", "explained", "solver", "decision", "rt_s"),
    dictionary=_dictionary,
    stimulus_file="plate_file",
)

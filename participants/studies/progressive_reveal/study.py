"""What progressive_reveal declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from participants.study import Dictionary, Robots, SessionKind, Study
from stimuli.studies.progressive_reveal import tables

if TYPE_CHECKING:
    from participants.dataset.study_tables import StudyTables
    from participants.folder import DataFolder
    from participants.journal.events import Recorded
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from participants.study import Markings
    from stimuli.pack import Pack

JOURNAL = (
    "One journal holds all sittings of a person (`role` is `participant`). At a break that may be "
    "left, the page has the answer `then`: `leave`, `leave_for_good` or `go_on`. Leaving for the "
    "day is an `abort` of reason `left`, leaving for good one of `left_for_good`, and a sitting's "
    "end one of `sitting_end`; the next `session` event goes on. A round with a `trial_start` and "
    "no `trial_end` was cut off when the session was killed: it isn't shown again."
)


def _dictionary() -> Dictionary:
    from stimuli.studies.progressive_reveal.tasks import TASKS

    return Dictionary(
        journal=JOURNAL,
        pack={
            "items.csv": tables.ITEMS,
            "key.csv": tables.KEY,
            "lists.csv": tables.LISTS,
            "classes.csv": tables.CLASSES,
            "item_table.csv": tables.ITEM_TABLE,
            "arms.csv": tables.ARMS,
            "curves.csv": tables.CURVES,
            "fragments.csv": tables.FRAGMENTS,
            "metrics.csv": tables.METRICS,
        },
        task_pack={"tasks.csv": TASKS, "classes.csv": tables.CLASSES},
    )


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.progressive_reveal.plan import plan_session

    return plan_session(pack, given, language, code)


def _list_round_events() -> "Mapping[str, type[Recorded]]":
    from participants.studies.progressive_reveal.events import round_events

    return round_events()


def _load_viewers() -> Robots:
    from participants.studies.progressive_reveal.robots.viewers import viewers
    from participants.studies.progressive_reveal.simulated import SimulatedParticipant, attendance
    from stimuli.studies.progressive_reveal.sketch import sketch

    return Robots(
        make=viewers, simulated=SimulatedParticipant, sketch=sketch, attendance=attendance
    )


def _plan_bubbling(
    pack: "Pack", given: "Assignment | None", language: str, code: str
) -> "SessionPlan":
    from participants.studies.progressive_reveal.bubbling import plan_bubbling

    return plan_bubbling(pack, given, language, code)


def _list_bubbling_events() -> "Mapping[str, type[Recorded]]":
    from participants.studies.progressive_reveal.events import bubbling_events

    return bubbling_events()


def _load_bubblers() -> Robots:
    from participants.studies.progressive_reveal.robots.bubblers import bubblers

    return Robots(make=bubblers)


def _read_markings(data: "DataFolder") -> "Markings":
    from participants.studies.progressive_reveal.bubbling import bubbling_sessions

    return bubbling_sessions(data)


def _load_tables() -> "StudyTables":
    from participants.studies.progressive_reveal.rows import TABLES

    return TABLES


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=_plan,
            events=_list_round_events,
            robot_names=("viewer", "guesser", "walker", "slow_typist", "mistaken", "idle"),
            load_robots=_load_viewers,
            orders=lambda protocol: ("as_listed",),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=_plan_bubbling,
            events=_list_bubbling_events,
            robot_names=("expert",),
            load_robots=_load_bubblers,
            markings=_read_markings,
        ),
    },
    load_tables=_load_tables,
    outside=("participant", "item", "method", "class", "recognised", "step", "pixels"),
    dictionary=_dictionary,
    stimulus_file="image_file",
)

"""What progressive_reveal declares of its people and their records.

Whoever reads a journal imports this module: what only sessions need is imported where it is used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from participants.dataset.study_tables import PeopleTable, ShownTable, StudyTables
from participants.studies.progressive_reveal import columns
from participants.studies.progressive_reveal.bubbling_events import (
    BubbleTrialEnd,
    BubbleTrialStart,
)
from participants.studies.progressive_reveal.events import (
    Copy,
    RevealFlip,
    RevealTrialEnd,
    RevealTrialStart,
)
from participants.study import Attendance, Dictionary, Robots, SessionKind, Study
from stimuli.io.tables import Row
from stimuli.studies.progressive_reveal import tables

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from participants.journal import Journal
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

JOURNAL = (
    "One journal holds all sittings of a person (`role` is `participant`). At a break that may be "
    "left, the page has the answer `then`: `leave` or `go_on`. Leaving there is an `abort` "
    "of reason `left`, and a sitting's end one of `sitting_end`; the next `session` event goes "
    "on. A round with a `trial_start` and no `trial_end` was cut off when the session was "
    "killed: it isn't shown again."
)


def _plan_participant(
    pack: "Pack", given: "Assignment | None", language: str, code: str
) -> "SessionPlan":
    from participants.studies.progressive_reveal.plan import plan_session

    assert given is not None
    return plan_session(pack, given.list, given.order, language, code)


def _plan_bubbling(
    pack: "Pack", given: "Assignment | None", language: str, code: str
) -> "SessionPlan":
    from participants.studies.progressive_reveal.bubbling import plan_bubbling

    return plan_bubbling(pack, language, code)


def _viewers(pack: "Pack", language: str) -> Callable[[str, str, int], Any]:
    from participants.studies.progressive_reveal.robots.rounds_seen import views_of
    from participants.studies.progressive_reveal.robots.viewers import ViewerParticipant

    views = views_of(pack, language)
    return lambda name, code, seed: ViewerParticipant.among(views, name, code, seed)


def _bubblers(pack: "Pack", language: str) -> Callable[[str, str, int], Any]:
    from participants.studies.progressive_reveal.robots.robot_bubbler import RobotBubbler

    return lambda name, code, seed: RobotBubbler(pack, seed, code)


def _simulated(robot: Any, habits: Any, clock: Any, recorder: Any) -> Any:
    from participants.studies.progressive_reveal.simulated import SimulatedParticipant

    return SimulatedParticipant(robot, habits, clock, recorder)


def _attendance(plan: "SessionPlan", seed: int, participant: str) -> Attendance:
    from participants.studies.progressive_reveal.leaving import USUAL, attendance

    return attendance(USUAL, plan, seed, participant)


def _sketch(protocol: Any) -> "Pack":
    from stimuli.studies.progressive_reveal.sketch import sketch

    return sketch(protocol)


def _markings(data: "DataFolder") -> Any:
    from participants.studies.progressive_reveal.bubbling_sessions import bubbling_sessions

    return bubbling_sessions(data)


def _shown(pack: "Pack") -> Any:
    from participants.studies.progressive_reveal.rows import images_of

    return images_of(pack)


def _rows(journal: "Journal", shown: Any) -> list[Row]:
    from participants.studies.progressive_reveal.rows import round_rows

    return round_rows(journal, shown)


def _person(journal: "Journal") -> Row:
    from participants.studies.progressive_reveal.rows import person_row

    return person_row(journal)


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
            "curves.csv": tables.CURVES,
        },
        task_pack={"tasks.csv": TASKS, "classes.csv": tables.CLASSES},
    )


STUDY = Study(
    package=__package__,
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=_plan_participant,
            events={
                "trial_start": RevealTrialStart,
                "flip": RevealFlip,
                "trial_end": RevealTrialEnd,
                "copy": Copy,
            },
            robots=Robots(
                names=("viewer", "guesser", "slow_typist", "idle"),
                make=_viewers,
                simulated=_simulated,
                sketch=_sketch,
                attendance=_attendance,
            ),
            orders=lambda protocol: ("as_listed",),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=_plan_bubbling,
            events={"trial_start": BubbleTrialStart, "trial_end": BubbleTrialEnd},
            robots=Robots(names=("expert",), make=_bubblers),
            markings=_markings,
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=columns.TRIALS,
        shown=_shown,
        rows=_rows,
        of_packs={
            "items": ShownTable(tables.ITEM_TABLE, lambda shown: shown.item_table),
            "curves": ShownTable(tables.CURVES, lambda shown: shown.curves),
        },
        people=PeopleTable(columns.PEOPLE, _person),
        versions=columns.VERSIONS,
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
)

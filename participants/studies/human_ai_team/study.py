"""What human_ai_team declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.cases import TEXTS
from stimuli.studies.human_ai_team import tables

if TYPE_CHECKING:
    from participants.dataset.study_tables import StudyTables
    from participants.journal.events import Recorded
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

JUDGES = (
    "careful", "overtrusting", "undertrusting", "guided_by_help", "careless", "yes_sayer", "absent",
)  # fmt: skip
JOURNAL = (
    "`list` of the `session` event is the sheet, `order` the arm. A trial has up to five steps: "
    "the question whether such a thing was ever seen (`prior_end`), an answer before advice "
    "(`own_end`), the answer that counts (`trial_end`), how sure it is (an `answer` whose `step` "
    "is `confidence-` and the trial's number), and in practice feedback. Each answer is on disk "
    "before the next screen, so none is asked for twice. `qualification` says who qualified."
)


def _dictionary() -> Dictionary:
    return Dictionary(
        journal=JOURNAL,
        pack={
            "items.csv": tables.ITEMS,
            "texts.csv": TEXTS,
            "helps.csv": tables.HELPS,
            "arms.csv": tables.ARMS,
            "arm_counts.csv": tables.ARM_COUNTS,
            "labels.csv": tables.LABELS,
            "samples.csv": tables.SAMPLES,
            "lists.csv": tables.LISTS,
            "key.csv": tables.KEY,
            "metrics.csv": tables.METRICS,
            "available.csv": tables.AVAILABLE,
            "ai.csv": tables.AI,
        },
    )


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.human_ai_team.plan import plan_session

    return plan_session(pack, given, language, code)


def _list_events() -> "Mapping[str, type[Recorded]]":
    from participants.studies.human_ai_team.events import team_events

    return team_events()


def _load_robots() -> Robots:
    from participants.studies.human_ai_team.robots import SimulatedTeam, judges
    from stimuli.studies.human_ai_team.sketch import sketch

    return Robots(make=judges, simulated=SimulatedTeam, sketch=sketch)


def _load_tables() -> "StudyTables":
    from participants.studies.human_ai_team.rows import TABLES

    return TABLES


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=_plan,
            events=_list_events,
            robot_names=JUDGES,
            load_robots=_load_robots,
            orders=lambda protocol: protocol.help.arms,
            sides=SIDES,
        ),
    },
    load_tables=_load_tables,
    outside=("participant", "item", "method", "ai_correct", "decision"),
    dictionary=_dictionary,
    stimulus_file="image_file",
)

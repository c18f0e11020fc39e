"""What simulatability declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.studies.simulatability import tables

if TYPE_CHECKING:
    from participants.dataset.study_tables import StudyTables
    from participants.journal.events import Recorded
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

ROBOTS = (
    "reader", "practice", "true_label", "same_as_before", "majority", "careless", "absent",
)  # fmt: skip
JOURNAL = (
    "In the `session` event, `list` is the sheet and `order` is the arm (domain and method). An "
    "item has up to three steps: a rating of its explanation (`rating_end`; for an example, "
    "`trial_end` has the rating), the prediction (`trial_end`), and how sure the person is (an "
    "`answer` whose `step` is `confidence-` and the trial's number). Each answer is on disk before "
    "the next screen, so nothing is asked twice. `length` says how many items a test has. "
    "`qualification` says whether the person may go on: its step is `course_look` after the "
    "question about a course, and `understanding` after the questions on balance and method."
)


def _dictionary() -> Dictionary:
    return Dictionary(
        journal=JOURNAL,
        pack={
            "items.csv": tables.ITEMS,
            "explanations.csv": tables.EXPLANATIONS,
            "methods.csv": tables.METHODS,
            "words.csv": tables.WORDS,
            "classes.csv": tables.CLASSES,
            "lists.csv": tables.LISTS,
            "key.csv": tables.KEY,
            "models.csv": tables.MODELS,
        },
    )


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.simulatability.plan import plan_session

    return plan_session(pack, given, language, code)


def _list_events() -> "Mapping[str, type[Recorded]]":
    from participants.studies.simulatability.events import case_events

    return case_events()


def _load_robots() -> Robots:
    from participants.studies.simulatability.robots.predictors import SimulatedCases, predictors
    from stimuli.studies.simulatability.sketch import sketch

    return Robots(make=predictors, simulated=SimulatedCases, sketch=sketch)


def _load_tables() -> "StudyTables":
    from participants.studies.simulatability.rows import TABLES

    return TABLES


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=_plan,
            events=_list_events,
            robot_names=ROBOTS,
            load_robots=_load_robots,
            orders=lambda protocol: protocol.arms,
            sides=SIDES,
        ),
    },
    load_tables=_load_tables,
    outside=("participant", "item", "domain", "use", "phase", "method", "correct"),
    dictionary=_dictionary,
)

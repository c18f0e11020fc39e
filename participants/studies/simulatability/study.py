"""What simulatability declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.study import SIDES, Dictionary, SessionKind, Study
from stimuli.catalogue import Later
from stimuli.studies.simulatability import tables

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


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=Later(f"{__package__}.plan:plan_session"),
            events=Later(f"{__package__}.events:case_events"),
            robot_names=ROBOTS,
            load_robots=Later(f"{__package__}.robots.predictors:SESSION_ROBOTS").load,
            orders=lambda protocol: protocol.arms,
            sides=SIDES,
        ),
    },
    load_tables=Later(f"{__package__}.rows:TABLES").load,
    outside=("participant", "item", "domain", "use", "phase", "method", "correct"),
    dictionary=_dictionary,
)

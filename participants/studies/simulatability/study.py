"""What simulatability declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.dataset.study_tables import ArmsTable, PeopleTable, ShownTable, StudyTables
from participants.studies.simulatability import columns
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.catalogue import Late
from stimuli.studies.simulatability import tables

HERE = __package__
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
            plan=Late(f"{HERE}.plan:plan_session"),
            events=Late(f"{HERE}.events:case_events"),
            robots=Robots(
                names=ROBOTS,
                make=Late(f"{HERE}.robots.predictors:predictors"),
                simulated=Late(f"{HERE}.simulated:SimulatedCases"),
                sketch=Late("stimuli.studies.simulatability.sketch:sketch"),
            ),
            orders=Late(f"{HERE}.plan:orders_of"),
            sides=SIDES,
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=columns.TRIALS,
        shown=Late(f"{HERE}.rows:cases_of"),
        rows=Late(f"{HERE}.rows:case_rows"),
        of_packs={
            "methods": ShownTable(tables.METHODS, lambda shown: shown.methods),
            "models": ShownTable(tables.MODELS, lambda shown: shown.models),
        },
        arms=ArmsTable("methods", ("method",), "origin"),
        people=PeopleTable(columns.PEOPLE, Late(f"{HERE}.rows:person_row")),
        versions=columns.VERSIONS,
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
)

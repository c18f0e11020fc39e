"""What progressive_reveal declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.dataset.study_tables import ArmsTable, PeopleTable, ShownTable, StudyTables
from participants.studies.progressive_reveal import columns
from participants.study import Dictionary, Robots, SessionKind, Study
from stimuli.catalogue import Late
from stimuli.studies.progressive_reveal import tables

HERE = __package__
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
        },
        task_pack={"tasks.csv": TASKS, "classes.csv": tables.CLASSES},
    )


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=Late(f"{HERE}.plan:plan_session"),
            events=Late(f"{HERE}.events:round_events"),
            robots=Robots(
                names=("viewer", "guesser", "walker", "slow_typist", "mistaken", "idle"),
                make=Late(f"{HERE}.robots.viewers:viewers"),
                simulated=Late(f"{HERE}.simulated:SimulatedParticipant"),
                sketch=Late("stimuli.studies.progressive_reveal.sketch:sketch"),
                attendance=Late(f"{HERE}.leaving:attendance"),
            ),
            orders=lambda protocol: ("as_listed",),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=Late(f"{HERE}.bubbling:plan_bubbling"),
            events=Late(f"{HERE}.bubbling_events:bubbling_events"),
            robots=Robots(names=("expert",), make=Late(f"{HERE}.robots.robot_bubbler:bubblers")),
            markings=Late(f"{HERE}.bubbling_sessions:bubbling_sessions"),
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=columns.TRIALS,
        shown=Late(f"{HERE}.rows:images_of"),
        rows=Late(f"{HERE}.rows:round_rows"),
        of_packs={
            "items": ShownTable(tables.ITEM_TABLE, lambda shown: shown.item_table),
            "arms": ShownTable(tables.ARMS, lambda shown: shown.arms),
            "curves": ShownTable(tables.CURVES, lambda shown: shown.curves),
        },
        arms=ArmsTable("arms", ("method",), "map_origin"),
        people=PeopleTable(columns.PEOPLE, Late(f"{HERE}.rows:person_row")),
        versions=columns.VERSIONS,
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
    stimulus_file="image_file",
)

"""What progressive_reveal declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.study import Dictionary, SessionKind, Study
from stimuli.catalogue import Later
from stimuli.studies.progressive_reveal import tables

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


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=Later(f"{__package__}.plan:plan_session"),
            events=Later(f"{__package__}.events:round_events"),
            robot_names=("viewer", "guesser", "walker", "slow_typist", "mistaken", "idle"),
            load_robots=Later(f"{__package__}.simulated:SESSION_ROBOTS").load,
            orders=lambda protocol: ("as_listed",),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=Later(f"{__package__}.bubbling:plan_bubbling"),
            events=Later(f"{__package__}.events:bubbling_events"),
            robot_names=("expert",),
            load_robots=Later(f"{__package__}.robots.bubblers:SESSION_ROBOTS").load,
            markings=Later(f"{__package__}.bubbling:bubbling_sessions"),
        ),
    },
    load_tables=Later(f"{__package__}.rows:TABLES").load,
    outside=("participant", "item", "method", "class", "recognised", "step", "pixels"),
    dictionary=_dictionary,
    stimulus_file="image_file",
)

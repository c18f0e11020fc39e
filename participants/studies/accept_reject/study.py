"""What accept_reject declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.screening.kind import SCREENING
from participants.study import SIDES, Dictionary, SessionKind, Study
from stimuli.catalogue import Later
from stimuli.studies.accept_reject.tables import ARMS, ITEM_TABLE, ITEMS, KEY, LISTS, METRICS, TASKS

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
            "metrics.csv": METRICS,
        },
        task_pack={"tasks.csv": TASKS, "arms.csv": ARMS, "metrics.csv": METRICS},
    )


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=Later(f"{__package__}.plan:plan_session"),
            events=Later(f"{__package__}.events:lead_events"),
            robot_names=LEADS,
            load_robots=Later(f"{__package__}.robots.leads:SESSION_ROBOTS").load,
            orders=Later(f"{__package__}.plan:orders_of"),
            sides=SIDES,
            offers=Later(f"{__package__}.plan:offers_of"),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=Later(f"{__package__}.annotation:plan_annotation"),
            events=Later(f"{__package__}.events:annotation_events"),
            robot_names=("expert", "mild_deficit"),
            load_robots=Later(f"{__package__}.robots.expert:SESSION_ROBOTS").load,
            markings=Later(f"{__package__}.expert_sessions:expert_sessions"),
        ),
        "screening": SCREENING,
    },
    load_tables=Later(f"{__package__}.rows:TABLES").load,
    outside=("participant", "item", "explained", "solver", "decision", "rt_s"),
    dictionary=_dictionary,
    stimulus_file="plate_file",
)

"""What accept_reject declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.dataset.study_tables import ArmsTable, ShownTable, StudyTables
from participants.screening.kind import SCREENING
from participants.studies.accept_reject import columns
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.catalogue import Late
from stimuli.studies.accept_reject.tables import ARMS, ITEM_TABLE, ITEMS, KEY, LISTS, TASKS

HERE = __package__
LEAD_EVENTS = Late(f"{HERE}.events:lead_events")
SIMULATED_LEAD = Late(f"{HERE}.simulated:SimulatedLead")
LEADS = (
    "lead", "careful", "unaffected", "credulous", "dichromat", "contour_reader", "lazy",
    "rejecting", "random",
    "contrary", "absent",
)  # fmt: skip


def _dictionary() -> Dictionary:
    from stimuli.maps.map_set import MAPS

    return Dictionary(
        tables={"annotations": columns.ANNOTATIONS, "experts": columns.EXPERTS},
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


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=Late(f"{HERE}.plan:plan_session"),
            events=LEAD_EVENTS,
            robots=Robots(
                names=LEADS,
                make=Late(f"{HERE}.robots.participant:leads"),
                place=Late(f"{HERE}.robots.titration:robots_place"),
                simulated=SIMULATED_LEAD,
                sketch=Late(f"{HERE}.robots.titration:sketch_for_robots"),
            ),
            orders=Late(f"{HERE}.plan:orders_of"),
            sides=SIDES,
            offers=Late(f"{HERE}.plan:offers_of"),
        ),
        "tasks": SessionKind(
            role="expert",
            plan=Late(f"{HERE}.annotation:plan_annotation"),
            events=Late(f"{HERE}.annotation_events:annotation_events"),
            robots=Robots(
                names=("expert", "mild_deficit"), make=Late(f"{HERE}.robots.painter:experts")
            ),
            markings=Late(f"{HERE}.expert_sessions:expert_sessions"),
        ),
        "screening": SCREENING,
    },
    tables=StudyTables(
        role="lead",
        trials=columns.TRIALS,
        shown=Late(f"{HERE}.rows:solutions_of"),
        rows=Late(f"{HERE}.rows:lead_rows"),
        of_packs={
            "items": ShownTable(ITEM_TABLE, lambda shown: shown.item_table),
            "arms": ShownTable(ARMS, lambda shown: shown.arms),
        },
        arms=ArmsTable("arms", ("solver", "method"), "solver_origin"),
        versions=columns.VERSIONS,
        also=Late(f"{HERE}.annotation_tables:write_expert_tables"),
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
    stimulus_file="plate_file",
)

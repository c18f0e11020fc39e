"""What human_ai_team declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.dataset.study_tables import ArmsTable, PeopleTable, ShownTable, StudyTables
from participants.studies.human_ai_team import columns
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.catalogue import Late
from stimuli.studies.human_ai_team import tables

HERE = __package__
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
            "helps.csv": tables.HELPS,
            "arms.csv": tables.ARMS,
            "labels.csv": tables.LABELS,
            "samples.csv": tables.SAMPLES,
            "lists.csv": tables.LISTS,
            "key.csv": tables.KEY,
            "metrics.csv": tables.METRICS,
            "available.csv": tables.AVAILABLE,
            "ai.csv": tables.AI,
        },
    )


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=Late(f"{HERE}.plan:plan_session"),
            events=Late(f"{HERE}.events:team_events"),
            robots=Robots(
                names=JUDGES,
                make=Late(f"{HERE}.robots.judges:judges"),
                simulated=Late(f"{HERE}.simulated:SimulatedTeam"),
                sketch=Late("stimuli.studies.human_ai_team.sketch:sketch"),
            ),
            orders=Late(f"{HERE}.plan:orders_of"),
            sides=SIDES,
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=columns.TRIALS,
        shown=Late(f"{HERE}.rows:images_of"),
        rows=Late(f"{HERE}.rows:team_rows"),
        of_packs={
            "arms": ShownTable(tables.ARMS, lambda shown: shown.arms),
            "metrics": ShownTable(tables.METRICS, lambda shown: shown.metrics),
            "available": ShownTable(tables.AVAILABLE, lambda shown: shown.available),
            "ai": ShownTable(tables.AI, lambda shown: shown.ai),
        },
        arms=ArmsTable("arms", ("arm",), "help_origin"),
        people=PeopleTable(columns.PEOPLE, Late(f"{HERE}.rows:person_row")),
        versions=columns.VERSIONS,
    ),
    outside=columns.OUTSIDE,
    dictionary=_dictionary,
    stimulus_file="image_file",
)

"""What human_ai_team declares of its people and their records.

Readers of journals and tables import this module. What only sessions need is imported when it is
called.
"""

from participants.study import SIDES, Dictionary, SessionKind, Study
from stimuli.cases import TEXTS
from stimuli.catalogue import Later
from stimuli.studies.human_ai_team import tables

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


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=Later(f"{__package__}.plan:plan_session"),
            events=Later(f"{__package__}.events:team_events"),
            robot_names=JUDGES,
            load_robots=Later(f"{__package__}.robots:SESSION_ROBOTS").load,
            orders=lambda protocol: protocol.help.arms,
            sides=SIDES,
        ),
    },
    load_tables=Later(f"{__package__}.rows:TABLES").load,
    outside=("participant", "item", "method", "ai_correct", "decision"),
    dictionary=_dictionary,
    stimulus_file="image_file",
)

"""What accept_reject's second assessment, accuracy, declares of its people and their records."""

from participants.study import SIDES, Dictionary, SessionKind, Study
from stimuli.cases import TEXTS
from stimuli.catalogue import Later
from stimuli.studies.accept_reject.tables import LABELLED
from stimuli.studies.accept_reject_accuracy.tables import LABELS, PREDICTIONS

OUTSIDE = (
    "participant", "item", "solver", "true_label", "shown_label", "decision", "rt_s",
)  # fmt: skip


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=Later(f"{__package__}.plan:plan_session"),
            events=Later("participants.studies.accept_reject.events:lead_events"),
            robot_names=(
                "exact_labels",
                "lenient",
                "noisy",
                "lazy",
                "random",
                "contrary",
                "absent",
            ),
            load_robots=Later(f"{__package__}.robots:SESSION_ROBOTS").load,
            orders=lambda protocol: ("one_run",),
            sides=SIDES,
        ),
    },
    load_tables=lambda: None,
    outside=OUTSIDE,
    dictionary=lambda: Dictionary(
        pack={
            "items.csv": LABELLED,
            "texts.csv": TEXTS,
            "labels.csv": LABELS,
            "predictions.csv": PREDICTIONS,
        },
    ),
    stimulus_file="image_file",
)

"""What accept_reject's second assessment, accuracy, declares of its people and their records."""

from participants.studies.accept_reject.study import LEAD_EVENTS, SIMULATED_LEAD
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.catalogue import Late
from stimuli.studies.accept_reject_accuracy.tables import ITEMS, LABELS, PREDICTIONS

HERE = __package__
OUTSIDE = (
    "participant", "item", "solver", "true_label", "shown_label", "decision", "rt_s",
)  # fmt: skip


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=Late(f"{HERE}.plan:plan_session"),
            events=LEAD_EVENTS,
            robots=Robots(
                names=("exact_labels", "lenient", "noisy", "lazy", "random", "contrary", "absent"),
                make=Late(f"{HERE}.robots.labellers:labellers"),
                simulated=SIMULATED_LEAD,
                sketch=Late("stimuli.studies.accept_reject_accuracy.sketch:sketch"),
            ),
            orders=lambda protocol: ("one_run",),
            sides=SIDES,
        ),
    },
    tables=None,
    outside=OUTSIDE,
    dictionary=lambda: Dictionary(
        pack={"items.csv": ITEMS, "labels.csv": LABELS, "predictions.csv": PREDICTIONS},
    ),
    stimulus_file="image_file",
)

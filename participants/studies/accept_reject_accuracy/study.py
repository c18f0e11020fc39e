"""What accept_reject's second assessment, accuracy, declares of its people and their records."""

from typing import TYPE_CHECKING

from participants.studies.accept_reject.study import list_events
from participants.study import SIDES, Dictionary, Robots, SessionKind, Study
from stimuli.cases import TEXTS
from stimuli.studies.accept_reject_accuracy.tables import ITEMS, LABELS, PREDICTIONS

if TYPE_CHECKING:
    from participants.registry import Assignment
    from participants.session import SessionPlan
    from stimuli.pack import Pack

OUTSIDE = (
    "participant", "item", "solver", "true_label", "shown_label", "decision", "rt_s",
)  # fmt: skip


def _plan(pack: "Pack", given: "Assignment | None", language: str, code: str) -> "SessionPlan":
    from participants.studies.accept_reject_accuracy.plan import plan_session

    return plan_session(pack, given, language, code)


def _load_robots() -> Robots:
    from participants.studies.accept_reject.robots.leads import SimulatedLead
    from participants.studies.accept_reject_accuracy.robots import labellers
    from stimuli.studies.accept_reject_accuracy.sketch import sketch

    return Robots(make=labellers, simulated=SimulatedLead, sketch=sketch)


STUDY = Study(
    package=__package__ or "",
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=_plan,
            events=list_events,
            robot_names=(
                "exact_labels",
                "lenient",
                "noisy",
                "lazy",
                "random",
                "contrary",
                "absent",
            ),
            load_robots=_load_robots,
            orders=lambda protocol: ("one_run",),
            sides=SIDES,
        ),
    },
    load_tables=lambda: None,
    outside=OUTSIDE,
    dictionary=lambda: Dictionary(
        pack={
            "items.csv": ITEMS,
            "texts.csv": TEXTS,
            "labels.csv": LABELS,
            "predictions.csv": PREDICTIONS,
        },
    ),
    stimulus_file="image_file",
)

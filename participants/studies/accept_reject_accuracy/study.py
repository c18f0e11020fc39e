"""What accept_reject's second assessment, accuracy, declares of its people and their records."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from participants.studies.accept_reject.study import LEAD_EVENTS, SIDES, simulated_lead
from participants.study import Dictionary, Robots, SessionKind, Study
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

    assert given is not None
    return plan_session(pack, given.list, given.order, language, code, given.accept_side)


def _labellers(pack: "Pack", language: str) -> Callable[[str, str, int], Any]:
    from participants.studies.accept_reject_accuracy.robots.labellers import LabellerParticipant

    return lambda name, code, seed: LabellerParticipant.of(name, pack, code, seed)


def _sketch(protocol: Any) -> "Pack":
    from stimuli.studies.accept_reject_accuracy.sketch import sketch

    return sketch(protocol)


STUDY = Study(
    package=__package__,
    sessions={
        "solutions": SessionKind(
            role="lead",
            plan=_plan,
            events=LEAD_EVENTS,
            robots=Robots(
                names=("exact_labels", "lenient", "noisy", "lazy", "random"),
                make=_labellers,
                simulated=simulated_lead,
                sketch=_sketch,
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
)

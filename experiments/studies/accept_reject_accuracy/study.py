"""What accept_reject's second assessment, accuracy, declares of its screens."""

from typing import Any

from experiments.robot_input.actor import ChoiceActor
from experiments.studies.accept_reject.study import lead_page_stimuli, lead_presenter
from experiments.study import SessionScreens, Study


def _painter(*of: Any) -> Any:
    from experiments.studies.accept_reject_accuracy.painter import ImagePainter

    return ImagePainter(*of)


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=_painter,
            presenter=lead_presenter,
            actor=ChoiceActor,
            page_stimuli=lead_page_stimuli,
        ),
    },
)

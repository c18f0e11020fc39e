"""What accept_reject's second assessment, accuracy, declares of its screens."""

from experiments.robot_input.actor import ChoiceActor
from experiments.study import ScreenParts, SessionScreens, Study


def _load_parts() -> ScreenParts:
    from experiments.studies.accept_reject.presenter import LeadPresenter, page_stimuli
    from experiments.studies.accept_reject_accuracy.painter import ImagePainter

    return ScreenParts(ImagePainter, LeadPresenter, ChoiceActor, page_stimuli)


STUDY = Study(sessions={"solutions": SessionScreens(_load_parts)})

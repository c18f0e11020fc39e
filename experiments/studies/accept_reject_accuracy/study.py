"""What accept_reject's second assessment, accuracy, declares of its screens."""

from experiments.robot_input.actor import ChoiceActor
from experiments.studies.accept_reject.study import LEAD_PAGE_STIMULI, LEAD_PRESENTER
from experiments.study import SessionScreens, Study
from stimuli.catalogue import Late

STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=Late(f"{__package__}.painter:ImagePainter"),
            presenter=LEAD_PRESENTER,
            actor=ChoiceActor,
            page_stimuli=LEAD_PAGE_STIMULI,
        ),
    },
)

"""What accept_reject declares of its screens."""

from pathlib import Path

from experiments.robot_input.actor import ChoiceActor
from experiments.screening.study import SCREENING
from experiments.study import DemoRecipe, SessionScreens, Study
from stimuli.catalogue import Late

HERE = __package__
LEAD_PRESENTER = Late(f"{HERE}.presenter:LeadPresenter")
LEAD_PAGE_STIMULI = Late(f"{HERE}.presenter:page_stimuli")
PAINTER = Late(f"{HERE}.painter:PlatePainter")


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=PAINTER,
            presenter=LEAD_PRESENTER,
            actor=ChoiceActor,
            page_stimuli=LEAD_PAGE_STIMULI,
            colours="critical",
        ),
        "tasks": SessionScreens(
            painter=PAINTER,
            presenter=Late(f"{HERE}.painting:expert_presenter"),
            actor=Late("experiments.strokes.actor:StrokeActor"),
            page_stimuli=Late(f"{HERE}.painting:page_stimuli"),
            colours="critical",
        ),
        "screening": SCREENING,
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=("--robot-experts", "2"),
        built="plates, network, explanations",
        robots=("lead", "dichromat", "contour_reader"),
        trials=lambda protocol: 2 * protocol.solutions.trials_per_run,
        trials_word="trials",
        minutes=6,
    ),
)

"""What accept_reject declares of its screens."""

from pathlib import Path

from experiments.robot_input.actor import ChoiceActor
from experiments.screening.study import SCREENING
from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study


def _load_solution_parts() -> ScreenParts:
    from experiments.studies.accept_reject.painter import PlatePainter
    from experiments.studies.accept_reject.presenter import LeadPresenter, page_stimuli

    return ScreenParts(PlatePainter, LeadPresenter, ChoiceActor, page_stimuli)


def _load_task_parts() -> ScreenParts:
    from experiments.strokes.actor import StrokeActor, recalled_strokes
    from experiments.studies.accept_reject.painter import PlatePainter
    from experiments.studies.accept_reject.painting import (
        expert_presenter,
        page_stimuli,
        painting_keys,
    )

    return ScreenParts(
        PlatePainter, expert_presenter, StrokeActor, page_stimuli, painting_keys, recalled_strokes
    )


STUDY = Study(
    sessions={
        "solutions": SessionScreens(_load_solution_parts, colours="critical"),
        "tasks": SessionScreens(_load_task_parts, colours="critical"),
        "screening": SCREENING,
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=("--robot-experts", "2"),
        built="plates, network, explanations",
        robot="lead",
        simulated="lead:19,dichromat:1,contour_reader:1",
        trials=lambda protocol: 2 * protocol.solutions.trials_per_run,
        trials_word="trials",
        minutes=2,
    ),
)

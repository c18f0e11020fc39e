"""What accept_reject declares of its screens."""

from pathlib import Path
from typing import Any

from experiments.pages.text_pages import PageStimuli
from experiments.robot_input.actor import ChoiceActor
from experiments.study import DemoRecipe, SessionScreens, Study


def lead_presenter(*made_with: Any) -> Any:
    """Return the presenter of a lead's trials."""
    from experiments.studies.accept_reject.presenter import LeadPresenter

    return LeadPresenter(*made_with)


def lead_page_stimuli(settings: Any) -> PageStimuli:
    """Return what draws solutions on a lead's pages."""
    from experiments.studies.accept_reject.presenter import page_stimuli

    return page_stimuli(settings)


def _expert_presenter(*made_with: Any) -> Any:
    from experiments.studies.accept_reject.painting import expert_presenter

    return expert_presenter(*made_with)


def _expert_actor(*made_with: Any) -> Any:
    from experiments.strokes.actor import StrokeActor

    return StrokeActor(*made_with)


def _expert_page_stimuli(settings: Any) -> PageStimuli:
    from experiments.studies.accept_reject.painting import page_stimuli

    return page_stimuli(settings)


def _painter(*of: Any) -> Any:
    from experiments.studies.accept_reject.painter import PlatePainter

    return PlatePainter(*of)


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=_painter,
            presenter=lead_presenter,
            actor=ChoiceActor,
            page_stimuli=lead_page_stimuli,
        ),
        "tasks": SessionScreens(
            painter=_painter,
            presenter=_expert_presenter,
            actor=_expert_actor,
            page_stimuli=_expert_page_stimuli,
        ),
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

"""What accept_reject's second assessment, accuracy, declares of its screens."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from experiments.robot_input.actor import ChoiceActor
from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study


def _load_parts() -> ScreenParts:
    from experiments.studies.accept_reject import presenter
    from experiments.studies.accept_reject_accuracy.painter import ImagePainter
    from experiments.studies.accept_reject_accuracy.texts import TextPresenter, text_figure

    def lead_presenter(context: Any, settings: Any, *others: Any) -> presenter.LeadPresenter:
        of_texts = settings.painter.protocol.cases == "texts"
        kind = TextPresenter if of_texts else presenter.LeadPresenter
        return kind(context, settings, *others)

    def page_stimuli(settings: Any) -> Any:
        stimuli = presenter.page_stimuli(settings)
        of_texts = settings.painter.protocol.cases == "texts"
        return replace(stimuli, figure=partial(text_figure, settings.look)) if of_texts else stimuli

    return ScreenParts(ImagePainter, lead_presenter, ChoiceActor, page_stimuli)


STUDY = Study(
    sessions={"solutions": SessionScreens(_load_parts)},
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, network, its answers",
        robot="exact_labels",
        simulated="exact_labels:5,lenient:3,noisy:3",
        trials=lambda protocol: protocol.solutions.most_trials,
        trials_word="trials",
        minutes=4,
    ),
)

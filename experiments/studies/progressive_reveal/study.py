"""What progressive_reveal declares of its screens."""

from pathlib import Path
from typing import Any

from experiments.study import DemoRecipe, SessionScreens, Study


def _painter(*of: Any) -> Any:
    from experiments.studies.progressive_reveal.painter import RevealPainter

    return RevealPainter(*of)


def _presenter(*made_with: Any) -> Any:
    from experiments.studies.progressive_reveal.presenter import RevealPresenter

    return RevealPresenter(*made_with)


def _viewer(*made_with: Any) -> Any:
    from experiments.studies.progressive_reveal.actor import ViewerActor

    return ViewerActor(*made_with)


def _bubble_presenter(*made_with: Any) -> Any:
    from experiments.studies.progressive_reveal.bubbling import bubble_presenter

    return bubble_presenter(*made_with)


def _bubbler(*made_with: Any) -> Any:
    from experiments.strokes.actor import StrokeActor

    return StrokeActor(*made_with)


def _task_pack_of(*of: Any) -> Path:
    from experiments.studies.progressive_reveal.image_tasks import task_pack_of

    return task_pack_of(*of)


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=_painter,
            presenter=_presenter,
            actor=_viewer,
            mouse=lambda plan: True,
        ),
        "tasks": SessionScreens(
            painter=_painter,
            presenter=_bubble_presenter,
            actor=_bubbler,
            mouse=lambda plan: False,
        ),
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, networks, maps",
        robots=("viewer", "guesser", "slow_typist"),
        trials=lambda protocol: protocol.rounds,
        trials_word="rounds",
        minutes=6,
    ),
    task_pack_of=_task_pack_of,
)

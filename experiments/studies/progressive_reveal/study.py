"""What progressive_reveal declares of its screens."""

from pathlib import Path

from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study
from stimuli.catalogue import Later


def _load_solution_parts() -> ScreenParts:
    from experiments.studies.progressive_reveal.actor import ViewerActor, recalled_typing
    from experiments.studies.progressive_reveal.painter import RevealPainter
    from experiments.studies.progressive_reveal.presenter import RevealPresenter, round_keys

    return ScreenParts(
        RevealPainter, RevealPresenter, ViewerActor, keys=round_keys, recall=recalled_typing
    )


def _load_task_parts() -> ScreenParts:
    from experiments.strokes.actor import StrokeActor, recalled_strokes
    from experiments.studies.progressive_reveal.bubbling import bubble_keys, bubble_presenter
    from experiments.studies.progressive_reveal.painter import RevealPainter

    return ScreenParts(
        RevealPainter, bubble_presenter, StrokeActor, keys=bubble_keys, recall=recalled_strokes
    )


STUDY = Study(
    sessions={
        "solutions": SessionScreens(_load_solution_parts, mouse=lambda plan: True),
        "tasks": SessionScreens(_load_task_parts, mouse=lambda plan: False),
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, networks, maps",
        robot="viewer",
        simulated="viewer:9,guesser:1,slow_typist:1",
        trials=lambda protocol: protocol.rounds_with_catch,
        trials_word="rounds",
        minutes=6,
    ),
    task_pack_of=Later(f"{__package__}.bubbling:task_pack_of"),
)

"""What progressive_reveal declares of its screens."""

from pathlib import Path

from experiments.study import DemoRecipe, SessionScreens, Study
from stimuli.catalogue import Late

HERE = __package__
PAINTER = Late(f"{HERE}.painter:RevealPainter")


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=PAINTER,
            presenter=Late(f"{HERE}.presenter:RevealPresenter"),
            actor=Late(f"{HERE}.actor:ViewerActor"),
            mouse=lambda plan: True,
        ),
        "tasks": SessionScreens(
            painter=PAINTER,
            presenter=Late(f"{HERE}.bubbling:bubble_presenter"),
            actor=Late("experiments.strokes.actor:StrokeActor"),
            mouse=lambda plan: False,
        ),
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, networks, maps",
        robots=("viewer", "guesser", "slow_typist"),
        trials=lambda protocol: protocol.rounds_with_catch,
        trials_word="rounds",
        minutes=6,
    ),
    task_pack_of=Late(f"{HERE}.image_tasks:task_pack_of"),
)

"""What human_ai_team declares of its screens."""

from pathlib import Path

from experiments.study import DemoRecipe, SessionScreens, Study
from stimuli.catalogue import Late

HERE = __package__


STUDY = Study(
    sessions={
        "solutions": SessionScreens(
            painter=Late(f"{HERE}.painter:TeamPainter"),
            presenter=Late(f"{HERE}.presenter:TeamPresenter"),
            actor=Late(f"{HERE}.actor:JudgeActor"),
        ),
    },
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, network, attacks, maps, examples",
        robots=("careful", "overtrusting", "guided_by_help"),
        trials=lambda protocol: protocol.validation.trials + protocol.bins.trials_per_sheet,
        trials_word="trials",
        minutes=6,
    ),
)

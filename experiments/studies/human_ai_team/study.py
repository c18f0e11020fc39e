"""What human_ai_team declares of its screens."""

from pathlib import Path

from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study


def _load_parts() -> ScreenParts:
    from experiments.robot_input.actor import ChoiceActor
    from experiments.studies.human_ai_team.painter import TeamPainter
    from experiments.studies.human_ai_team.presenter import TeamPresenter

    return ScreenParts(TeamPainter, TeamPresenter, ChoiceActor)


STUDY = Study(
    sessions={"solutions": SessionScreens(_load_parts)},
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, network, attacks, maps, examples",
        robot="careful",
        simulated="careful:11,overtrusting:6,guided_by_help:6",
        trials=lambda protocol: protocol.validation.trials + protocol.bins.trials_per_sheet,
        trials_word="trials",
        minutes=6,
    ),
)

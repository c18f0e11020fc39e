"""What accept_reject's second assessment, accuracy, declares of its screens."""

from pathlib import Path

from experiments.robot_input.actor import ChoiceActor
from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study


def _load_parts() -> ScreenParts:
    from experiments.studies.accept_reject.presenter import LeadPresenter, page_stimuli
    from experiments.studies.accept_reject_accuracy.painter import ImagePainter

    return ScreenParts(ImagePainter, LeadPresenter, ChoiceActor, page_stimuli)


STUDY = Study(
    sessions={"solutions": SessionScreens(_load_parts)},
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="images, network, its answers",
        robots=("exact_labels", "lenient", "noisy"),
        trials=lambda protocol: protocol.solutions.most_trials,
        trials_word="trials",
        minutes=4,
    ),
)

"""What simulatability declares of its screens."""

from pathlib import Path

from experiments.study import DemoRecipe, ScreenParts, SessionScreens, Study
from stimuli.studies.simulatability.protocol import Simulatability


def items_of(protocol: Simulatability) -> int:
    """Return how many items a session shows that isn't shortened, examples included."""
    forward = "forward" in protocol.design.tests
    cell = (1 + forward) * protocol.items.learning
    cell += 2 * len(protocol.design.tests) * protocol.items.per_test
    return (1 + protocol.design.second_test) * cell


def _load_parts() -> ScreenParts:
    from experiments.studies.simulatability.actor import PredictorActor, recalled_case
    from experiments.studies.simulatability.cases import CasePainter
    from experiments.studies.simulatability.presenter import CaseWindow, case_keys

    return ScreenParts(
        CasePainter, CaseWindow, PredictorActor, keys=case_keys, recall=recalled_case
    )


STUDY = Study(
    sessions={"solutions": SessionScreens(_load_parts, colours="none")},
    demo=DemoRecipe(
        protocol=Path(__file__).with_name("demo.toml"),
        build=(),
        built="models, explanations, items",
        robot="reader",
        simulated="reader:17,practice:4,same_as_before:2",
        trials=items_of,
        trials_word="items",
        minutes=8,
    ),
)

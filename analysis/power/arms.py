"""What simulations of several arms share; one arm differs from the reference."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from analysis.power.grid import Cell, Grid, Outcome
from analysis.power.question import Simulator, key_of
from analysis.power.results import world_values
from stimuli.io.canonical import seed_of
from stimuli.protocol import Protocol

Rules = TypeVar("Rules", bound=Protocol)
World = TypeVar("World")


@dataclass(frozen=True, slots=True)
class ArmsAsk(Generic[Rules, World]):
    """What is asked of a study of several arms.

    Attributes
    ----------
    protocol
        Its rules.
    grid
        Sizes and effects.
    world
        Who answers, in the reference arm.
    other_arms
        Arms beside the reference and the one that differs; they are like the reference.
    seed
        Root of every draw.
    """

    protocol: Rules
    grid: Grid
    world: World
    other_arms: int
    seed: int

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return 2 + self.other_arms

    def simulator(self, run_study: Callable[[Any], Outcome]) -> Simulator:
        """Return the simulator; `run_study` simulates and analyses an `ArmsRun`."""
        key = key_of(self.protocol.resolved(), world_values(self.world), self.other_arms, self.seed)
        return Simulator(
            key,
            run_study,
            lambda cell, number: ArmsRun(
                self.protocol, self.world, self.other_arms, self.seed, cell, number
            ),
        )


@dataclass(frozen=True, slots=True)
class ArmsRun(Generic[Rules, World]):
    """One study to simulate: by which rules, from which world, where in the grid."""

    protocol: Rules
    world: World
    other_arms: int
    root: int
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", self.protocol.study, self.root, self.cell.name, self.number)

    def arms(self, helped: str, nothing: Any) -> dict[str, Any]:
        """Return the arms beside the reference: the one that differs, and those that don't.

        Parameters
        ----------
        helped
            Name of the arm that differs.
        nothing
            The effect of the others.
        """
        others = {f"other_{n}": nothing for n in range(1, self.other_arms + 1)}
        return {helped: self.cell.effect} | others

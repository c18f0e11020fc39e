"""What is asked of a power simulation, and the single studies that it simulates."""

import itertools
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np

from stimuli import protocol
from stimuli.io.canonical import hash_of, seed_of
from stimuli.versions import suite_version

KEPT_AS: Final = "outcome/3"
"""Form of a kept outcome; runs that were kept in another form are simulated again."""

Rules = TypeVar("Rules", bound=protocol.Protocol)
World = TypeVar("World")


class Effect(Protocol):
    """An effect that a simulation takes as true; hashable."""

    @property
    def name(self) -> str:
        """The effect in a run's key."""

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """An effect that is one number: a difference of means or of shares."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}"

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"d{self.value:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"effect": self.value}


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of the grid.

    Attributes
    ----------
    participants, items
        People in a study, and different items that each of them judges.
    effect
        The simulated `Effect`.
    """

    participants: int
    items: int
    effect: Any

    @property
    def name(self) -> str:
        """The cell in a run's key."""
        return f"{self.participants}x{self.items}/{self.effect.name}"


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations, and how often each is simulated.

    Attributes
    ----------
    participants, items, effects
        Ascending, without repeats; effects are each an `Effect`.
    runs
        Simulated studies a cell.
    """

    participants: tuple[int, ...]
    items: tuple[int, ...]
    effects: tuple[Any, ...]
    runs: int

    def cells(self) -> Iterator[Cell]:
        """Yield the cells, smallest studies first."""
        for effect, items, participants in itertools.product(
            self.effects, self.items, self.participants
        ):
            yield Cell(participants, items, effect)


@dataclass(frozen=True, slots=True)
class Run(Generic[Rules, World]):
    """One study to simulate: by which rules, from which world, where in the grid.

    Attributes
    ----------
    protocol, world
        Its rules, and who answers: a dataclass of the study.
    root
        Root of every draw of the simulation.
    cell, number
        Where in the grid, and which of its runs.
    """

    protocol: Rules
    world: World
    root: int
    cell: Cell
    number: int

    @property
    def seed(self) -> int:
        """The run's own root."""
        return seed_of("power", self.protocol.study, self.root, self.cell.name, self.number)

    def draws(self, *part: str) -> np.random.Generator:
        """Return what draws the study, or a part of it that draws by itself."""
        return np.random.default_rng(seed_of(*part, self.seed) if part else self.seed)


@dataclass(frozen=True, slots=True)
class Ask(Generic[Rules, World]):
    """What a power simulation is asked.

    Attributes
    ----------
    protocol
        The study's.
    grid
        Sizes, effects and runs.
    world
        Who answers: a dataclass of the study. Runs depend on all of its fields.
    seed
        Root of every draw.
    """

    protocol: Rules
    grid: Grid
    world: World
    seed: int

    @property
    def key(self) -> str:
        """Hash of all that a run's outcome depends on, apart from its cell and number."""
        world: Any = self.world
        parts = [self.protocol.resolved(), asdict(world), self.seed, KEPT_AS, suite_version()]
        return hash_of(parts)[:16]

    def run(self, cell: Cell, number: int) -> Run[Rules, World]:
        """Return one study to simulate."""
        return Run(self.protocol, self.world, self.seed, cell, number)


def arms_of(arms: int, nothing: Any) -> dict[str, Any]:
    """Return the arms that change nothing: all but the reference, and but the one that differs.

    Parameters
    ----------
    arms
        How many arms there are, both of these among them.
    nothing
        The effect of each.
    """
    return {f"other_{number}": nothing for number in range(1, arms - 1)}

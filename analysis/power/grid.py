"""What is asked: sizes, effects, runs; and what was found in each run."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

ALPHA = 0.05


class Effect(Protocol):
    """An effect that a simulation takes as true; hashable."""

    @property
    def name(self) -> str:
        """The effect in a run's key."""

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""


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
class Outcome:
    """What the analysis of one simulated study found.

    Attributes
    ----------
    fitted
        Whether the model's fit converged; where it didn't nothing else counts.
    reason
        Why not, in words.
    singular
        Whether a random effect was left out or estimated as zero.
    terms
        By term of the model: estimate and standard error (log odds), and p.
    usefulness
        By contrast: the model's averaged difference of probabilities.
    run_s
        Seconds to simulate and to fit.
    """

    fitted: bool
    reason: str
    singular: bool
    terms: Mapping[str, Sequence[float]]
    usefulness: Mapping[str, float]
    run_s: float

    def plain(self) -> dict[str, Any]:
        """Return the outcome as JSON can hold it."""
        return {
            "fitted": self.fitted,
            "reason": self.reason,
            "singular": self.singular,
            "terms": {name: list(values) for name, values in self.terms.items()},
            "usefulness": dict(self.usefulness),
            "run_s": self.run_s,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Outcome":
        """Return an outcome from its plain form."""
        return cls(**plain)

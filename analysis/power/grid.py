"""What is asked: sizes, effects, runs; and what was found in each run."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from analysis.mixed.simplify import SINGULAR_SD
from analysis.power.options import require_numbers
from analysis.report.model import FittedModel, LogisticFit, ModelFit
from analysis.report.wording import unknown

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


class Sizes(Protocol):
    """The sizes that a command was asked for."""

    @property
    def participants(self) -> tuple[int, ...]:
        """Numbers of participants."""

    @property
    def items(self) -> tuple[int, ...]:
        """Numbers of items."""

    @property
    def runs(self) -> int:
        """Simulated studies a combination."""


def grid_of(
    sizes: Sizes, effects: tuple[Any, ...], least_people: int = 2, least_items: int = 4
) -> Grid:
    """Return the grid of a command; UserError if a size is too small."""
    return Grid(
        require_numbers("--participants", sizes.participants, least_people),
        require_numbers("--items", sizes.items, least_items),
        effects,
        sizes.runs,
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the analysis of one simulated study found.

    Attributes
    ----------
    fitted
        Whether the analysis gave a result; where it didn't nothing else counts.
    reason
        Why not, in words.
    as_asked
        Whether the model that was asked for was fitted, with all its random effects; None where
        the analysis has no model.
    model
        Formula of the model that was fitted; empty where none is sound.
    tests
        By test: the estimate in its unit (None where unknown), and whether the report finds it.
    verdicts
        By question: the report's verdict.
    run_s
        Seconds to simulate and to analyse.
    """

    fitted: bool
    reason: str
    as_asked: bool | None
    model: str
    tests: Mapping[str, tuple[float | None, bool]]
    verdicts: Mapping[str, str]
    run_s: float

    def plain(self) -> dict[str, Any]:
        """Return the outcome as JSON can hold it."""
        tests = {
            name: [None if unknown(estimate) else estimate, found]
            for name, (estimate, found) in self.tests.items()
        }
        return {**asdict(self), "tests": tests, "verdicts": dict(self.verdicts)}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Outcome":
        """Return an outcome from its plain form."""
        return cls(**plain)

    @classmethod
    def without(cls, reason: str, run_s: float, *, model: bool = True) -> "Outcome":
        """Return the outcome of a study whose analysis gave no result."""
        return cls(False, reason, False if model else None, "", {}, {}, run_s)


def as_asked(model: LogisticFit | ModelFit, terms: int) -> bool:
    """Return whether the model that was asked for was fitted, with nothing left out.

    Parameters
    ----------
    model
        The fit.
    terms
        Number of random effects that it asks for, over all groups.
    """
    if not model.fitted or not model.converged or len(model.random) != terms:
        return False
    uncorrelated = "||" in model.formula and "||" not in model.asked
    return not uncorrelated and all(
        row.sd is not None and row.sd >= SINGULAR_SD for row in model.random
    )


def fitted_formula(model: FittedModel) -> str:
    """Return the formula of a sound fit; empty where there is none."""
    return model.formula if model.fitted and model.converged else ""

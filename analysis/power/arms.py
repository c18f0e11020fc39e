"""Designs of several arms in simulated studies, and averaged probabilities.

Probabilities are averaged over people and items whose log odds vary normally. Of several arms, one
differs from the reference.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from analysis.power.question import Cell, Grid, Outcome, Simulator, key_of
from analysis.power.results import world_values
from stimuli.io.canonical import seed_of
from stimuli.protocol import Protocol

Array = np.ndarray

FARTHEST_LOGIT = 30.0
"""Log odds beyond which no probability is looked for."""
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()

Rules = TypeVar("Rules", bound=Protocol)
World = TypeVar("World")


def spread_out(logits: Array, spread: float) -> Array:
    """Return probabilities at the nodes of Gauss-Hermite quadrature, (..., nodes).

    Parameters
    ----------
    logits
        (...) mean log odds.
    spread
        Their standard deviation.
    """
    return expit(np.asarray(logits)[..., None] + spread * _NODES)


def averaged(values: Array) -> Array:
    """Return the averages (...) of values at the nodes, (..., nodes)."""
    return values @ _WEIGHTS


def averaging_logit(wanted: float, spread: float, offsets: Array | float = 0.0) -> float:
    """Return the mean of normal log odds with an SD that average to a probability.

    Parameters
    ----------
    wanted
        The probability.
    spread
        The standard deviation.
    offsets
        (m,) added to the log odds in each of m kinds of cases, which are equally frequent.
    """

    def miss(logit: float) -> float:
        return float(averaged(spread_out(logit + np.asarray(offsets), spread)).mean()) - wanted

    return float(brentq(miss, -FARTHEST_LOGIT, FARTHEST_LOGIT, xtol=1e-12))


@dataclass(frozen=True, slots=True)
class ArmsAsk(Generic[Rules, World]):
    """What a power simulation of a study with several arms is asked.

    Attributes
    ----------
    protocol
        Its rules.
    grid
        Sizes and effects.
    world
        Who answers, in the reference arm.
    other_arms
        Number of further arms, which are like the reference.
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
        """Return the arms other than the reference: the one that differs, and those that don't.

        Parameters
        ----------
        helped
            Name of the arm that differs.
        nothing
            The effect of the others.
        """
        others = {f"other_{n}": nothing for n in range(1, self.other_arms + 1)}
        return {helped: self.cell.effect} | others

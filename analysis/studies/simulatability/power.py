"""The options of ``power simulatability``: sizes, effects, and the simulated world."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import typer

from analysis.power import options
from analysis.power.options import of_world
from analysis.power.simulation import Difference
from stimuli.studies.simulatability.protocol import NO_EXPLANATION

HELPED: Final = "helped"
"""The arm whose explanations help, in a simulation of power."""


@dataclass(frozen=True, slots=True)
class SimulationWorld:
    """How well people predict a model, and how much people and items differ.

    Attributes
    ----------
    pre
        Probability of a right prediction before explanations, averaged over people and items.
    practice
        What doing it again adds, in every arm.
    sd_participant, sd_item
        Standard deviations (log odds) between people and between items: intercept; and phase,
        which is coded ±½.
    sd_pair
        Of a person's own view of an item, the same in both phases.
    sd_method
        Of what a method's explanations do on single items, after them: a method succeeds on some
        items and fails on others.
    carry_over
        Share of what an arm's explanations add that is there before those of the second test.
    arms
        What each arm's explanations add to accuracy after them, by method.
    """

    pre: Annotated[
        float, of_world("Share of right predictions before explanations.", "SHARE"), options.SHARE
    ] = 0.66
    practice: Annotated[float, of_world("What predicting a second time adds in every arm.")] = 0.03
    sd_participant: Annotated[
        tuple[float, ...],
        of_world("SD between participants, log odds: intercept, phase.", "SD,SD"),
        options.deviations(2),
    ] = (0.5, 0.3)
    sd_item: Annotated[
        tuple[float, ...],
        of_world("SD between items, log odds: intercept, phase.", "SD,SD"),
        options.deviations(2),
    ] = (0.8, 0.3)
    sd_pair: Annotated[
        float, of_world("SD of a participant’s own view of an item, log odds.", least=0)
    ] = 0.5
    sd_method: Annotated[
        float, of_world("SD between items of what a method’s explanations do, log odds.", least=0)
    ] = 0.5
    carry_over: Annotated[
        float,
        of_world(
            "Share of what explanations add that the first test carries over: it is there before "
            "the explanations of the second.",
            "SHARE",
            least=0,
            most=1,
        ),
    ] = 0.0
    arms: Mapping[str, Difference] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The arms, the one without explanations first."""
        return (NO_EXPLANATION, *self.arms)

    @property
    def spread(self) -> float:
        """Standard deviation of the log odds of a phase, over people and items."""
        sds = [*self.sd_participant, *self.sd_item]
        variance = sds[0] ** 2 + sds[2] ** 2 + (sds[1] ** 2 + sds[3] ** 2) / 4 + self.sd_pair**2
        return math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class SimulationSizes:
    """Which studies are simulated."""

    participants: options.Participants = (24, 72, 144)
    items: options.Items = (32,)
    effect: Annotated[
        tuple[Difference, ...],
        typer.Option(
            metavar="CHANGE,CHANGE,...",
            help="What explanations add to accuracy after them, as a share (0.1: 10 points); 0 "
            "gives the rate of false alarms.",
        ),
        options.differences(-1, 1, "what explanations add"),
    ] = (Difference(0.1), Difference(0.0))
    runs: options.Runs = 100
    protocol: options.Protocol = None
    arms: Annotated[
        int,
        typer.Option(min=2, help="Methods of one domain, the arm without explanations among them."),
    ] = 6

"""The options of ``power simulatability``: sizes, effects, and the simulated world."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final

import typer

from analysis.power import options
from stimuli.options import Parsed
from stimuli.studies.simulatability.protocol import NO_EXPLANATION

HELPED: Final = "helped"
"""The arm whose explanations help, in a simulation of power."""
WORLD_PANEL = "How people predict"


@dataclass(frozen=True, slots=True)
class Gain:
    """What an arm's explanations add in each test, as a probability (0.1: 10 points).

    The probabilities are averaged over people and items.
    """

    change: float

    def __str__(self) -> str:
        return f"{self.change:g}"

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"c{self.change:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"change": self.change}


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
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of right predictions before explanations.",
            rich_help_panel=WORLD_PANEL,
        ),
        Parsed(options.read_share),
    ] = 0.66
    practice: Annotated[
        float,
        typer.Option(
            help="What predicting a second time adds in every arm.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.03
    sd_participant: Annotated[
        tuple[float, ...],
        typer.Option(
            metavar="SD,SD",
            help="SD between participants, log odds: intercept, phase.",
            rich_help_panel=WORLD_PANEL,
        ),
        options.deviations(2),
    ] = (0.5, 0.3)
    sd_item: Annotated[
        tuple[float, ...],
        typer.Option(
            metavar="SD,SD",
            help="SD between items, log odds: intercept, phase.",
            rich_help_panel=WORLD_PANEL,
        ),
        options.deviations(2),
    ] = (0.8, 0.3)
    sd_pair: Annotated[
        float,
        typer.Option(
            min=0,
            help="SD of a participant’s own view of an item, log odds.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.5
    sd_method: Annotated[
        float,
        typer.Option(
            min=0,
            help="SD between items of what a method’s explanations do, log odds.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.5
    carry_over: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Share of what explanations add that the first test carries over: it is there "
            "before the explanations of the second.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.0
    arms: Mapping[str, Gain] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The arms, the one without explanations first."""
        return (NO_EXPLANATION, *self.arms)

    @property
    def spread(self) -> float:
        """Standard deviation of the log odds of a phase, over people and items."""
        own = [*self.sd_participant, *self.sd_item]
        variance = own[0] ** 2 + own[2] ** 2 + (own[1] ** 2 + own[3] ** 2) / 4 + self.sd_pair**2
        return math.sqrt(variance)


def read_gains(option: str, text: str) -> tuple[Gain, ...]:
    """Return what explanations add, separated by commas; UserError for anything else."""
    return tuple(map(Gain, options.read_effects(option, text, -1, 1, "what explanations add")))


@dataclass(frozen=True, slots=True)
class SimulationSizes:
    """Which studies are simulated."""

    participants: options.Participants = (24, 72, 144)
    items: options.Items = (32,)
    effect: Annotated[
        tuple[Gain, ...],
        typer.Option(
            metavar="CHANGE,CHANGE,...",
            help="What explanations add to accuracy after them, as a share (0.1: 10 points); 0 "
            "gives the rate of false alarms.",
        ),
        Parsed(read_gains),
    ] = (Gain(0.1), Gain(0.0))
    runs: options.Runs = 100
    protocol: options.Protocol = None
    arms: Annotated[
        int,
        typer.Option(min=2, help="Methods of one domain, the arm without explanations among them."),
    ] = 6

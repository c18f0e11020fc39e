"""The options of ``power`` of a study from a table: which test, sizes, effects, and the world."""

from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.power import options
from stimuli.options import Parsed

WORLD_PANEL = "How items are answered"


@dataclass(frozen=True, slots=True)
class Change:
    """The effect that a simulation takes as true: the first level less the second."""

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


def read_changes(option: str, text: str) -> tuple[Change, ...]:
    """Return effects separated by commas; UserError for anything else."""
    return tuple(map(Change, options.read_effects(option, text, -10, 10, "an effect")))


@dataclass(frozen=True, slots=True)
class ItemWorld:
    """How people answer items, and how much people and items differ.

    Attributes
    ----------
    base
        Mean of the second level, averaged over people and items.
    sd_participant, sd_item, sd_effect
        Standard deviations between people, between items, and of the effect between people: in log
        odds for shares, else in the unit of the measure.
    sd_answer
        Standard deviation of one answer, where the measure isn't a share.
    """

    base: Annotated[
        float | None,
        typer.Option(
            help="Mean of the second level. Default: 0.6 of a share, the middle of a scale, 0 for "
            "the logarithm of times.",
            show_default=False,
            rich_help_panel=WORLD_PANEL,
        ),
    ] = None
    sd_participant: Annotated[
        float, typer.Option(min=0, help="SD between people.", rich_help_panel=WORLD_PANEL)
    ] = 0.6
    sd_item: Annotated[
        float, typer.Option(min=0, help="SD between items.", rich_help_panel=WORLD_PANEL)
    ] = 0.6
    sd_effect: Annotated[
        float,
        typer.Option(min=0, help="SD of the effect between people.", rich_help_panel=WORLD_PANEL),
    ] = 0.3
    sd_answer: Annotated[
        float,
        typer.Option(
            min=0,
            help="SD of one answer: steps of a rating, or of log times.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 1.0


@dataclass(frozen=True, slots=True)
class PowerSizes:
    """Which studies are simulated."""

    participants: options.Participants = (20, 40, 80)
    items: Annotated[
        tuple[int, ...],
        typer.Option(metavar="N,N,...", help="Numbers of items. 0: as many as the table has."),
        Parsed(options.read_numbers),
    ] = (0,)
    test: Annotated[int, typer.Option(min=1, help="Number of the test in study.toml, from 1.")] = 1
    effect: Annotated[
        tuple[Change, ...],
        typer.Option(
            metavar="D,D,...",
            help="The first level less the second: of a share (0.1 is 10 points), of ratings in "
            "steps, or of log times; 0 gives the rate of false alarms.",
        ),
        Parsed(read_changes),
    ] = (Change(0.1), Change(0.0))
    runs: options.Runs = 200
    protocol: options.Protocol = None

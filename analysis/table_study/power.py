"""The options of ``power`` of a study from a table: which test, sizes, effects, and the world."""

from dataclasses import dataclass, field
from typing import Annotated

import typer

from analysis.power import options
from analysis.power.options import of_world
from analysis.power.results import UNRECORDED
from analysis.power.simulation import Difference
from stimuli.io.tables import Row
from stimuli.options import Parsed


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
    test
        Number of the test in ``study.toml``, from 1.
    table
        The rows of the table.
    """

    base: Annotated[
        float | None,
        of_world(
            "Mean of the second level. Default: 0.6 of a share, the middle of a scale, 0 for the "
            "logarithm of times."
        ),
    ] = None
    sd_participant: Annotated[float, of_world("SD between people.", least=0)] = 0.6
    sd_item: Annotated[float, of_world("SD between items.", least=0)] = 0.6
    sd_effect: Annotated[float, of_world("SD of the effect between people.", least=0)] = 0.3
    sd_answer: Annotated[
        float, of_world("SD of one answer: steps of a rating, or of log times.", least=0)
    ] = 1.0
    test: int = 1
    table: tuple[Row, ...] = field(default=(), metadata=UNRECORDED)


@dataclass(frozen=True, slots=True)
class PowerSizes:
    """Which studies are simulated."""

    participants: options.Participants = (20, 40, 80)
    items: Annotated[
        tuple[int, ...],
        typer.Option(
            metavar="N,N,...",
            help="Numbers of items. 0: all of the table on which the test measures something.",
        ),
        Parsed(options.read_numbers),
    ] = (0,)
    test: Annotated[int, typer.Option(min=1, help="Number of the test in study.toml, from 1.")] = 1
    effect: Annotated[
        tuple[Difference, ...],
        typer.Option(
            metavar="D,D,...",
            help="The first level less the second: of a share (0.1 is 10 points), of ratings in "
            "steps, or of log times; 0 gives the rate of false alarms.",
        ),
        options.differences(-10, 10, "an effect"),
    ] = (Difference(0.1), Difference(0.0))
    runs: options.Runs = 200
    protocol: options.Protocol = None

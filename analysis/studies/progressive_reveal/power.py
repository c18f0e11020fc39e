"""The options of ``power progressive_reveal``: sizes, effects, and the simulated world."""

from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.power import options
from analysis.power.options import of_world
from stimuli.options import Parsed


@dataclass(frozen=True, slots=True)
class HazardWorld:
    """People and images whose log odds of recognition at a step vary normally.

    Attributes
    ----------
    methods
        The methods, the reference first, then the one that differs; the others are like the
        reference.
    steps
        Of a round.
    recognised
        Share that the reference has recognised by the last step, averaged over people and images.
    sd_participant, sd_item
        Standard deviations between participants and between images, log odds: of the intercept,
        and of each method's own effect.
    rounds
        How many images a person sees at most; 0 is all of them.
    limit
        Up to where restricted means are taken, as in the protocol.
    test
        ``means``: life tables and restricted means, over participants and images; ``model``: the
        discrete-time mixed model, too.
    """

    recognised: Annotated[
        float, of_world("Share that the reference has recognised by the last step.", "SHARE")
    ] = 0.81
    sd_participant: Annotated[
        tuple[float, ...],
        of_world(
            "SDs between participants, in log odds: intercept, each method's own effect.", "SD,SD"
        ),
        options.deviations(2),
    ] = (0.4, 0.2)
    sd_item: Annotated[
        tuple[float, ...],
        of_world("SDs between images, the same.", "SD,SD"),
        options.deviations(2),
    ] = (0.8, 0.3)
    rounds: Annotated[
        int, of_world("Rounds that a participant completes. 0: all images.", least=0)
    ] = 0
    methods: tuple[str, ...] = ()
    steps: int = 15
    limit: str = "smallest_final_count"
    test: str = "model"


def read_ratios(option: str, text: str) -> tuple[float, ...]:
    """Return odds ratios separated by commas; UserError for anything else."""
    return options.read_effects(option, text, 0.05, 20, "an odds ratio")


@dataclass(frozen=True, slots=True)
class RevealSizes:
    """Which studies are simulated, and what is tested in them."""

    participants: options.Participants = (20, 40)
    items: options.Items = (34,)
    ratio: Annotated[
        tuple[float, ...],
        typer.Option(
            metavar="R,R,...",
            help="Odds ratio of recognition at a step, one method against the reference; 1 gives "
            "the rate of false alarms.",
        ),
        Parsed(read_ratios),
    ] = (1.5,)
    methods: Annotated[
        int, typer.Option(min=2, max=12, help="Methods; all pairs of them are compared.")
    ] = 4
    runs: options.Runs = 100
    test: Annotated[
        str,
        typer.Option(
            help="model: tests by means over participants and images, and by the study's mixed "
            "model. means: without the model (quicker)."
        ),
    ] = "model"
    protocol: options.Protocol = None

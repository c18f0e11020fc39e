"""The options of ``power accept_reject_accuracy``: sizes, effects, and the simulated world.

The simulation draws leads' judgements of labels.
"""

from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.power import options
from stimuli.errors import UserError
from stimuli.options import Parsed

WORLD_PANEL = "How labels are judged"


@dataclass(frozen=True, slots=True)
class Difference:
    """The effect that a simulation takes as true: p_S − p_E."""

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
class LabelWorld:
    """How often labels are wrong, and how leads judge right and wrong ones.

    Attributes
    ----------
    accept_right, accept_wrong
        Probability that a lead accepts a right label, and a wrong one, averaged over leads and
        images.
    label_errors
        Share of images whose label in the data set is wrong; S's is right there. On other images
        S errs as often as the wanted difference asks.
    sd_participant, sd_item
        Standard deviations of leads' and images' readiness to be accepted, log odds.
    """

    accept_right: Annotated[
        float,
        typer.Option(
            help="Probability that a right label is accepted.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.95
    accept_wrong: Annotated[
        float,
        typer.Option(
            help="Probability that a wrong label is accepted.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.15
    label_errors: Annotated[
        float,
        typer.Option(
            help="Share of images whose label in the data set is wrong.",
            rich_help_panel=WORLD_PANEL,
        ),
    ] = 0.02
    sd_participant: Annotated[
        float,
        typer.Option(
            min=0, help="SD of leads' readiness to accept, log odds.", rich_help_panel=WORLD_PANEL
        ),
    ] = 0.7
    sd_item: Annotated[
        float,
        typer.Option(
            min=0, help="SD of images' ease of acceptance, log odds.", rich_help_panel=WORLD_PANEL
        ),
    ] = 1.0

    @property
    def contrast(self) -> float:
        """How much more often a right label is accepted."""
        return self.accept_right - self.accept_wrong

    def system_errors(self, difference: float) -> float:
        """Return the share of images on which S errs, so that p_S − p_E is as wanted.

        It may leave the range from 0 to 1 − `label_errors`: then no S makes this difference.
        """
        return self.label_errors - difference / self.contrast


def require_possible(world: LabelWorld) -> None:
    """Refuse an impossible world; UserError names the option."""
    if not 0 < world.accept_wrong < world.accept_right < 1:
        raise UserError(
            f"--accept-wrong {world.accept_wrong:g} and --accept-right {world.accept_right:g}: "
            "must lie between 0 and 1, the second above the first"
        )
    if not 0 <= world.label_errors < 1:
        raise UserError(f"--label-errors {world.label_errors:g}: must be 0 or more and below 1")


def read_differences(option: str, text: str) -> tuple[Difference, ...]:
    """Return differences p_S − p_E separated by commas; UserError for anything else."""
    return tuple(map(Difference, options.read_effects(option, text, -1, 1, "p_S − p_E")))


@dataclass(frozen=True, slots=True)
class AccuracySizes:
    """Which studies are simulated."""

    participants: options.Participants = (2, 5, 10, 20)
    items: options.Items = (100, 400)
    effect: Annotated[
        tuple[Difference, ...],
        typer.Option(
            metavar="D,D,...",
            help="p_S − p_E: acceptance of S's labels minus that of the data set's; 0 gives the "
            "rate of false alarms.",
        ),
        Parsed(read_differences),
    ] = (Difference(-0.05), Difference(0.0))
    runs: options.Runs = 200
    protocol: options.Protocol = None

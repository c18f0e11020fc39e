"""The options of ``power accept_reject_accuracy``: sizes, effects, and the simulated world.

The simulation draws leads' judgements of labels.
"""

from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.power import options
from analysis.power.options import of_world
from analysis.power.simulation import Difference
from stimuli.errors import UserError


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

    accept_right: Annotated[float, of_world("Probability that a right label is accepted.")] = 0.95
    accept_wrong: Annotated[float, of_world("Probability that a wrong label is accepted.")] = 0.15
    label_errors: Annotated[
        float, of_world("Share of images whose label in the data set is wrong.")
    ] = 0.02
    sd_participant: Annotated[
        float, of_world("SD of leads' readiness to accept, log odds.", least=0)
    ] = 0.7
    sd_item: Annotated[float, of_world("SD of images' ease of acceptance, log odds.", least=0)] = (
        1.0
    )

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
        options.differences(-1, 1, "p_S − p_E"),
    ] = (Difference(-0.05), Difference(0.0))
    runs: options.Runs = 200
    protocol: options.Protocol = None

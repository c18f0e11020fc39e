"""The options of ``power human_ai_team``: sizes, effects, and the simulated world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import typer

from analysis.power import options
from analysis.power.options import of_world
from stimuli.errors import UserError
from stimuli.options import Parsed

REFERENCE, HELPED = "confidence", "help"


@dataclass(frozen=True, slots=True)
class Shift:
    """What an arm's help changes, as differences of probabilities averaged over people and images.

    Attributes
    ----------
    over_reliance
        Rise of the share of wrong labels that are accepted.
    under_reliance
        Rise of the share of right labels that are rejected.
    """

    over_reliance: float
    under_reliance: float = 0.0

    def __str__(self) -> str:
        return f"{self.over_reliance:g}:{self.under_reliance:g}"

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"o{self.over_reliance:g}u{self.under_reliance:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"over_reliance": self.over_reliance, "under_reliance": self.under_reliance}

    def accuracy(self, mix: float) -> float:
        """Return the difference in right answers, where a share `mix` of the labels is right."""
        return -(1 - mix) * self.over_reliance - mix * self.under_reliance


def read_shifts(option: str, text: str) -> tuple[Shift, ...]:
    """Return effects written as ``OVER:UNDER`` or ``OVER``, with commas between."""
    shifts = []
    for part in text.split(","):
        numbers = part.strip().split(":")
        try:
            values = [float(number) for number in numbers]
        except ValueError:
            values = []
        if not 1 <= len(values) <= 2:
            raise UserError(f"{option} {text}: must be as in 0.1:0,0:0.05 (over:under)")
        shifts.append(Shift(*values))
    return tuple(dict.fromkeys(shifts))


@dataclass(frozen=True, slots=True)
class TeamWorld:
    """How well people judge an AI's labels, and how much people and images differ.

    Attributes
    ----------
    over_reliance, under_reliance
        In the reference arm, averaged over people and images.
    sd_participant, sd_item, sd_item_method
        Standard deviations of log odds; ai_correct is coded ±½.
    level_step
        Log odds between two levels of difficulty.
    ai_right
        Share of images on which the AI is right.
    arms
        The arms beside the reference, and what each one's help changes.
    """

    over_reliance: Annotated[
        float,
        of_world("Share of the AI's wrong labels that the reference arm accepts.", "SHARE"),
        options.SHARE,
    ] = 0.40
    under_reliance: Annotated[
        float,
        of_world("Share of the AI's right labels that the reference arm rejects.", "SHARE"),
        options.SHARE,
    ] = 0.15
    sd_participant: Annotated[
        tuple[float, ...],
        of_world(
            "SD between participants, log odds of being right: intercept, ai_correct.", "SD,SD"
        ),
        options.deviations(2),
    ] = (0.4, 0.8)
    sd_item: Annotated[float, of_world("SD between images.", least=0)] = 1.0
    sd_item_method: Annotated[
        float, of_world("SD between images of what an arm changes.", least=0)
    ] = 0.4
    level_step: Annotated[
        float,
        of_world(
            "How much easier easy images are than medium ones, and these than hard ones, in "
            "log odds of being right; twice as much with wrong labels.",
            least=0,
        ),
    ] = 0.5
    ai_right: float = 1 / 3
    arms: Mapping[str, Shift] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The arms, the reference first."""
        return (REFERENCE, *self.arms)


@dataclass(frozen=True, slots=True)
class TeamSizes:
    """Which studies are simulated."""

    participants: options.Participants = (60, 150, 300)
    items: options.Items = (30,)
    effect: Annotated[
        tuple[Shift, ...],
        typer.Option(
            metavar="OVER:UNDER,...",
            help="What an arm adds to over- and to under-reliance; 0:0 gives the rate of false "
            "alarms.",
        ),
        Parsed(read_shifts),
    ] = (Shift(0.1), Shift(0.0))
    runs: options.Runs = 100
    protocol: options.Protocol = None
    arms: Annotated[int, typer.Option(min=2, help="Arms, the reference among them.")] = 5

"""The options of ``power accept_reject``: sizes, effects, and the simulated world."""

from dataclasses import dataclass
from typing import Annotated

import typer

from analysis.power import options
from analysis.power.options import of_world
from stimuli.errors import UserError
from stimuli.options import Parsed

MOST_HARM = 5.0
FOUR_SDS = "SD,SD,SD,SD"


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What explanations bring, and what harm they do.

    Attributes
    ----------
    system, expert
        Usefulness of S's explanations, and of E's: differences of the probability of acceptance in
        time.
    harm
        By how much explanations lower d′ on matched controls.
    """

    system: float
    expert: float
    harm: float = 0.0

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        harm = f"/H{self.harm:g}" if self.harm else ""
        return f"S{self.system:g}/E{self.expert:g}{harm}"

    @property
    def difference(self) -> float:
        """Usefulness of S's explanations less that of E's."""
        return self.system - self.expert

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"effect": self.system, "effect_expert": self.expert, "harm": self.harm}


def read_usefulness(option: str, text: str) -> tuple[tuple[float, float], ...]:
    """Return effects written as ``USEFULNESS`` or ``USEFULNESS:HARM``, with commas between.

    Returns
    -------
    tuple
        Pairs of usefulness and harm, ascending, each once.

    Raises
    ------
    UserError
        For anything else.
    """
    pairs = set()
    for part in text.split(","):
        try:
            usefulness, harm = (float(number) + 0.0 for number in (part + ":0").split(":")[:2])
            if part.count(":") > 1:
                raise ValueError(part)
        except ValueError:
            raise UserError(
                f"{option} {text}: must be as in 0,0.1:0.5 (usefulness, or usefulness:fall of d′)"
            ) from None
        if not -1 <= usefulness <= 1:
            raise UserError(f"{option} {text}: a difference of probabilities is between -1 and 1")
        if not 0 <= harm <= MOST_HARM:
            raise UserError(f"{option} {text}: a fall of d′ is between 0 and {MOST_HARM:g}")
        pairs.add((usefulness, harm))
    return tuple(sorted(pairs))


def write_usefulness(effects: tuple[tuple[float, float], ...]) -> str:
    """Return effects as they are typed."""
    return ",".join(f"{usefulness:g}:{harm:g}" for usefulness, harm in effects)


def read_acceptance(option: str, text: str) -> tuple[float, ...]:
    """Return the shares of right and of wrong digits that are accepted; UserError otherwise."""
    values = options.read_reals(option, text)
    if len(values) != 2 or not all(0 < value < 1 for value in values):
        raise UserError(f"{option} {text}: must be two shares between 0 and 1, as in 0.6,0.15")
    return values


@dataclass(frozen=True, slots=True)
class PlateWorld:
    """Leads and plates that vary normally.

    Attributes
    ----------
    baseline
        Probability that an acceptance comes in time without an explanation, averaged over
        people and items; the same for S and E.
    sd_participant, sd_item
        Standard deviations between participants and between items, log odds: intercept,
        explained, solver, explained × solver, with factors coded ±½.
    accept_controls
        Probability that a right and a wrong digit of the matched controls are accepted in time
        without an explanation, averaged over leads and plates.
    sd_control_participant, sd_control_item
        Standard deviations between leads and between plates on the probit scale: intercept,
        explained, signal, signal × explained, with factors coded ±½.
    """

    baseline: Annotated[
        float,
        of_world("Probability of acceptance in time without explanations.", "SHARE"),
        options.SHARE,
    ] = 0.35
    sd_participant: Annotated[
        tuple[float, ...],
        of_world(
            "SDs of participants' random effects, in log odds: intercept, explained, solver, "
            "explained × solver.",
            FOUR_SDS,
        ),
        options.deviations(4),
    ] = (0.6, 0.4, 0.2, 0.2)
    sd_item: Annotated[
        tuple[float, ...],
        of_world("SDs of items' random effects, the same.", FOUR_SDS),
        options.deviations(4),
    ] = (1.0, 0.4, 0.3, 0.3)
    accept_controls: Annotated[
        tuple[float, ...],
        of_world(
            "Shares of right and of wrong digits accepted in time without explanations.",
            "RIGHT,WRONG",
        ),
        Parsed(read_acceptance),
    ] = (0.6, 0.15)
    sd_control_participant: Annotated[
        tuple[float, ...],
        of_world(
            "Of controls: SDs between participants on the probit scale: intercept, explained, "
            "signal, signal × explained.",
            FOUR_SDS,
        ),
        options.deviations(4),
    ] = (0.4, 0.2, 0.2, 0.1)
    sd_control_item: Annotated[
        tuple[float, ...],
        of_world("Of controls: SDs between items, the same.", FOUR_SDS),
        options.deviations(4),
    ] = (0.4, 0.1, 0.1, 0.1)


@dataclass(frozen=True, slots=True)
class PlateSizes:
    """Which studies are simulated."""

    participants: options.Participants = (10, 20, 40)
    items: options.Items = (30, 60)
    effect: Annotated[
        tuple[tuple[float, float], ...],
        typer.Option(
            metavar="D[:HARM],...",
            help="Usefulness of explanations, as differences of probabilities, and by how much "
            "they lower d′; 0 gives the rate of false alarms.",
        ),
        Parsed(read_usefulness, write_usefulness),
    ] = ((0.1, 0.5),)
    effect_expert: Annotated[
        float | None,
        typer.Option(
            help="Usefulness of E's explanations. Default: that of S's.", show_default=False
        ),
    ] = None
    runs: options.Runs = 200
    protocol: options.Protocol = None

    @property
    def effects(self) -> tuple[Usefulness, ...]:
        """What explanations bring; E's bring what S's bring where nothing else is asked."""
        return tuple(
            Usefulness(system, system if self.effect_expert is None else self.effect_expert, harm)
            for system, harm in self.effect
        )

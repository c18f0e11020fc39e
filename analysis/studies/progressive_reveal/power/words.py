"""Who saw what in a power simulation of progressive_reveal, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from analysis.power.question import ALPHA, MIXED_FIT
from analysis.power.results import Counts, StudyAsked
from analysis.power.summary import spreads
from analysis.report.about import about
from analysis.report.wording import number, percent
from analysis.studies.progressive_reveal.power.hazard_world import Sooner

_COUNTED = (
    f"A two-sided test at {percent(ALPHA)} of its contrast between that method and the reference "
    "was counted, after Holm’s correction over all pairs of methods."
)
TESTS: Mapping[str, str] = {
    "model": f"Each simulated study had its life tables and restricted means, over participants "
    f"and images. {MIXED_FIT}. {_COUNTED}",
    "means": "Each simulated study had its life tables and restricted means, over participants and "
    f"images, without the preregistered model. {_COUNTED}",
}
"""What is done with each simulated study, by ``--test``."""


@dataclass(frozen=True, slots=True)
class RevealAsked(StudyAsked):
    """What was asked beside sizes."""

    odds_ratios: Annotated[tuple[float, ...], about("Odds ratios of recognition at a step.")]
    test: Annotated[str, about("How each study is analysed: model or means.")]
    methods: Annotated[int, about("Methods, the reference among them.")]
    rounds: Annotated[int, about("Rounds that a participant completes; 0 if all images.")]
    steps: Annotated[int, about("Steps of a round.")]
    recognised: Annotated[float, about("Share that the reference has recognised by the last step.")]
    sd_participant: Annotated[tuple[float, ...], about("SDs between participants, log odds.")]
    sd_item: Annotated[tuple[float, ...], about("SDs between images, log odds.")]


def method(found: Counts[RevealAsked]) -> str:
    """Return who saw what, and where the answers come from."""
    asked = found.asked.own
    seen = f"{asked.rounds} of the images" if asked.rounds else "every image"
    return (
        f"Everyone saw {seen} once, each by one of {asked.methods} methods, rotated over lists "
        "as in the study’s packs. Recognition at a step was drawn from the discrete-time model "
        f"itself: by the reference {percent(asked.recognised)} of the rounds were recognised by "
        f"the last of {asked.steps} steps, averaged over people and images; one method’s odds "
        "of recognition at every step were the stated multiple of the reference’s, the other "
        "methods were like the reference. Standard deviations (log odds; intercept, each method’s "
        f"own effect) were {spreads(asked.sd_participant)} between people and "
        f"{spreads(asked.sd_item)} between images."
    )


def assumptions(found: Counts[RevealAsked]) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    return [
        "The variances are assumptions: take them from a pilot’s fit (--sd-participant and "
        "--sd-item).",
        "Nobody leaves in mid-round, and nobody guesses: free tries add recognitions that tell "
        "nothing of the methods, so real power is likely to be lower.",
        "Mean steps count an unrecognised round with all steps.",
    ]


def panel(effect: Sooner) -> str:
    """Return an effect in words."""
    return "No effect" if effect.odds_ratio == 1 else f"Odds ratio {number(effect.odds_ratio)}"

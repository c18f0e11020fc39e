"""Who saw what in a power simulation of progressive_reveal, in words."""

from collections.abc import Mapping
from typing import Any

from analysis.power.grid import ALPHA
from analysis.power.question import MIXED_FIT
from analysis.power.words import spreads
from analysis.report.wording import number, percent

Results = Mapping[str, Any]

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


def method(results: Results) -> str:
    """Return who saw what, and where the answers come from."""
    asked = results["asked"]
    seen = f"{asked['rounds']} of the images" if asked["rounds"] else "every image"
    return (
        f"Everyone saw {seen} once, each by one of {asked['methods']} methods, rotated over lists "
        "as in the study’s packs. Recognition at a step was drawn from the discrete-time model "
        f"itself: by the reference {percent(asked['recognised'])} of the rounds were recognised by "
        f"the last of {asked['steps']} steps, averaged over people and images; one method’s odds "
        "of recognition at every step were the stated multiple of the reference’s, the other "
        "methods were like the reference. Standard deviations (log odds; intercept, each method’s "
        f"own effect) were {spreads(asked['sd_participant'])} between people and "
        f"{spreads(asked['sd_item'])} between images."
    )


def assumptions(results: Results) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    return [
        "The variances are assumptions: take them from a pilot’s fit (--sd-participant and "
        "--sd-item).",
        "Nobody leaves in mid-round, and nobody guesses: free tries add recognitions that tell "
        "nothing of the methods, so real power is likely to be lower.",
        "Mean steps count an unrecognised round with all steps.",
    ]


def panel(row: Mapping[str, Any]) -> str:
    """Return the title of a row's effect."""
    if row["odds_ratio"] == 1:
        return "No effect"
    return f"Odds ratio {number(row['odds_ratio'])}"

"""Who saw what in a power simulation of progressive_reveal, in words."""

from collections.abc import Mapping
from typing import Any

from analysis.report.wording import listed, number, percent

Results = Mapping[str, Any]


def method(results: Results) -> str:
    """Return who saw what, and where the answers come from."""
    asked = results["asked"]
    seen = f"{asked['rounds']} of the images" if asked["rounds"] else "every image"
    way = {
        "model": "The test is Wald’s of the discrete-time mixed model’s averaged contrast",
        "bootstrap": "In place of the model, the test is the two-way bootstrap’s of the life "
        "tables’ contrast",
    }[asked["test"]]
    return (
        f"Everyone saw {seen} once, each by one of {asked['methods']} methods, rotated over lists "
        "as in the study’s packs. Recognition at a step was drawn from the discrete-time model "
        f"itself: by the reference {percent(asked['recognised'])} of the rounds were recognised by "
        f"the last of {asked['steps']} steps, averaged over people and images; one method’s odds "
        "of recognition at every step were the stated multiple of the reference’s, the other "
        "methods were like the reference. Standard deviations (log odds; intercept, each method’s "
        f"own effect) were {_list(asked['sd_participant'])} between people and "
        f"{_list(asked['sd_item'])} between images. {way} between that method and the reference, "
        "with Holm’s correction over all pairs of methods."
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
    if row["truth"] == 0:
        return "No effect: false alarms"
    return f"Odds ratio {number(row['odds_ratio'])}"


def _list(values: list[float]) -> str:
    return listed([f"{value:g}" for value in values])

"""Who judged what in a power simulation of accept_reject, in words."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.power.words import spreads
from analysis.report.wording import percent, points

Results = Mapping[str, Any]

VERDICT: Final = (
    "S was judged against E as in the report: like where the 90 % t interval of p_S − p_E over "
    "leads and plates lies within the margin, worse or better where the 95 % one lies beyond it."
)
"""How the verdict on S against E was counted."""


def method(results: Results) -> str:
    """Return who judged what, and who answered."""
    return (
        "Everyone judged every item once, solved by S or by E, without or with an explanation, "
        f"rotated over lists as in the study’s packs. {_answers(results)}"
    )


def _answers(results: Results) -> str:
    asked, full = results["asked"], results["calibration"]
    if full is None:
        return (
            f"Answers were drawn from the model itself, with a probability of acceptance within "
            f"{asked['cutoff_s']:g} s of {percent(asked['baseline'])} without explanations, "
            f"averaged over people and items, and with standard deviations (log odds; intercept, "
            f"explained, solver, explained × solver) of {spreads(asked['sd_participant'])} between "
            f"participants and {spreads(asked['sd_item'])} between items."
        )
    plates = "a pack" if asked["pack"] else "a sketch (S and E drawn at stated error rates)"
    return (
        f"Answers were given by robots of the kind “{asked['robot']}”, new ones in every study, "
        f"to plates drawn in every study from {full['plates']} of {plates}. An effect below "
        f"what explanations bring these robots at most ({points(full['system'])} points for S, "
        f"{points(full['expert'])} for E) was made by letting them use the explanation in a "
        f"share of trials, drawn at random, and judge as if there were none in the others."
    )


def assumptions(results: Results) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    asked, full = results["asked"], results["calibration"]
    if full is None:
        return [
            "The variances are assumptions: take them from a pilot’s fit "
            "(--sd-participant, --sd-item)."
        ]
    share = max(asked["items"]) / full["plates"]
    return [
        "The robots are models that no data of people were fitted to. They differ less from each "
        "other than people do, so real power is likely to be lower.",
        f"Studies draw their items from the same {full['plates']} plates (up to "
        f"{percent(share)} of them at once): power is for plates like these.",
        f"What explanations bring at most is itself estimated, with standard errors of "
        f"{100 * full['system_se']:.1f} points for S and {100 * full['expert_se']:.1f} for E; "
        "the true effects are off by as large a share.",
    ]


def panel(row: Mapping[str, Any]) -> str:
    """Return the title of a row's effect."""
    if row["effect"] == row["effect_expert"] == 0:
        return "No effect"
    if row["effect"] == row["effect_expert"]:
        return f"Effect {points(row['effect'])} points"
    return f"S {points(row['effect'])}, E {points(row['effect_expert'])} points"

"""Who judged what in a power simulation of accept_reject, in words."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.power.grid import ALPHA
from analysis.power.question import MIXED_FIT
from analysis.power.words import spreads
from analysis.report.wording import percent, points

Results = Mapping[str, Any]

TEST: Final = (
    f"{MIXED_FIT}. Usefulness of S’s and of E’s explanations, and their difference, were tested by "
    "the primary analysis of the protocol (by the means where no fit is sound), two-sided at "
    f"{percent(ALPHA)}, the two after Holm’s correction. Harm was looked for, and S was judged "
    "against E, as in the report."
)
"""How each simulated study was analysed."""


def method(results: Results) -> str:
    """Return who judged what, and who answered."""
    return (
        "Everyone judged every item once, solved by S or by E, without or with an explanation, "
        f"rotated over lists as in the study’s packs. {_answers(results)} {_controls(results)}"
    )


def _controls(results: Results) -> str:
    world = results["asked"]["controls"]
    right, wrong = world["accepted"]
    return (
        "Matched controls, as many as the protocol’s lists have, were answered by a probit model: "
        f"without explanations {percent(right)} of the right and {percent(wrong)} of the wrong "
        "digits were accepted in time, averaged over people and items; explanations lowered d′ by "
        "the stated harm. Standard deviations (probit scale; intercept, explained, signal, signal "
        f"× explained) were {spreads(world['sd_participant'])} between participants and "
        f"{spreads(world['sd_item'])} between items."
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


_CONTROLS: Final = (
    "How leads tell right from wrong digits is an assumption, too: take it from a pilot’s report "
    "(--accept-controls, --sd-control-participant, --sd-control-item)."
)


def assumptions(results: Results) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    asked, full = results["asked"], results["calibration"]
    if full is None:
        return [
            "The variances are assumptions: take them from a pilot’s fit "
            "(--sd-participant, --sd-item).",
            _CONTROLS,
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
        _CONTROLS,
    ]


def panel(row: Mapping[str, Any]) -> str:
    """Return a row's effect in words."""
    system, expert, harm = row["effect"], row["effect_expert"], row["harm"]
    harms = f", d′\u00a0−{harm:g}" if harm else ""
    if system != expert:
        return f"S {points(system)}, E {points(expert)} points{harms}"
    if system == 0:
        return f"No use{harms}" if harm else "No effect"
    return f"Effect {points(system)} points{harms}"

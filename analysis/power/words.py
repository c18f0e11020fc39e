"""How a power simulation was done, in words."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from analysis.data.origin import suite_version
from analysis.report.wording import listed, percent, points

Results = Mapping[str, Any]

SOFTWARE = ("formulae", "statsmodels", "scipy", "numpy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions that the numbers come from."""
    return {"plainsight": suite_version(), **{name: version(name) for name in SOFTWARE}}


def method_paragraph(results: Results) -> str:
    """Return what was done, ready to take over into a preregistration."""
    asked = results["asked"]
    sizes = (
        f"{listed([str(n) for n in asked['participants']])} participants and "
        f"{listed([str(n) for n in asked['items']])} items each"
    )
    test = (
        f"To each simulated study the preregistered mixed logistic model was fitted as in the "
        f"analysis of real data, random slopes that vanished being left out by the stated rule, "
        f"and a two-sided Wald test at {percent(asked['alpha'])} was counted. A fit without a "
        f"result counts as a study that found nothing."
    )
    return (
        f"Power was estimated by simulating {asked['runs']} studies for each combination of "
        f"{sizes}. Everyone judged every item once, solved by S or by E, without or with an "
        f"explanation, rotated over lists as in the study’s packs. {_answers(results)} {test} "
        f"Intervals for power are Wilson’s and hold for the number of simulated studies."
    )


def _answers(results: Results) -> str:
    asked, full = results["asked"], results["calibration"]
    if full is None:
        return (
            f"Answers were drawn from the model itself, with a probability of acceptance within "
            f"{asked['cutoff_s']:g} s of {percent(asked['baseline'])} without explanations, "
            f"averaged over people and items, and with standard deviations (log odds; intercept, "
            f"explained, solver, explained × solver) of {_list(asked['sd_participant'])} between "
            f"participants and {_list(asked['sd_item'])} between items."
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
    """Return what the numbers rest on, one sentence each."""
    asked, full = results["asked"], results["calibration"]
    said = [
        "Participants and items are both random: power levels off with few items, however many "
        "participants there are (Westfall, Kenny & Judd 2014, J. Exp. Psychol. Gen. 143).",
    ]
    if full is None:
        return [
            *said,
            "The variances are assumptions: take them from a pilot’s fit "
            "(--sd-participant, --sd-item).",
        ]
    share = max(asked["items"]) / full["plates"]
    said.append(
        "The robots are models that no data of people were fitted to. They differ less from each "
        "other than people do, so real power is likely to be lower."
    )
    said.append(
        f"Studies draw their items from the same {full['plates']} plates (up to "
        f"{percent(share)} of them at once): power is for plates like these."
    )
    said.append(
        f"What explanations bring at most is itself estimated, with standard errors of "
        f"{100 * full['system_se']:.1f} points for S and {100 * full['expert_se']:.1f} for E; "
        "the true effects are off by as large a share."
    )
    return said


def _list(values: list[float]) -> str:
    return listed([f"{value:g}" for value in values])

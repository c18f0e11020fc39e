"""How a power simulation was done, in words."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from analysis.power.question import Question
from analysis.report.wording import listed
from stimuli.version import suite_version

Results = Mapping[str, Any]

SOFTWARE = ("formulae", "statsmodels", "scipy", "numpy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions that the numbers come from."""
    return {"plainsight": suite_version(), **{name: version(name) for name in SOFTWARE}}


def method_paragraph(results: Results, question: Question) -> str:
    """Return what was done, ready to take over into a preregistration."""
    asked = results["asked"]
    sizes = (
        f"{listed([str(n) for n in asked['participants']])} participants and "
        f"{listed([str(n) for n in asked['items']])} items each"
    )
    test = f"{question.test} A fit without a result counts as a study that found nothing."
    return (
        f"Power was estimated by simulating {asked['runs']} studies for each combination of "
        f"{sizes}. {question.method(results)} {test} "
        f"Intervals for power are Wilson’s and hold for the number of simulated studies."
    )


def spreads(values: Sequence[float]) -> str:
    """Return standard deviations in words."""
    return listed([f"{value:g}" for value in values])


def assumptions(results: Results, question: Question) -> list[str]:
    """Return what the numbers rest on, one sentence each."""
    return [
        "Participants and items are both random: power levels off with few items, however many "
        "participants there are (Westfall, Kenny & Judd 2014, J. Exp. Psychol. Gen. 143).",
        *question.assumptions(results),
    ]

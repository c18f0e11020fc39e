"""The report's verdict on S against E, as power counts it."""

from collections.abc import Callable
from typing import Any, Final

from analysis.power.question import Verdicts
from analysis.statistics.proportions import true_verdict

COMPARISON: Final = "comparison"
SAID: Final = {
    "worse": "the 95 % interval of p_S − p_E lies below the margin",
    "like": "its 90 % interval lies within the margin",
    "better": "its 95 % interval lies above the margin",
    "undecided": "none of these",
}


def against_experts(difference: Callable[[Any], float], margin: float) -> Verdicts:
    """Return the verdicts on S against E.

    Parameters
    ----------
    difference
        Returns p_S − p_E for a simulated effect.
    margin
        Of the protocol, on the probability scale. At the margin nothing is right to say.
    """

    def right(effect: Any) -> str:
        return true_verdict(round(difference(effect), 12), margin)

    return Verdicts(COMPARISON, "S against E", SAID, "undecided", right, "power_comparison")

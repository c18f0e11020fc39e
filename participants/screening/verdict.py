"""Lead, expert or neither: what a protocol's rules make of a screening."""

from dataclasses import dataclass
from typing import Literal

from participants.screening.ishihara import IshiharaScore
from participants.screening.trivector import TrivectorResult
from stimuli.colour.spaces import Axis
from stimuli.screening.d15 import D15Score
from stimuli.screening.rules import Screening

RoleFound = Literal["lead", "expert", "neither"]
Reason = Literal[
    "catches_missed",
    "tritan_raised",
    "red_green_normal",
    "red_green_raised",
    "red_green_between",
    "beyond_cap",
    "d15_missing",
    "d15_passed",
    "d15_failed",
    "ishihara_disagrees",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whom a screening makes of somebody, and why.

    Attributes
    ----------
    role
        lead (a rung has yet to be found), expert or neither.
    axis
        A lead's confusion line, the one with the higher threshold.
    reasons
        What decided, the first reason first.
    """

    role: RoleFound
    axis: Axis | None
    reasons: tuple[Reason, ...]


def decide(
    rules: Screening,
    trivector: TrivectorResult,
    d15: D15Score | None = None,
    ishihara: IshiharaScore | None = None,
) -> Verdict:
    """Return what a protocol's rules say of a person's results.

    Parameters
    ----------
    rules
        The protocol's.
    trivector
        Decides.
    d15
        Who is to be a lead must have passed it: it is failed by strong deficits alone.
    ishihara
        Where there is one it must not say the contrary.
    """
    if trivector.catches_right < rules.catch_minimum * trivector.catches:
        return _neither("catches_missed")
    found = {axis: threshold.threshold_1e4 for axis, threshold in trivector.thresholds.items()}
    if found["tritan"] > rules.tritan_1e4:
        return _neither("tritan_raised")
    axis: Axis = "protan" if found["protan"] > found["deutan"] else "deutan"
    if found[axis] <= rules.expert_red_green_1e4:
        if ishihara is not None and ishihara.reading == "deficient":
            return _neither("red_green_normal", "ishihara_disagrees")
        return Verdict("expert", None, ("red_green_normal",))
    if found[axis] <= rules.lead_red_green_1e4:
        return _neither("red_green_between")
    if found[axis] > rules.lead_cap_1e4:
        return _neither("red_green_raised", "beyond_cap")
    if d15 is None:
        return _neither("red_green_raised", "d15_missing")
    if d15.confusion_index > rules.d15_confusion_index:
        return _neither("red_green_raised", "d15_failed")
    if ishihara is not None and ishihara.reading == "normal":
        return _neither("red_green_raised", "ishihara_disagrees")
    return Verdict("lead", axis, ("red_green_raised", "d15_passed"))


def _neither(*reasons: Reason) -> Verdict:
    return Verdict("neither", None, reasons)

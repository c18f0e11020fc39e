"""Lead, expert or neither: what follows from a screening by a protocol's rules.

One result of a screening is the score that an experimenter read from the printed Ishihara book.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from participants.screening.trivector import TrivectorResult
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.screening.d15 import D15Score
from stimuli.screening.rules import Screening

Reading = Literal["normal", "deficient", "between"]


@dataclass(frozen=True, slots=True)
class IshiharaEdition:
    """How an edition is scored.

    Attributes
    ----------
    plates
        In its name.
    items
        Plates that are scored.
    normal_from, deficient_to
        Read so many or more of them: normal; so many or fewer: deficient.
    """

    plates: int
    items: int
    normal_from: int
    deficient_to: int


ISHIHARA_EDITIONS: Final[Mapping[int, IshiharaEdition]] = MappingProxyType(
    {
        edition.plates: edition
        for edition in (
            IshiharaEdition(38, 21, 17, 13),
            IshiharaEdition(24, 15, 13, 9),
            IshiharaEdition(14, 11, 10, 7),
        )
    }
)
"""Editions of the book, scored by their instructions."""


@dataclass(frozen=True, slots=True)
class IshiharaScore:
    """How many of an edition's scored plates were read, and the verdict on that number."""

    edition: int
    read: int
    reading: Reading


def ishihara_score(edition: int, read: int) -> IshiharaScore:
    """Return the verdict on the number of plates read.

    Raises
    ------
    UserError
        If the edition is unknown, or has fewer scored plates.
    """
    if edition not in ISHIHARA_EDITIONS:
        known = ", ".join(str(plates) for plates in ISHIHARA_EDITIONS)
        raise UserError(f"no Ishihara edition of {edition} plates; take one of {known}")
    rule = ISHIHARA_EDITIONS[edition]
    if not 0 <= read <= rule.items:
        raise UserError(
            f"{read} plates read: the edition of {edition} plates scores 0 to {rule.items}"
        )
    if read >= rule.normal_from:
        return IshiharaScore(edition, read, "normal")
    return IshiharaScore(edition, read, "deficient" if read <= rule.deficient_to else "between")


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
    """The role that a screening gives a person, and why.

    Attributes
    ----------
    role
        lead (a rung has yet to be found), expert or neither.
    axis
        A lead's confusion line, the one with the higher threshold.
    reasons
        The reasons for the decision, in order.
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
    """Return the verdict of a protocol's rules on a person's results.

    Parameters
    ----------
    rules
        The protocol's.
    trivector
        Decides.
    d15
        A lead must have passed it; only strong deficits fail it.
    ishihara
        If there is a score, it must not contradict.
    """
    if trivector.catches_right < rules.catch_minimum * trivector.catches:
        return _neither("catches_missed")
    thresholds_1e4 = {
        axis: threshold.threshold_1e4 for axis, threshold in trivector.thresholds.items()
    }
    if thresholds_1e4["tritan"] > rules.tritan_1e4:
        return _neither("tritan_raised")
    axis: Axis = "protan" if thresholds_1e4["protan"] > thresholds_1e4["deutan"] else "deutan"
    if thresholds_1e4[axis] <= rules.expert_red_green_1e4:
        if ishihara is not None and ishihara.reading == "deficient":
            return _neither("red_green_normal", "ishihara_disagrees")
        return Verdict("expert", None, ("red_green_normal",))
    if thresholds_1e4[axis] <= rules.lead_red_green_1e4:
        return _neither("red_green_between")
    if thresholds_1e4[axis] > rules.lead_cap_1e4:
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

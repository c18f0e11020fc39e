"""The score that an experimenter read from the printed Ishihara book."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from stimuli.errors import UserError

Reading = Literal["normal", "deficient", "between"]


@dataclass(frozen=True, slots=True)
class Edition:
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


EDITIONS: Final[Mapping[int, Edition]] = MappingProxyType(
    {
        edition.plates: edition
        for edition in (Edition(38, 21, 17, 13), Edition(24, 15, 13, 9), Edition(14, 11, 10, 7))
    }
)
"""By the instructions of the book's editions."""


@dataclass(frozen=True, slots=True)
class IshiharaScore:
    """How many plates of an edition's scored ones were read, and what that says."""

    edition: int
    read: int
    reading: Reading


def score(edition: int, read: int) -> IshiharaScore:
    """Return what the number of plates read says.

    Raises
    ------
    UserError
        If the edition is unknown, or has fewer scored plates.
    """
    if edition not in EDITIONS:
        known = ", ".join(str(plates) for plates in EDITIONS)
        raise UserError(f"no Ishihara edition of {edition} plates; take one of {known}")
    rule = EDITIONS[edition]
    if not 0 <= read <= rule.items:
        raise UserError(
            f"{read} plates read: the edition of {edition} plates scores 0 to {rule.items}"
        )
    if read >= rule.normal_from:
        return IshiharaScore(edition, read, "normal")
    return IshiharaScore(edition, read, "deficient" if read <= rule.deficient_to else "between")

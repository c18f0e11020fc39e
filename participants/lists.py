"""What a pack offers to assign, its lists, each for one axis and rung; and what was assigned.

Readers of journals import this module, so it imports heavier ones for their types only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema

if TYPE_CHECKING:
    from stimuli.pack import Pack

LIST_NAMES = TableSchema(
    "lists",
    "What any study's lists have in common.",
    (Column("list", "text", "The list."),),
)


@dataclass(frozen=True, slots=True)
class ListOffer:
    """A list of a pack, and the people it is for.

    Attributes
    ----------
    list
        The list's id.
    axis, rung
        Axis and rung of its plates; None for a list that anybody can take.
    rotation
        Lists of one rotation show the same items under the same conditions, whatever their axis
        and rung. Rotations are assigned evenly over all people. Empty if no two lists share one.
    """

    list: str
    axis: str | None = None
    rung: int | None = None
    rotation: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A person's cell of the design: a list of the pack, and an order.

    ``accept_side`` is None for people who were assigned before sides were balanced.
    """

    list: str
    order: str
    accept_side: str | None = None


def lists_of(pack: "Pack") -> tuple[ListOffer, ...]:
    """Return the lists of a pack whose lists are for anybody."""
    names = {str(row["list"]) for row in pack.table(LIST_NAMES)}
    return tuple(ListOffer(name) for name in sorted(names))


def fitting(
    offers: Sequence[ListOffer], axis: str | None, rung: int | None
) -> tuple[ListOffer, ...]:
    """Return the lists that fit a person.

    Raises
    ------
    UserError
        If none fits; the message says what the person needs and which lists there are.
    """
    fit = tuple(
        offer for offer in offers if offer.axis is None or (offer.axis, offer.rung) == (axis, rung)
    )
    if fit:
        return fit
    if axis is None:
        raise UserError(
            "this lead has no axis and rung, which the pack's lists are for; enrol the lead with "
            "--axis and --rung"
        )
    there = places_of(offers)
    raise UserError(f"the pack has no list for {axis} rung {rung}; it has: {there}")


def rotations_of(offers: Sequence[ListOffer]) -> dict[str, str]:
    """Return the rotation of each list that has one."""
    return {offer.list: offer.rotation for offer in offers if offer.rotation}


def places_of(offers: Sequence[ListOffer]) -> str:
    """Return, in words, the axes and rungs for which there are lists."""
    return ", ".join(sorted({f"{offer.axis} rung {offer.rung}" for offer in offers}))

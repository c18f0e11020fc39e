"""At which axis, rung and contrast experts see each plate of a task pack."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from stimuli.io.canonical import keyed_order
from stimuli.studies.accept_reject.protocol import AS_LEADS, HIGHEST, AcceptReject, Axis

BELOW: Final = 0
"""The rung of a plate whose contrast lies below the ladder."""
BLANK: Final = "expert_no_numeral"
CLEAR: Final = "expert_high_contrast"
FAINT: Final = "expert_low_contrast"


@dataclass(frozen=True, slots=True)
class ExpertPlace:
    """How an expert sees a plate: axis, rung (`BELOW` the ladder: 0) and contrast (Δu′v′)."""

    axis: Axis
    rung: int
    contrast: float


def expert_places(
    protocol: AcceptReject, uses: Iterable[tuple[str, str]]
) -> dict[str, ExpertPlace]:
    """Return how experts see plates, by item.

    Plates to be solved, and those without a numeral among them, are dealt out evenly over the
    places at which experts solve. Digits that anyone can read stand at the ladder's top, those
    that normal colour vision alone can read at a contrast of their own on all of the axes.

    Parameters
    ----------
    protocol
        The protocol of the task pack.
    uses
        Item and use of each plate, as in ``tasks.csv``.
    """
    by_use: dict[str, list[str]] = {}
    for item, use in uses:
        by_use.setdefault(use, []).append(item)
    usual = usual_places(protocol)
    top = [_top(protocol, axis) for axis in dict.fromkeys(place.axis for place in usual)]
    faint = [ExpertPlace(axis, BELOW, protocol.low_contrast) for axis in protocol.plates.axes]
    offered: Mapping[str, Sequence[ExpertPlace]] = {
        "main": usual, BLANK: usual, CLEAR: top, "practice": top, FAINT: faint,
    }  # fmt: skip
    return {
        item: offered[use][nth % len(offered[use])]
        for use in offered
        for nth, item in enumerate(
            keyed_order(by_use.get(use, ()), protocol.seed, "expert place", use)
        )
    }


def usual_places(protocol: AcceptReject) -> list[ExpertPlace]:
    """Return the places at which experts solve plates: by default those of the pack's leads."""
    axis, rung = protocol.experts.axis, protocol.experts.rung
    found = []
    for leads_axis, leads_rung in protocol.lead_places:
        own_axis: Axis = leads_axis if axis == AS_LEADS else axis
        top = len(protocol.plates.ladder(own_axis))
        own_rung = rung if isinstance(rung, int) else {AS_LEADS: leads_rung, HIGHEST: top}[rung]
        found.append(_place(protocol, own_axis, min(own_rung, top)))
    return list(dict.fromkeys(found))


def _top(protocol: AcceptReject, axis: Axis) -> ExpertPlace:
    return _place(protocol, axis, len(protocol.plates.ladder(axis)))


def _place(protocol: AcceptReject, axis: Axis, rung: int) -> ExpertPlace:
    return ExpertPlace(axis, rung, protocol.plates.ladder(axis)[rung - 1])

"""Who made each method's maps, and how, as a pack says it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from stimuli.io.tables import Row
from stimuli.maps.origin import (
    IMPORTED,
    NETWORK,
    PEOPLE,
    RESPONSE_MODEL,
    UNKNOWN,
    Origin,
    origin_cells,
    origin_in,
)
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.protocol import HUMAN, ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import ARMS, ITEM_TABLE

ARMS_FILE: Final = "arms.csv"
METHODS_FILE: Final = "methods.json"
BEFORE: Final = {
    "explanation": NETWORK,
    "people": PEOPLE,
    "simulated bubblers": RESPONSE_MODEL,
}
"""What older packs called origins in `METHODS_FILE`; their tables didn't name them."""
_ORIGIN: Final = "map_origin"
CLICKME: Final = Origin(IMPORTED, "ClickMe")


def maps_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the maps of each method of a solution pack, as far as it is known."""
    if pack.manifest.kind != "solutions":
        return {}
    if ARMS_FILE in pack.manifest.files:
        return {str(row["method"]): origin_in(row, _ORIGIN) for row in pack.table(ARMS)}
    told = _told_before(pack)
    return {
        str(row["method"]): Origin(str(row["map_origin"]), str(row["map_origin_note"] or ""))
        if row["map_origin"]
        else told.get(str(row["method"]), Origin())
        for row in pack.table(ITEM_TABLE)
    }


def arm_rows(pack: Pack) -> tuple[Row, ...]:
    """Return the rows of a solution pack's table of arms; an older pack says less."""
    made, protocol = maps_by_method(pack), pack.protocol
    assert isinstance(protocol, ProgressiveReveal)
    return tuple(
        {"method": method, **origin_cells(_ORIGIN, made.get(method, UNKNOWN))}
        for method in protocol.reveal.methods
    )


def _told_before(pack: Pack) -> dict[str, Origin]:
    """Return what a pack says of its methods beside its tables."""
    if METHODS_FILE not in pack.manifest.files:
        return {}
    methods: Mapping[str, Mapping[str, Any]] = json.loads(pack.asset(METHODS_FILE))
    return {
        name: Origin(BEFORE.get(about.get("origin", ""), ""), ", ".join(about.get("robots", ())))
        for name, about in methods.items()
    }


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        "the human maps" if method == HUMAN else f"the maps of method {method}": origin
        for method, origin in maps_by_method(pack).items()
        if origin.kind
    }

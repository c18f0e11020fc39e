"""Who made each method's maps, as a pack says it."""

import json
from collections.abc import Mapping
from typing import Any, Final

from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.protocol import HUMAN
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE

METHODS_FILE: Final = "methods.json"
BEFORE: Final = {
    "explanation": NETWORK,
    "people": PEOPLE,
    "simulated bubblers": RESPONSE_MODEL,
}
"""What older packs called origins in `METHODS_FILE`; their tables didn't name them."""
CLICKME: Final = Origin(IMPORTED, "ClickMe")


def maps_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the maps of each method of a solution pack, as far as it is known."""
    if pack.manifest.kind != "solutions":
        return {}
    told = _told_before(pack)
    return {
        str(row["method"]): Origin(str(row["map_origin"]), str(row["map_origin_note"] or ""))
        if row["map_origin"]
        else told.get(str(row["method"]), Origin())
        for row in pack.table(ITEM_TABLE)
    }


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
    """Return who made what a pack shows as people's."""
    by_method = maps_by_method(pack)
    return {"the human maps": by_method[HUMAN]} if HUMAN in by_method else {}

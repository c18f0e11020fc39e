"""Who made each method's maps, and how, as a pack says it."""

from typing import Final

from stimuli.io.tables import Row
from stimuli.maps.origin import IMPORTED, Origin, origin_in
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.protocol import HUMAN
from stimuli.studies.progressive_reveal.tables import ARMS

ARMS_FILE: Final = "arms.csv"
METHODS_FILE: Final = "methods.json"
_ORIGIN: Final = "map_origin"
CLICKME: Final = Origin(IMPORTED, "ClickMe")


def maps_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the maps of each method of a solution pack, as far as it is known."""
    if pack.manifest.kind != "solutions":
        return {}
    return {str(row["method"]): origin_in(row, _ORIGIN) for row in pack.table(ARMS)}


def arm_rows(pack: Pack) -> tuple[Row, ...]:
    """Return the rows of a solution pack's table of arms."""
    return tuple(pack.table(ARMS))


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        "the human maps" if method == HUMAN else f"the maps of method {method}": origin
        for method, origin in maps_by_method(pack).items()
        if origin.kind
    }

"""Who made the explanations of each method, and how, as a pack says it."""

from stimuli.maps.origin import Origin, origin_in
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import NO_EXPLANATION
from stimuli.studies.simulatability.tables import METHODS


def origins_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the explanations of each method, as far as it is known."""
    return {str(row["method"]): origin_in(row, "origin") for row in pack.table(METHODS)}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        f"the explanations of method {method}": origin
        for method, origin in origins_by_method(pack).items()
        if method != NO_EXPLANATION
    }

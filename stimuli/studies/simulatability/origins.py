"""Who made what a pack shows as people's: explanations that a lab brought."""

from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.studies.simulatability.tables import METHODS


def origins_by_method(pack: Pack) -> dict[str, Origin]:
    """Return who made the explanations of each method, as far as it is known."""
    return {
        str(row["method"]): Origin(str(row["origin"] or ""), str(row["origin_note"] or ""))
        for row in pack.table(METHODS)
    }


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made explanations of people, or of robots in their place."""
    return {
        f"the explanations of method {method}": origin
        for method, origin in origins_by_method(pack).items()
        if origin.kind in (PEOPLE, RESPONSE_MODEL)
    }

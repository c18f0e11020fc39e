"""Who made the help of each arm, and how, as a pack says it."""

from typing import Final

from stimuli.maps.origin import Origin, origin_in
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import help_kind
from stimuli.studies.human_ai_team.tables import ARMS

_SHOWN: Final = {"heatmap": "the maps", "examples": "the examples", "text": "the texts"}


def helps_by_arm(pack: Pack) -> dict[str, Origin]:
    """Return who made the help of each arm, as far as it is known."""
    return {str(row["arm"]): origin_in(row, "help_origin") for row in pack.table(ARMS)}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows, by what it is in words."""
    return {
        f"{_SHOWN[help_kind(arm)]} of arm {arm}": origin
        for arm, origin in helps_by_arm(pack).items()
        if help_kind(arm) in _SHOWN
    }

"""Where each method's maps come from, as a pack says it."""

import json
from typing import Final

from stimuli.pack import Pack

METHODS_FILE: Final = "methods.json"
PEOPLE: Final = "people"
SIMULATED: Final = "simulated bubblers"


def robots_as_bubblers(pack: Pack) -> str:
    """Return which methods' maps come from robots in place of people; empty if none do."""
    if METHODS_FILE not in pack.manifest.files:
        return ""
    methods = json.loads(pack.asset(METHODS_FILE))
    simulated = [name for name in sorted(methods) if methods[name].get("origin") == SIMULATED]
    return f"the maps of {', '.join(simulated)} come from {SIMULATED}" if simulated else ""

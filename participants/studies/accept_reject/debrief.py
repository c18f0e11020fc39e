"""The page of the debrief that says who solved the plates of a pack."""

from collections.abc import Mapping
from typing import Final

from participants.session import Page
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL
from stimuli.pack import Pack
from stimuli.studies.accept_reject.origins import experts_of

# Where nobody noted it, robots were none of them: experts were people.
TEXTS: Final[Mapping[str, str]] = {
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
    "": "debrief_people",
}
TAKEN_OVER: Final = "debrief_imported"


def sources_page(pack: Pack) -> Page:
    """Return the page for a solution pack."""
    return Page("debrief_sources", TEXTS.get(experts_of(pack).kind, TAKEN_OVER))

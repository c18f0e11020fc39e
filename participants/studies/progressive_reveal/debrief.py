"""The page of the debrief that says by whose maps the images of a pack were uncovered."""

from collections.abc import Mapping
from typing import Final

from participants.session import Page
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.origins import maps_by_method
from stimuli.studies.progressive_reveal.protocol import HUMAN

# Where nobody noted it, no robot made human maps: people did.
TEXTS: Final[Mapping[str, str]] = {
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
    "": "debrief_people",
}
TAKEN_OVER: Final = "debrief_imported"
WITHOUT_PEOPLE: Final = "debrief_methods"


def sources_page(pack: Pack) -> Page:
    """Return the page for a solution pack."""
    human = maps_by_method(pack).get(HUMAN)
    text = WITHOUT_PEOPLE if human is None else TEXTS.get(human.kind, TAKEN_OVER)
    return Page("debrief_sources", text)

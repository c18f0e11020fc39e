"""The page of the debrief that says by whose maps the images of a pack were uncovered."""

from typing import Final

from participants.planning import sources_page
from participants.session import Page
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.origins import maps_by_method
from stimuli.studies.progressive_reveal.protocol import HUMAN

WITHOUT_PEOPLE: Final = Page("debrief_sources", "debrief_methods")


def methods_page(pack: Pack) -> Page:
    """Return the page for a solution pack."""
    human = maps_by_method(pack).get(HUMAN)
    return WITHOUT_PEOPLE if human is None else sources_page(human)

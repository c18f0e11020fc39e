"""Whether a help's caption has room, and how large its letters are then."""

from typing import Final

from experiments.screens.fitting import FittedText, Room, fitted
from experiments.screens.headed import SMALLEST, no_room
from experiments.screens.look import Look
from experiments.studies.human_ai_team.places import Places

CAPTION_GAP: Final = 0.016


def caption_fitted(look: Look, places: Places, caption: str) -> FittedText:
    """Return the caption above a help; UserError if it has no room, whatever its size."""
    assert places.help is not None
    left, top, right, _ = places.help
    text = fitted(look, caption, Room(right - left, 1, look.hint_px, look.px(SMALLEST)))
    room = top - look.px(CAPTION_GAP) - look.px(places.rows.caption_top)
    if text.height_px > max(room, text.pitch_px):
        raise no_room(caption, "above the help")
    return text

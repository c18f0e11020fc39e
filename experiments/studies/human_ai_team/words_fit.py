"""Whether all words of a judgement's screen have room, and how large they are then."""

from experiments.screens.fitting import FittedText, Room, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.human_ai_team.places import Places
from stimuli.errors import UserError

SMALLEST = 0.025
"""Of letters, as a share of the screen's height."""
LARGEST, LESSER = 0.044, 0.77
"""Letters of a question, as a share of the screen's height, and of what stands above, of them."""
HEADING_GAP = 0.012
CAPTION_GAP = 0.016
PANEL_PAD = 0.03


def heading_fitted(
    look: Look, area: Area, first: str, question: str
) -> tuple[FittedText, FittedText]:
    """Return what stands above an image: what is said of it, and the question.

    Raises
    ------
    UserError
        If they have no room, whatever their size.
    """
    width, height = area[2] - area[0], area[3] - area[1]
    smallest = look.px(SMALLEST)
    for size in range(look.px(LARGEST), smallest - 1, -1):
        lesser = max(smallest, round(LESSER * size))
        upper = fitted(look, first, Room.of_size(width, lesser))
        lower = fitted(look, question, Room.of_size(width, size), "bold")
        if upper.height_px + look.px(HEADING_GAP) + lower.height_px <= height:
            return upper, lower
    raise no_room(question, "above the image")


def caption_fitted(look: Look, places: Places, caption: str) -> FittedText:
    """Return the caption above a help; errors as `heading_fitted`."""
    assert places.help is not None
    left, top, right, _ = places.help
    text = fitted(look, caption, Room(right - left, 1, look.hint_px, look.px(SMALLEST)))
    room = top - look.px(CAPTION_GAP) - look.px(places.rows.caption_top)
    if text.height_px > max(room, text.pitch_px):
        raise no_room(caption, "above the help")
    return text


def panel_text_fitted(look: Look, area: Area, words: str) -> FittedText:
    """Return a judged text or a help in words, as large as its panel allows.

    Errors as `heading_fitted`.
    """
    left, top, right, bottom = area
    width, height = (side - 2 * look.px(PANEL_PAD) for side in (right - left, bottom - top))
    text = " ".join(words.split())
    for size in range(look.body_px, look.px(SMALLEST) - 1, -1):
        found = fitted(look, text, Room.of_size(width, size), balanced=False)
        if found.height_px <= height:
            return found
    raise no_room(text, "in its panel")


def no_room(text: str, where: str) -> UserError:
    """Return what is raised where a text has no room."""
    return UserError(
        f"“{text[:60]}…” has no room {where} on this screen: shorten it where the pack is built"
    )

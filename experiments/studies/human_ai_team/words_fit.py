"""Whether all words of a judgement's screen have room, and how large they are then."""

from experiments.screens.fitting import FittedText, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.human_ai_team.places import Places
from stimuli.errors import UserError

SMALLEST = 0.025
"""Of letters, as a share of the screen's height."""
ONE_LINE = 0.028
"""Smallest letters of a heading on one line; longer ones take two."""
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
    upper = _in_few_lines(look, first, width, 0.034, bold=False)
    lower = _in_few_lines(look, question, width, 0.044, bold=True)
    wanted = upper.height_px + look.px(HEADING_GAP) + lower.height_px
    require_room(wanted <= height, question, "above the image")
    return upper, lower


def caption_fitted(look: Look, places: Places, caption: str) -> FittedText:
    """Return the caption above a help; errors as `heading_fitted`."""
    assert places.help is not None
    left, top, right, _ = places.help
    sizes = (look.hint_px, look.px(SMALLEST))
    text = fitted(look, caption, right - left, 1, sizes)
    room = top - look.px(CAPTION_GAP) - look.px(places.rows.caption_top)
    require_room(text.height_px <= max(room, text.pitch_px), caption, "above the help")
    return text


def help_text_fitted(look: Look, places: Places, words: str) -> FittedText:
    """Return a help in words, as large as its place allows; errors as `heading_fitted`."""
    assert places.help is not None
    left, top, right, bottom = places.help
    width, height = (side - 2 * look.px(PANEL_PAD) for side in (right - left, bottom - top))
    text = " ".join(words.split())
    for size in range(look.body_px, look.px(SMALLEST) - 1, -1):
        found = fitted(look, text, width, 1, (size, size))
        if found.height_px <= height:
            return found
    require_room(False, text, "beside the image")
    return found


def _in_few_lines(look: Look, text: str, width: int, share: float, *, bold: bool) -> FittedText:
    """Return a text on one line, or, where it would be small there, on two."""
    weight = "bold" if bold else "regular"
    found = fitted(look, text, width, 1, (look.px(share), look.px(ONE_LINE)), weight)
    if len(found.lines) > 1:
        found = fitted(look, text, width, 2, (look.px(ONE_LINE), look.px(SMALLEST)), weight)
    return found


def require_room(fits: bool, text: str, where: str) -> None:
    """Refuse a text that has no room (UserError)."""
    if not fits:
        raise UserError(
            f"“{text[:50]}…” has no room {where} on this screen: shorten it where the pack is built"
        )

"""A text on a surface of its own, in lines that are read easily: what is judged, or a help."""

from typing import Final

from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.screens.fitting import FittedText, Room, fitted
from experiments.screens.headed import SMALLEST, no_room
from experiments.screens.look import Look
from experiments.screens.parts import Area

PAD: Final = 0.03
HEADING_ROW: Final = (0.045, 0.175)
PANEL_ROW: Final = (0.235, 0.83)
KEYS_TOP: Final = 0.855
"""Rows of a screen with panels, as shares of its height."""


def panel_text_fitted(look: Look, area: Area, words: str) -> FittedText:
    """Return a text as large as its panel allows.

    Raises
    ------
    UserError
        If it has no room, whatever its size.
    """
    left, top, right, bottom = area
    width, height = (side - 2 * look.px(PAD) for side in (right - left, bottom - top))
    text = " ".join(words.split())
    for size in range(look.body_px, look.px(SMALLEST) - 1, -1):
        found = fitted(look, text, Room.of_size(width, size), balanced=False)
        if found.height_px <= height:
            return found
    raise no_room(text, "in its panel")


def text_layers(look: Look, area: Area, words: str) -> Layers:
    """Return a text in its panel."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    left, top, right, bottom = area
    draw.rounded_rectangle(
        (left, top, right - 1, bottom - 1), radius=look.px(0.012), fill=look.surface
    )
    text = panel_text_fitted(look, area, words)
    pad = look.px(PAD)
    at, anchor = (right - pad, "r") if look.right_to_left else (left + pad, "l")
    first = (top + bottom - text.height_px + text.pitch_px) / 2
    for number, line in enumerate(text.lines):
        row = first + number * text.pitch_px
        draw.text((at, row), line, fill=look.text, font=text.font(look), anchor=f"{anchor}m")
    return look.layers(canvas)

"""The words around what is judged, and text on a panel: the text that is judged, or a help.

The heading is above what is judged; the keys' hints are at the bottom. A panel has a surface of its
own, with lines that are easy to read.
"""

from dataclasses import dataclass
from typing import Final

from experiments.engine.picture import Layers
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.screens.trial import KeyHint, hint_layers
from stimuli.errors import UserError

SMALLEST: Final = 0.025
"""Smallest size of letters, as a share of the screen's height."""
LARGEST, LESSER = 0.044, 0.77
"""Largest letters of a heading, as a share of the screen's height; those of the line above it,
as a share of the heading's."""
HEADING_GAP: Final = 0.012
WORDS_MARGIN: Final = 0.10
"""Margin on both sides of the heading, clear of the photodiode's patch."""
KEYS_AWAY: Final = 0.30
KEYS_WIDTH: Final = 0.21
"""Width for a key and its word."""
SAFE: Final = 0.03
"""Margin at the foot of the screen."""
PAD: Final = 0.03
HEADING_ROW: Final = (0.045, 0.175)
PANEL_ROW: Final = (0.235, 0.83)
KEYS_TOP: Final = 0.855
"""Rows of a screen with panels, as shares of its height."""


def across(look: Look, row: tuple[float, float]) -> Area:
    """Return a row from margin to margin, given by shares of the screen's height."""
    width, height = look.size_px
    top, bottom = (round(share * height) for share in row)
    return look.px(WORDS_MARGIN), top, width - look.px(WORDS_MARGIN), bottom


def heading_fitted(
    look: Look, area: Area, first: str, second: str
) -> tuple[FittedText, FittedText]:
    """Fit the heading above the item: a line or two (or empty), and an emphasized part.

    Raises
    ------
    UserError
        If they don't fit at any size.
    """
    width, height = area[2] - area[0], area[3] - area[1]
    smallest = look.px(SMALLEST)
    for size in range(look.px(LARGEST), smallest - 1, -1):
        lesser = max(smallest, round(LESSER * size))
        upper = fitted(look, first, Room.of_size(width, lesser))
        lower = fitted(look, second, Room.of_size(width, size), "bold")
        if _above_px(look, upper) + lower.height_px <= height:
            return upper, lower
    raise no_room(second, "above what is judged")


def _above_px(look: Look, upper: FittedText) -> int:
    """Return the height of the line above the emphasized part, with the gap; 0 if it is empty."""
    return upper.height_px + look.px(HEADING_GAP) if any(upper.lines) else 0


def heading_layers(look: Look, area: Area, first: str, second: str) -> Layers:
    """Return the heading; the second part is emphasized."""
    canvas, draw = look.drawing()
    upper, lower = heading_fitted(look, area, first, second)
    above = _above_px(look, upper)
    top = (area[1] + area[3] - above - lower.height_px) / 2
    centre = (area[0] + area[2]) / 2
    draw_fitted(look, draw, upper, centre, top + upper.height_px / 2, look.text)
    below = top + above + lower.height_px / 2
    draw_fitted(look, draw, lower, centre, below, look.strong)
    return look.layers(canvas)


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """Positions of the keys' hints: the columns of their middles, and the row of their tops."""

    left_px: float
    right_px: float
    top_px: int

    @classmethod
    def of(cls, look: Look, top: float) -> "KeyPlaces":
        """Return the positions on both sides of the middle; `top` is a share of the height."""
        middle, away = look.size_px[0] / 2, look.px(KEYS_AWAY)
        return cls(middle - away, middle + away, look.px(top))

    def between(self, look: Look) -> Area:
        """Return the room between the two hints."""
        apart = look.px(KEYS_WIDTH) // 2
        left, right = round(self.left_px) + apart, round(self.right_px) - apart
        return left, self.top_px - look.px(0.01), right, look.size_px[1] - look.px(SAFE)


def keys_layers(look: Look, places: KeyPlaces, left: KeyHint, right: KeyHint) -> Layers:
    """Return the keys' hints at the foot, each on its side."""
    return (
        *hint_layers(look, left, places.left_px, places.top_px),
        *hint_layers(look, right, places.right_px, places.top_px),
    )


def no_room(text: str, where: str) -> UserError:
    """Return the error for a text that doesn't fit."""
    return UserError(
        f"“{text[:60]}…” has no room {where} on this screen: shorten it where the pack is built"
    )


def panel_text_fitted(look: Look, area: Area, words: str) -> FittedText:
    """Fit a text to its panel, as large as possible.

    Raises
    ------
    UserError
        If it doesn't fit at any size.
    """
    left, top, right, bottom = area
    width, height = (side - 2 * look.px(PAD) for side in (right - left, bottom - top))
    text = " ".join(words.split())
    for size in range(look.body_px, look.px(SMALLEST) - 1, -1):
        fit = fitted(look, text, Room.of_size(width, size), balanced=False)
        if fit.height_px <= height:
            return fit
    raise no_room(text, "in its panel")


def text_layers(look: Look, area: Area, words: str) -> Layers:
    """Return a text in its panel."""
    canvas, draw = look.drawing()
    left, top, right, bottom = area
    draw.rounded_rectangle(
        (left, top, right - 1, bottom - 1), radius=look.px(0.012), fill=look.surface
    )
    text = panel_text_fitted(look, area, words)
    pad = look.px(PAD)
    leftwards = look.right_to_left or text.direction == "rtl"
    at, anchor = (right - pad, "r") if leftwards else (left + pad, "l")
    first = (top + bottom - text.height_px + text.pitch_px) / 2
    for number, line in enumerate(text.lines):
        row = first + number * text.pitch_px
        draw.text(
            (at, row), line, fill=look.text, font=text.font(look), anchor=f"{anchor}m",
            direction=text.direction,
        )  # fmt: skip
    return look.layers(canvas)

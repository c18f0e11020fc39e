"""The screen of a choice among several answers: a text, a picture, and the answers with keys."""

from collections.abc import Sequence

from PIL import ImageDraw

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.screens.fitting import Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Option, cap_size, draw_cap
from experiments.screens.trial import stimulus_top

WIDEST_SHARE = 0.94
"""Room for all answers, as a share of the screen's width."""
COLUMN_SHARE = 0.42
"""Widest column of an answer, as a share of the screen's height: eyes needn't travel far."""
COLUMN_FILL = 0.9
MOST_LINES = 2


def option_layers(
    look: Look,
    options: Sequence[Option],
    picture: Pixels | None = None,
    text: str = "",
    *,
    gone: bool = False,
) -> Layers:
    """Return what a trial shows: answers side by side, each above its key.

    Parameters
    ----------
    look
        Of the screens.
    options
        The answers, from left to right.
    picture
        Above the answers, square; without one the answers stand in the middle.
    text
        At the top; empty for none.
    gone
        Whether the picture has gone; its place stays.
    """
    width_px, height_px = look.size_px
    middle_px, largest_px = height_px / 2, look.heading_px
    layers = [*_text_layers(look, text)] if text else []
    if picture is not None:
        top_px = stimulus_top(look, len(picture))
        middle_px, largest_px = (top_px + len(picture) + height_px) / 2, look.subheading_px
        if not gone:
            layers.append(Layer(picture, (width_px - len(picture)) // 2, top_px))
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    column_px = min(WIDEST_SHARE * width_px / len(options), COLUMN_SHARE * height_px)
    for number, option in enumerate(options):
        middle = (width_px / 2 + (number - (len(options) - 1) / 2) * column_px, middle_px)
        _draw_option(look, draw, option, middle, COLUMN_FILL * column_px, largest_px)
    return (*layers, *look.layers(canvas))


def _text_layers(look: Look, text: str) -> Layers:
    """Draw the text at the top, on a layer that doesn't reach down to the picture."""
    canvas = look.canvas()
    room = Room(look.column_px, MOST_LINES, look.subheading_px, look.hint_px)
    lines = fitted(look, text, room)
    middle = look.size_px[0] / 2, look.px(0.075)
    draw_fitted(look, ImageDraw.Draw(canvas), lines, *middle, look.text)
    return look.layers(canvas)


def _draw_option(
    look: Look,
    draw: ImageDraw.ImageDraw,
    option: Option,
    middle_px: tuple[float, float],
    width_px: float,
    largest_px: int,
) -> None:
    """Draw an answer above its key, both centred about a place."""
    room = Room(width_px, MOST_LINES, largest_px, look.hint_px)
    words = fitted(look, option.words, room, "bold")
    cap_width, cap_height = cap_size(look, option.cap, look.hint_px)
    gap_px = look.px(0.014)
    top_px = middle_px[1] - (words.height_px + gap_px + cap_height) / 2
    draw_fitted(look, draw, words, middle_px[0], top_px + words.height_px / 2, look.strong)
    corner = round(middle_px[0] - cap_width / 2), round(top_px + words.height_px + gap_px)
    draw_cap(look, draw, option.cap, corner, look.hint_px)

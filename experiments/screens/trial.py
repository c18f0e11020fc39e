"""The screens of a timed choice: fixation, and a stimulus with a text beside it."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.mouse_sign import MouseSide, draw_mouse, mouse_size
from experiments.screens.parts import cap_size, draw_cap

FIXATION_SHARE = 0.035
HINT_GAP = 0.016
SUPERSAMPLING = 4
MOST_LINES = 3
SMALLEST_SHARE = 0.025
"""Smallest letters of the text, as a share of the screen's height."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """What a key or a mouse button does.

    Attributes
    ----------
    word
        What is chosen by it.
    cap
        What is printed on the key; empty for a button.
    button
        Which button; None for a key.
    """

    word: str
    cap: str = ""
    button: MouseSide | None = None


@dataclass(frozen=True, slots=True)
class TrialScreen:
    """What is drawn around a stimulus.

    Attributes
    ----------
    text
        Beside the stimulus: one large letter or digit, or up to three lines of words.
    caption
        Above the text.
    left, right
        What the keys on either side do; None leaves them out.
    """

    text: str
    caption: str
    left: KeyHint | None = None
    right: KeyHint | None = None


def stimulus_layers(look: Look, stimulus: Pixels, screen: TrialScreen) -> tuple[Layer, ...]:
    """Return a stimulus in the middle, the text beside it, the keys below it."""
    return (_stimulus_layer(look, stimulus), *surrounding_layers(look, len(stimulus), screen))


def surrounding_layers(look: Look, stimulus_px: int, screen: TrialScreen) -> tuple[Layer, ...]:
    """Return what is drawn around a stimulus of that size, without the stimulus."""
    layers = [*_text(look, stimulus_px, screen)]
    for hint, on_left in ((screen.left, True), (screen.right, False)):
        if hint is not None:
            layers += _key_hint(look, stimulus_px, hint, on_left=on_left)
    return tuple(layers)


def fixation_layers(look: Look, middle_px: float | None = None) -> tuple[Layer, ...]:
    """Return a bull's eye with a cross hair, which holds the eyes best (Thaler et al. 2013).

    Parameters
    ----------
    look
        Of the screens.
    middle_px
        Row of its middle; None is the middle of a stimulus that stands alone.
    """
    side = 2 * (look.px(FIXATION_SHARE) // 2)
    fine = side * SUPERSAMPLING
    picture = Image.new("RGB", (fine, fine), look.background)
    draw = ImageDraw.Draw(picture)
    middle, arm, dot = fine / 2, fine / 10, fine / 9
    draw.ellipse((0, 0, fine - 1, fine - 1), fill=look.text)
    draw.rectangle((0, middle - arm, fine, middle + arm), fill=look.background)
    draw.rectangle((middle - arm, 0, middle + arm, fine), fill=look.background)
    draw.ellipse((middle - dot, middle - dot, middle + dot, middle + dot), fill=look.text)
    pixels = np.asarray(picture.resize((side, side), Image.Resampling.LANCZOS))
    middle_px = stimulus_top(look, 0) if middle_px is None else middle_px
    return (Layer(pixels, (look.size_px[0] - side) // 2, round(middle_px - side // 2)),)


def stimulus_top(look: Look, stimulus_px: int) -> int:
    """Return the top of a stimulus, whose middle lies a little above the screen's."""
    return round(0.465 * look.size_px[1]) - stimulus_px // 2


def text_centre(look: Look, stimulus_px: int) -> float:
    """Return about which column what stands beside a stimulus is set."""
    width = look.size_px[0]
    edge = (width + stimulus_px) / 2
    return edge + min((width - edge) / 2, look.px(0.21))


def _stimulus_layer(look: Look, stimulus: Pixels) -> Layer:
    side = len(stimulus)
    return Layer(stimulus, (look.size_px[0] - side) // 2, stimulus_top(look, side))


def _text(look: Look, stimulus_px: int, screen: TrialScreen) -> tuple[Layer, ...]:
    """Draw caption and text halfway between the stimulus's edge and the screen's."""
    width = look.size_px[0]
    edge = (width + stimulus_px) / 2
    centre = text_centre(look, stimulus_px)
    middle = stimulus_top(look, stimulus_px) + stimulus_px / 2
    room = 2 * min(centre - edge, width - centre) * 0.92
    text = _fitted(look, screen.text, room)
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    draw_fitted(look, draw, text, centre, middle, look.strong)
    above = middle - look.px(0.115)
    caption = look.font(look.hint_px)
    draw.text((centre, above), screen.caption, fill=look.quiet, font=caption, anchor="mm")
    return look.layers(canvas)


def _fitted(look: Look, text: str, room_px: float) -> FittedText:
    """Return a text's lines: a single sign large, words as large as three lines allow."""
    if len(text) == 1:
        return FittedText((text,), look.px(0.15), "bold")
    room = Room(room_px, MOST_LINES, look.px(0.04), look.px(SMALLEST_SHARE))
    return fitted(look, text, room, "bold")


def _key_hint(look: Look, stimulus_px: int, hint: KeyHint, *, on_left: bool) -> tuple[Layer, ...]:
    """Draw a key or button and its word at the screen's foot, on its side of the stimulus."""
    width, height = look.size_px
    away = max(look.px(0.30), stimulus_px // 2 - look.px(0.04))
    centre = width // 2 + (-away if on_left else away)
    bottom = stimulus_top(look, stimulus_px) + stimulus_px
    top = bottom + max(0, round(0.42 * (height - bottom) - look.px(0.045)))
    return hint_layers(look, hint, centre, top)


def hint_layers(look: Look, hint: KeyHint, centre_px: float, top_px: int) -> tuple[Layer, ...]:
    """Return a key or button and its word, about a column, from a row down."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    cap_width, cap_height = _cap_size(look, hint)
    left = round(centre_px - hint_width(look, hint) / 2)
    if hint.button is None:
        draw_cap(look, draw, hint.cap, (left, top_px), look.hint_px)
    else:
        draw_mouse(look, canvas, hint.button, (left, top_px), cap_height)
    at = (left + cap_width + look.px(HINT_GAP), top_px + cap_height / 2)
    draw.text(at, hint.word, fill=look.text, font=look.font(look.body_px), anchor="lm")
    return look.layers(canvas)


def hint_width(look: Look, hint: KeyHint) -> float:
    """Return the width of a key or button with its word."""
    words = look.font(look.body_px).getlength(hint.word)
    return _cap_size(look, hint)[0] + look.px(HINT_GAP) + words


def _cap_size(look: Look, hint: KeyHint) -> tuple[int, int]:
    width, height = cap_size(look, hint.cap, look.hint_px)
    return (width, height) if hint.button is None else mouse_size(height)

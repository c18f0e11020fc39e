"""The screens of a timed choice: fixation, a stimulus with a text beside it, feedback.

A hint shows a key, or a drawing of a mouse with one of its two buttons or its wheel
marked. Feedback is a short notice that says whether a decision was right.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import cap_size, draw_cap

SUPERSAMPLING = 4
NARROW = 0.68

MouseSide = Literal["left", "right", "wheel"]


def mouse_size(height_px: int) -> tuple[int, int]:
    """Return width and height of a drawn mouse."""
    return round(NARROW * height_px), height_px


def draw_mouse(
    look: Look, canvas: Image.Image, side: MouseSide, at: tuple[int, int], px: int
) -> None:
    """Draw a mouse `px` high with its top left corner at `at`, a button or the wheel filled."""
    width, height = (SUPERSAMPLING * length for length in mouse_size(px))
    line = SUPERSAMPLING * max(2, look.px(0.003))
    body = (line // 2, line // 2, width - 1 - line // 2, height - 1 - line // 2)
    radius = width // 2
    inside = Image.new("L", (width, height), 0)
    ImageDraw.Draw(inside).rounded_rectangle(body, radius=radius, fill=255)
    picture = Image.new("RGB", (width, height), look.background)
    picture.paste(look.surface, (0, 0), inside)
    middle, foot = width // 2, round(0.45 * height)
    if side != "wheel":
        button = (0, 0, middle, foot) if side == "left" else (middle, 0, width, foot)
        picture.paste(look.text, button, inside.crop(button))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(body, radius=radius, outline=look.text, width=line)
    draw.line((middle, line, middle, foot), fill=look.text, width=line)
    draw.line((line, foot, width - line, foot), fill=look.text, width=line)
    if side == "wheel":
        box = (middle - 2 * line, foot // 4 + line, middle + 2 * line, foot - line)
        draw.rounded_rectangle(box, radius=2 * line, fill=look.text)
    canvas.paste(picture.resize(mouse_size(px), Image.Resampling.LANCZOS), at)


FIXATION_SHARE = 0.035
HINT_GAP = 0.016
MOST_LINES = 3
SMALLEST_SHARE = 0.025
"""Smallest size of the text's letters, as a share of the screen's height."""


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A hint on a key or a mouse button.

    Attributes
    ----------
    word
        What it chooses.
    cap
        Label of the key; empty for a button.
    button
        The button; None for a key.
    """

    word: str
    cap: str = ""
    button: MouseSide | None = None


@dataclass(frozen=True, slots=True)
class TrialScreen:
    """Parts around a stimulus.

    Attributes
    ----------
    text
        Text beside the stimulus: one large letter or digit, or up to three lines of words.
    caption
        Caption above the text.
    left, right
        Hints on the keys on both sides; None leaves a hint out.
    """

    text: str
    caption: str
    left: KeyHint | None = None
    right: KeyHint | None = None


def stimulus_layers(look: Look, stimulus: Pixels, screen: TrialScreen) -> tuple[Layer, ...]:
    """Return a stimulus in the middle, with the text beside it and the keys below it."""
    return (_stimulus_layer(look, stimulus), *surrounding_layers(look, len(stimulus), screen))


def surrounding_layers(look: Look, stimulus_px: int, screen: TrialScreen) -> tuple[Layer, ...]:
    """Return the parts around a stimulus of this size, without the stimulus."""
    layers = [*_text(look, stimulus_px, screen)]
    for hint, on_left in ((screen.left, True), (screen.right, False)):
        if hint is not None:
            layers += _key_hint(look, stimulus_px, hint, on_left=on_left)
    return tuple(layers)


def fixation_layers(look: Look, middle_px: float | None = None) -> tuple[Layer, ...]:
    """Return a bull's eye with a cross hair, which holds gaze best (Thaler et al. 2013).

    Parameters
    ----------
    look
        Look of the screens.
    middle_px
        Row of its middle; None for the middle of a stimulus without other content.
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
    """Return the column about which the text beside a stimulus is centred."""
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
    canvas, draw = look.drawing()
    draw_fitted(look, draw, text, centre, middle, look.strong)
    above = middle - look.px(0.115)
    caption = look.font(look.hint_px)
    draw.text((centre, above), screen.caption, fill=look.quiet, font=caption, anchor="mm")
    return look.layers(canvas)


def _fitted(look: Look, text: str, room_px: float) -> FittedText:
    """Return a text's lines: a single character large, words as large as three lines allow."""
    if len(text) == 1:
        return FittedText((text,), look.px(0.15), "bold")
    room = Room(room_px, MOST_LINES, look.px(0.04), look.px(SMALLEST_SHARE))
    return fitted(look, text, room, "bold")


def _key_hint(look: Look, stimulus_px: int, hint: KeyHint, *, on_left: bool) -> tuple[Layer, ...]:
    """Draw a key or button and its word at the foot, on its side of the stimulus."""
    width, height = look.size_px
    away = max(look.px(0.30), stimulus_px // 2 - look.px(0.04))
    centre = width // 2 + (-away if on_left else away)
    bottom = stimulus_top(look, stimulus_px) + stimulus_px
    top = bottom + max(0, round(0.42 * (height - bottom) - look.px(0.045)))
    return hint_layers(look, hint, centre, top)


def hint_layers(look: Look, hint: KeyHint, centre_px: float, top_px: int) -> tuple[Layer, ...]:
    """Return a key or button and its word, centred on a column, below a row."""
    canvas, draw = look.drawing()
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


RIGHT, WRONG, LATE = "✓", "✗", "…"


def feedback_layers(look: Look, sign: str, words: str) -> tuple[Layer, ...]:
    """Return a sign and a few words in the middle; signs differ by shape, not by colour."""
    canvas, draw = look.drawing()
    middle = round(0.465 * look.size_px[1])
    radius = look.px(0.055)
    centre = look.size_px[0] // 2
    box = (centre - radius, middle - 2 * radius, centre + radius, middle)
    draw.ellipse(box, outline=look.text, width=look.px(0.004))
    font = look.font(look.px(0.065), "bold")
    draw.text((centre, middle - radius), sign, fill=look.strong, font=font, anchor="mm")
    at = (centre, middle + look.px(0.06))
    draw.text(at, words, fill=look.text, font=look.font(look.body_px), anchor="mm")
    return look.layers(canvas)

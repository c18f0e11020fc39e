"""The screens of a timed choice: fixation, and a stimulus with a text beside it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.screens.fonts import Weight
from experiments.screens.look import Look
from experiments.screens.mouse_sign import draw_mouse, mouse_size
from experiments.screens.parts import cap_size, draw_cap

FIXATION_SHARE = 0.035
SUPERSAMPLING = 4
MOST_LINES, LINE_HEIGHT = 3, 1.25
SMALLEST_SHARE = 0.025
"""Smallest letters of the text, as a share of the screen's height."""

Button = Literal["left", "right"]


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
    button: Button | None = None


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


def fixation_layers(look: Look) -> tuple[Layer, ...]:
    """Return a bull's eye with a cross hair, which holds the eyes best (Thaler et al. 2013)."""
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
    width = look.size_px[0]
    return (Layer(pixels, (width - side) // 2, stimulus_top(look, 0) - side // 2),)


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
    size, weight, lines = _text_lines(look, screen.text, room)
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    font = look.font(size, weight)
    first = middle - (len(lines) - 1) / 2 * LINE_HEIGHT * size
    for number, line in enumerate(lines):
        at = (centre, first + number * LINE_HEIGHT * size)
        draw.text(at, line, fill=look.strong, font=font, anchor="mm")
    above = middle - look.px(0.115)
    caption = look.font(look.hint_px)
    draw.text((centre, above), screen.caption, fill=look.quiet, font=caption, anchor="mm")
    return look.layers(canvas)


def _text_lines(look: Look, text: str, room_px: float) -> tuple[int, Weight, list[str]]:
    """Return size, weight and lines: letters as large as three lines allow, words kept whole."""
    if len(text) == 1:
        return look.px(0.15), "bold", [text]
    size = look.px(0.04)
    while size > look.px(SMALLEST_SHARE) and not _fits(look, text, size, room_px):
        size -= 1
    return size, "bold", _wrapped(look, text, size, room_px)


def _fits(look: Look, text: str, size: int, room_px: float) -> bool:
    lines = _wrapped(look, text, size, room_px)
    font = look.font(size, "bold")
    return len(lines) <= MOST_LINES and all(font.getlength(line) <= room_px for line in lines)


def _wrapped(look: Look, text: str, size: int, room_px: float) -> list[str]:
    font = look.font(size, "bold")
    smallest = size <= look.px(SMALLEST_SHARE)
    lines = [""]
    for word in text.split(" "):
        # Only where no smaller letters help: better a hyphen than a word across the image.
        while smallest and font.getlength(word) > room_px:
            fitting = next(
                n for n in range(len(word), 0, -1) if font.getlength(f"{word[:n]}-") <= room_px
            )
            lines += [f"{word[:fitting]}-", ""]
            word = word[fitting:]
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= room_px or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]


def _key_hint(look: Look, stimulus_px: int, hint: KeyHint, *, on_left: bool) -> tuple[Layer, ...]:
    """Draw a key or button and its word at the screen's foot, on its side of the stimulus."""
    width, height = look.size_px
    away = max(look.px(0.30), stimulus_px // 2 - look.px(0.04))
    centre = width // 2 + (-away if on_left else away)
    bottom = stimulus_top(look, stimulus_px) + stimulus_px
    top = bottom + max(0, round(0.42 * (height - bottom) - look.px(0.045)))
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    size = look.hint_px
    cap_width, cap_height = cap_size(look, hint.cap, size)
    if hint.button is not None:
        cap_width, cap_height = mouse_size(cap_height)
    font = look.font(look.body_px)
    gap = look.px(0.016)
    total = cap_width + gap + font.getlength(hint.word)
    left = round(centre - total / 2)
    if hint.button is None:
        draw_cap(look, draw, hint.cap, left, top, size)
    else:
        draw_mouse(look, canvas, hint.button, (left, top), cap_height)
    at = (left + cap_width + gap, top + cap_height / 2)
    draw.text(at, hint.word, fill=look.text, font=font, anchor="lm")
    return look.layers(canvas)

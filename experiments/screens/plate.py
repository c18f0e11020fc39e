"""The trial's screens: fixation, and a plate with its solution."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
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
"""Letters of a solution's words, as a share of the screen's height."""

Button = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class KeyHint:
    """What a key or a mouse button does.

    Attributes
    ----------
    word
        The decision's word.
    cap
        What the key bears; empty for a button.
    button
        Which button; None for a key.
    """

    word: str
    cap: str = ""
    button: Button | None = None


@dataclass(frozen=True, slots=True)
class PlateScreen:
    """What stands around a plate.

    Attributes
    ----------
    solution
        The digit, or the word for no solution.
    caption
        What stands above it.
    left, right
        What the keys on either side do; None leaves them out.
    """

    solution: str
    caption: str
    left: KeyHint | None = None
    right: KeyHint | None = None


def outlined(plate: Pixels, contour: NDArray[np.uint8] | None) -> Pixels:
    """Return a plate's picture under a contour.

    Parameters
    ----------
    plate
        uint8 (size, size, 3).
    contour
        uint8 (size, size, 4), RGBA with straight alpha; None for a plate without.
    """
    if contour is None:
        return plate
    cover = contour[..., 3:].astype(np.float64) / 255
    mixed = plate * (1 - cover) + contour[..., :3] * cover
    return np.rint(mixed).astype(np.uint8)


def plate_layers(look: Look, plate: Pixels, screen: PlateScreen) -> tuple[Layer, ...]:
    """Return a plate in the middle, its solution beside it, the keys at its foot."""
    return (_plate_layer(look, plate), *surrounding_layers(look, len(plate), screen))


def surrounding_layers(look: Look, plate_px: int, screen: PlateScreen) -> tuple[Layer, ...]:
    """Return what stands around a plate of that diameter, without the plate."""
    layers = [*_solution(look, plate_px, screen)]
    for hint, on_left in ((screen.left, True), (screen.right, False)):
        if hint is not None:
            layers += _key_hint(look, plate_px, hint, on_left=on_left)
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
    return (Layer(pixels, (width - side) // 2, plate_top(look, 0) - side // 2),)


def plate_top(look: Look, plate_px: int) -> int:
    """Return where a plate's top goes: its centre lies a little above the screen's."""
    return round(0.465 * look.size_px[1]) - plate_px // 2


def _plate_layer(look: Look, plate: Pixels) -> Layer:
    side = len(plate)
    return Layer(plate, (look.size_px[0] - side) // 2, plate_top(look, side))


def _solution(look: Look, plate_px: int, screen: PlateScreen) -> tuple[Layer, ...]:
    """Draw caption and solution halfway between the plate's edge and the screen's."""
    width = look.size_px[0]
    edge = (width + plate_px) / 2
    centre = edge + min((width - edge) / 2, look.px(0.21))
    middle = plate_top(look, plate_px) + plate_px / 2
    room = 2 * min(centre - edge, width - centre) * 0.92
    size, weight, lines = _solution_lines(look, screen.solution, room)
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


def _solution_lines(look: Look, solution: str, room_px: float) -> tuple[int, Weight, list[str]]:
    """Return size, weight and lines: as large as three lines allow, words kept whole."""
    if len(solution) == 1:
        return look.px(0.15), "bold", [solution]
    size = look.px(0.04)
    while size > look.px(SMALLEST_SHARE) and not _fits(look, solution, size, room_px):
        size -= 1
    return size, "bold", _wrapped(look, solution, size, room_px)


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


def _key_hint(look: Look, plate_px: int, hint: KeyHint, *, on_left: bool) -> tuple[Layer, ...]:
    """Draw a key or button and its word at the screen's foot, on its side of the plate."""
    width, height = look.size_px
    away = max(look.px(0.30), plate_px // 2 - look.px(0.04))
    centre = width // 2 + (-away if on_left else away)
    bottom = plate_top(look, plate_px) + plate_px
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

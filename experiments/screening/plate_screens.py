"""Screens with one plate: with arrows around it, or a question below it."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Pixels
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.screens.trial import stimulus_top
from stimuli.screening.gap_plates import GAPS, Gap

ARROW: Final = 0.05
"""Side of an arrow, as a share of the screen's height."""
AWAY: Final = 0.055
"""From the plate's edge to an arrow's middle."""
CLICKED: Final = 0.11
"""Side of the square around an arrow in which a click counts."""
SUPERSAMPLING: Final = 4
SHAPE: Final = ((0.30, 0.08), (0.92, 0.50), (0.30, 0.92))
"""Corners of an arrow that points right, as shares of its side."""
QUARTERS: Final[Mapping[Gap, int]] = {"right": 0, "up": 1, "left": 2, "down": 3}
QUESTION: Final = 0.935
"""Row of what is asked below a plate, as a share of the screen's height."""
ACROSS, DOWN = {"right": 1, "left": -1}, {"down": 1, "up": -1}


def arrow_areas(look: Look, plate_px: int) -> dict[str, Area]:
    """Return where a click says where the gap is, by the arrow key that says the same."""
    half = look.px(CLICKED) // 2
    centres = _centres(look, plate_px)
    return {gap: (x - half, y - half, x + half, y + half) for gap, (x, y) in centres.items()}


def arrow_layers(look: Look, plate_px: int) -> tuple[Layer, ...]:
    """Return four arrows around a plate of that size."""
    side = look.px(ARROW)
    fine = side * SUPERSAMPLING
    picture = Image.new("RGB", (fine, fine), look.background)
    corners = [(round(x * fine), round(y * fine)) for x, y in SHAPE]
    ImageDraw.Draw(picture).polygon(corners, fill=look.quiet)
    right = np.asarray(picture.resize((side, side), Image.Resampling.LANCZOS))
    return tuple(
        Layer(np.ascontiguousarray(np.rot90(right, QUARTERS[gap])), x - side // 2, y - side // 2)
        for gap, (x, y) in _centres(look, plate_px).items()
    )


def plate_layer(look: Look, plate: Pixels) -> Layer:
    """Return a plate in its place."""
    side = len(plate)
    return Layer(plate, (look.size_px[0] - side) // 2, stimulus_top(look, side))


def line_layers(look: Look, words: Sequence[str]) -> tuple[Layer, ...]:
    """Return words at the screen's foot: the first in the middle, the second at the end."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    width, height = look.size_px
    row = QUESTION * height
    body, hint = look.font(look.body_px), look.font(look.hint_px)
    draw.text((width / 2, row), words[0], fill=look.text, font=body, anchor="mm")
    if len(words) > 1:
        at = (width - look.px(0.05), row)
        draw.text(at, words[1], fill=look.quiet, font=hint, anchor="rm")
    return look.layers(canvas)


def _centres(look: Look, plate_px: int) -> dict[Gap, tuple[int, int]]:
    away = plate_px // 2 + look.px(AWAY)
    x, y = look.size_px[0] // 2, stimulus_top(look, plate_px) + plate_px // 2
    return {gap: (x + ACROSS.get(gap, 0) * away, y + DOWN.get(gap, 0) * away) for gap in GAPS}

"""A sheet of photographs with the maps of every method laid over them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from xai_backend.explain.overlay import overlay

SIDE_PX, GAP_PX, HEAD_PX, FOOT_PX = 152, 6, 26, 20
GROUND, INK = (250, 250, 250), (40, 40, 40)
Row = tuple[NDArray[np.uint8], str, Sequence[NDArray[np.float32]]]
"""RGB codes (H, W, 3), the class that is explained, and maps (H, W)."""


def draw_sheet(headings: Sequence[str], rows: Sequence[Row]) -> Image.Image:
    """Return a picture with a row a photograph: the photograph, then its maps."""
    step_x, step_y = SIDE_PX + GAP_PX, SIDE_PX + FOOT_PX
    size = (GAP_PX + step_x * len(headings), HEAD_PX + step_y * len(rows))
    sheet = Image.new("RGB", size, GROUND)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=13)
    for column, heading in enumerate(headings):
        place = (GAP_PX + column * step_x, 6)
        draw.text(place, heading.replace("_", " "), INK, font)
    for number, (codes, label, maps) in enumerate(rows):
        top = HEAD_PX + number * step_y
        draw.text((GAP_PX, top + SIDE_PX + 2), label, INK, font)
        cells = [codes, *(overlay(codes, values) for values in maps)]
        for column, cell in enumerate(cells):
            small = Image.fromarray(cell).resize((SIDE_PX, SIDE_PX), Image.Resampling.LANCZOS)
            sheet.paste(small, (GAP_PX + column * step_x, top))
    return sheet

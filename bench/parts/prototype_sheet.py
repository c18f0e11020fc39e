"""A picture of all prototypes, each framed in the training picture that it comes from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from xai_backend.protopnet.trained import Prototype, Trained

SIDE_PX, GAP_PX, LABEL_PX, FRAME_PX = 112, 8, 90, 2
GROUND, INK, FRAME = (250, 250, 250), (40, 40, 40), (224, 138, 30)
TEXT_PX = 15
PALE = 0.5
"""Share of the ground in what is beside a prototype's part."""


def prototype_sheet(trained: Trained) -> Image.Image:
    """Return a sheet with a row a class: its prototypes, framed where they come from."""
    by_class: dict[int, list[NDArray[np.uint8]]] = {}
    for prototype in trained.prototypes:
        by_class.setdefault(prototype.label, []).append(framed(prototype))
    return rows_of_pictures([(trained.classes[label], row) for label, row in by_class.items()])


def framed(prototype: Prototype) -> NDArray[np.uint8]:
    """Return a prototype's picture at the sheet's size: its part framed, the rest pale."""
    side = prototype.picture.shape[0]
    whole = Image.fromarray(prototype.picture).resize((SIDE_PX, SIDE_PX), Image.Resampling.BICUBIC)
    top, left, bottom, right = (round(edge * SIDE_PX / side) for edge in prototype.box)
    shown = Image.blend(whole, Image.new("RGB", whole.size, GROUND), PALE)
    shown.paste(whole.crop((left, top, right, bottom)), (left, top))
    ImageDraw.Draw(shown).rectangle(
        (left, top, right - 1, bottom - 1), outline=FRAME, width=FRAME_PX
    )
    return np.asarray(shown)


def rows_of_pictures(rows: Sequence[tuple[str, Sequence[NDArray[np.uint8]]]]) -> Image.Image:
    """Return a sheet with a row a label: the label, then its pictures, each at one size."""
    step = SIDE_PX + GAP_PX
    most = max(len(pictures) for _, pictures in rows)
    sheet = Image.new("RGB", (LABEL_PX + most * step, GAP_PX + len(rows) * step), GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=TEXT_PX)
    for number, (label, pictures) in enumerate(rows):
        top = GAP_PX + number * step
        draw.text((GAP_PX, top + SIDE_PX // 2), label, INK, font, anchor="lm")
        for column, picture in enumerate(pictures):
            shown = Image.fromarray(picture).resize((SIDE_PX, SIDE_PX), Image.Resampling.BICUBIC)
            sheet.paste(shown, (LABEL_PX + column * step, top))
    return sheet

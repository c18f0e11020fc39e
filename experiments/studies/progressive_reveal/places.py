"""The layout and screens of naming an image: the image, the answer field, the table of classes.

The screens show the image as it is uncovered, what is beside it, and the end of the round.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.screens.answer_field import Box, FieldSizes
from experiments.screens.look import Look, shortened
from experiments.screens.parts import draw_progress
from experiments.screens.trial import stimulus_top
from stimuli.errors import UserError

MARGIN: Final = 0.04
GAP: Final = 0.032
"""Gap between the image and the parts beside it."""
TABLE_GAP: Final = 0.08
"""The same for the table of names, which has a ragged edge, if there is room."""
COLUMN_GAP: Final = 0.024
TABLE_HEIGHT: Final = 0.73
"""Height of the table, centred on the image, clear of the photodiode's patch."""
PITCH: Final = 0.052
LEAST_PITCH: Final = 1.35
"""Least distance between rows, as a multiple of the letters' size."""
MOST_COLUMNS: Final = 3
LEAST_LETTERS: Final = 7
"""Least width of a column in letters, approximately, unless its names are shorter."""
FIELD_MIDDLE: Final = 0.26
PROTOTYPE_SHARE: Final = 0.20
PROTOTYPE_BOTTOM: Final = 0.91
CAPTION: Final = 0.065
SMALLEST_SHARE = 0.025
"""Smallest letters of a long name, as a share of the screen's height."""
WIDEST = 0.9
"""Largest width of a name, as a share of the screen's width."""


@dataclass(frozen=True, slots=True)
class RoundPlaces:
    """The places of a round's screen, mirrored if lines begin on the right.

    Attributes
    ----------
    image
        A square in the middle.
    field
        The answer field beside it, with its messages above and its suggestions below.
    prototype
        A square below the suggestions, with room for a caption above.
    tables
        The columns of the table of classes on the other side, in the order of reading.
    rows
        Rows of the table.
    """

    image: Box
    field: Box
    prototype: Box
    tables: tuple[Box, ...]
    rows: int

    @classmethod
    def of(cls, look: Look, image_px: int, names: Sequence[str], most: int) -> "RoundPlaces":
        """Return the places.

        Parameters
        ----------
        look
            Look of the screens.
        image_px
            Side of the image.
        names
            Names of the classes, in the order of reading.
        most
            Number of suggestions that are shown.

        Raises
        ------
        UserError
            If the table doesn't fit beside the image.
        """
        width = look.size_px[0]
        image = Box((width - image_px) // 2, stimulus_top(look, image_px), image_px, image_px)
        room_px = image.left_px - look.px(MARGIN) - look.px(GAP)
        tables, rows = _tables(look, names, image, room_px)
        field = _field(look, image, room_px, most)
        places = cls(image, field, _prototype(look, field), tables, rows)
        return places._mirrored(width) if look.right_to_left else places

    def _mirrored(self, width_px: int) -> "RoundPlaces":
        return replace(
            self,
            field=_turned(self.field, width_px),
            prototype=_turned(self.prototype, width_px),
            tables=tuple(_turned(box, width_px) for box in self.tables),
        )


def columns_of(names: Sequence[str], columns: int, rows: int) -> list[Sequence[str]]:
    """Return the names of each column of a table, filled one after another."""
    return [names[place * rows : (place + 1) * rows] for place in range(columns)]


def _tables(
    look: Look, names: Sequence[str], image: Box, room_px: int
) -> tuple[tuple[Box, ...], int]:
    """Return the fewest possible columns of the table, near the image, and the number of rows."""
    height_px = look.px(TABLE_HEIGHT)
    most_rows = int(height_px // (LEAST_PITCH * look.hint_px))
    columns = max(1, math.ceil(len(names) / most_rows))
    rows = max(1, math.ceil(len(names) / columns))
    widths = _widths(look, columns_of(names, columns, rows), room_px)
    if columns > MOST_COLUMNS or widths is None:
        raise UserError(
            f"class table: {len(names)} classes don't fit beside the image on a screen of "
            f"{look.size_px[0]}×{look.size_px[1]} pixels; show fewer classes, or the image smaller"
        )
    pitch_px = min(look.px(PITCH), height_px // rows)
    top = stimulus_top(look, rows * pitch_px)
    wide_px = sum(widths) + (columns - 1) * look.px(COLUMN_GAP)
    lefts = [max(look.px(MARGIN), image.left_px - look.px(TABLE_GAP) - wide_px)]
    for width_px in widths[:-1]:
        lefts.append(lefts[-1] + width_px + look.px(COLUMN_GAP))
    boxes = zip(lefts, widths, strict=True)
    return tuple(Box(left, top, width_px, rows * pitch_px) for left, width_px in boxes), rows


def _widths(look: Look, columns: Sequence[Sequence[str]], room_px: int) -> list[int] | None:
    """Return the columns' widths, the widest ones narrowed to fit; None if they can't fit."""
    font = look.font(look.hint_px)
    wanted = [math.ceil(max(map(font.getlength, names), default=1)) for names in columns]
    room_px -= (len(columns) - 1) * look.px(COLUMN_GAP)
    limit_px = max(wanted)
    while sum(min(width_px, limit_px) for width_px in wanted) > room_px:
        limit_px -= 1
    least_px = 0.56 * LEAST_LETTERS * look.hint_px
    enough = limit_px >= min(max(wanted), least_px)
    return [min(width_px, limit_px) for width_px in wanted] if enough else None


def _field(look: Look, image: Box, width_px: int, most: int) -> Box:
    sizes = FieldSizes.of(look, most)
    top = look.px(FIELD_MIDDLE) - sizes.line_px // 2 - sizes.message_px
    left = image.left_px + image.width_px + look.px(GAP)
    return Box(left, top, width_px, sizes.height_px)


def _prototype(look: Look, field: Box) -> Box:
    bottom = look.px(PROTOTYPE_BOTTOM)
    top_least = field.top_px + field.height_px + look.px(CAPTION)
    side_px = max(1, min(look.px(PROTOTYPE_SHARE), bottom - top_least, field.width_px))
    return Box(field.left_px, bottom - side_px, side_px, side_px)


def _turned(box: Box, width_px: int) -> Box:
    return replace(box, left_px=width_px - box.left_px - box.width_px)


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """Texts below the whole image.

    Attributes
    ----------
    sign
        Sign before the words; empty for none.
    words
        The right name.
    share, caption
        Progress of the session.
    """

    sign: str
    words: str
    share: float
    caption: str


def image_layers(places: RoundPlaces, pixels: Pixels) -> Layers:
    """Return an image in its place; each of its pixels fills a square of screen pixels."""
    box = places.image
    scale = box.width_px // len(pixels)
    return (Layer(np.ascontiguousarray(pixels), box.left_px, box.top_px, scale),)


def revealed_layers(look: Look, places: RoundPlaces, whole: Pixels, end: RoundEnd) -> Layers:
    """Return a whole image with its name and the progress below it."""
    canvas, draw = look.drawing()
    box = places.image
    foot = box.top_px + box.height_px
    below = look.size_px[1] - foot
    _draw_name(look, draw, end, round(foot + 0.25 * below))
    bar = round(foot + 0.46 * below)
    draw_progress(look, draw, end.share, end.caption, (box.left_px, bar), box.width_px)
    return (*image_layers(places, whole), *look.layers(canvas))


def _draw_name(look: Look, draw: ImageDraw.ImageDraw, end: RoundEnd, middle_px: int) -> None:
    words = f"{end.sign} {end.words}".strip()
    size = look.px(0.04)
    smallest, widest = look.px(SMALLEST_SHARE), WIDEST * look.size_px[0]
    while size > smallest and look.font(size, "bold").getlength(words) > widest:
        size -= 1
    font = look.font(size, "bold")
    at = (look.size_px[0] / 2, middle_px)
    draw.text(at, shortened(words, font, widest), fill=look.strong, font=font, anchor="mm")


def window_layers(places: RoundPlaces, pixels: Pixels) -> Layers:
    """Return a step of the small window beside the image; it may be smaller than the image."""
    box = places.prototype
    side = (box.width_px, box.height_px)
    small = Image.fromarray(pixels).resize(side, Image.Resampling.BOX)
    return (Layer(np.asarray(small), box.left_px, box.top_px),)


def caption_layers(look: Look, places: RoundPlaces, caption: str) -> Layers:
    """Return the caption above the part beside the image."""
    canvas = look.canvas()
    box = places.prototype
    left, anchor = (box.left_px + box.width_px, "rm") if look.right_to_left else (box.left_px, "lm")
    at, font = (left, box.top_px - look.px(0.028)), look.font(look.hint_px)
    ImageDraw.Draw(canvas).text(at, caption, fill=look.quiet, font=font, anchor=anchor)
    return look.layers(canvas)


def prototype_layers(look: Look, places: RoundPlaces, prototype: Pixels, caption: str) -> Layers:
    """Return a prototype in its place beside the image, with a caption above it."""
    box = places.prototype
    scale = min(box.width_px / prototype.shape[1], box.height_px / prototype.shape[0])
    width, height = (max(1, round(side * scale)) for side in prototype.shape[1::-1])
    enlarged = Image.fromarray(prototype).resize((width, height), Image.Resampling.LANCZOS)
    left_px = box.left_px + (box.width_px - width if look.right_to_left else 0)
    layer = Layer(np.asarray(enlarged), left_px, box.top_px)
    return (layer, *caption_layers(look, places, caption))

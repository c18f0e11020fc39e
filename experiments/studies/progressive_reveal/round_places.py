"""Where everything lies while an image is named: image, answer field, table of classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from experiments.screens.answer_field import FieldSizes
from experiments.screens.look import Look
from experiments.screens.trial import stimulus_top
from stimuli.errors import UserError

MARGIN: Final = 0.04
GAP: Final = 0.032
"""Between the image and what stands beside it."""
TABLE_GAP: Final = 0.08
"""The same of names, which end raggedly, where there is room."""
COLUMN_GAP: Final = 0.024
TABLE_HEIGHT: Final = 0.73
"""About the image's middle, and clear of the photodiode's patch."""
PITCH: Final = 0.052
LEAST_PITCH: Final = 1.35
"""Of the letters' size."""
MOST_COLUMNS: Final = 3
LEAST_LETTERS: Final = 7
"""A column is at least about so many letters wide, unless its names are shorter."""
FIELD_MIDDLE: Final = 0.26
PROTOTYPE_SHARE: Final = 0.20
PROTOTYPE_BOTTOM: Final = 0.91
CAPTION: Final = 0.065


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the screen, from its top left corner."""

    left_px: int
    top_px: int
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class RoundPlaces:
    """The places of a round's screen; where lines begin on the right it is mirrored.

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
            Of the screens.
        image_px
            Side of the image.
        names
            Of the classes, in the order of reading.
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
    """Return the columns of the table, near the image, and their rows: as few columns as can be."""
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
    """Return the columns' widths, the widest ones narrowed to what there is; None if too much."""
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

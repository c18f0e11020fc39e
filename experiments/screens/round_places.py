"""Where everything lies while an image is named: image, answer field, table of classes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from experiments.screens.answer_field import FieldSizes
from experiments.screens.look import Look
from stimuli.errors import UserError

MARGIN: Final = 0.06
TABLE_MARGIN: Final = 0.10
"""Above and below the table, beside the photodiode's patch."""
GAP: Final = 0.045
PITCH: Final = 0.054
LEAST_PITCH: Final = 1.35
"""Of the letters' size."""
MOST_COLUMNS: Final = 3
LEAST_LETTERS: Final = 9
"""A column is at least about so many letters wide."""
CENTRE_SHARE: Final = 0.38
"""Of the screen's width: what the table leaves to the image and the field, at least."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the screen, from its top left corner."""

    left_px: int
    top_px: int
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True)
class RoundPlaces:
    """The places of a round's screen.

    Attributes
    ----------
    image
        A square in the middle, its side even.
    field
        The answer field with its messages above and its suggestions below.
    tables
        The columns of the table of classes, half of them on either side; in the order of
        reading.
    rows
        Rows of each column.
    """

    image: Box
    field: Box
    tables: tuple[Box, ...]
    rows: int

    @classmethod
    def of(
        cls, look: Look, image_px: int, names: Sequence[str], messages: Sequence[str], most: int
    ) -> "RoundPlaces":
        """Return the places.

        Parameters
        ----------
        look
            Of the screens.
        image_px
            Wanted side of the image; it is made smaller where there is less room.
        names, messages
            Of the classes; what the field may say.
        most
            Number of suggestions that are shown.

        Raises
        ------
        UserError
            If the table doesn't fit on the screen.
        """
        width, height = look.size_px
        sizes = FieldSizes.of(look, most)
        image_px = min(image_px, height - 2 * look.px(MARGIN) - sizes.height_px)
        image_px = 2 * (image_px // 2)
        wanted_px = max(image_px, sizes.width_for(look, names, messages))
        centre_px = min(wanted_px, max(image_px, round(CENTRE_SHARE * width)))
        columns, rows = _shape(look, len(names))
        column_px = _column_px(look, names, columns, centre_px)
        side_px = columns * column_px + (columns - 1) * look.px(GAP)
        inner_px = width - 2 * (look.px(MARGIN) + side_px + look.px(GAP))
        field_px = max(centre_px, min(wanted_px, inner_px))
        top = (height - image_px - sizes.height_px) // 2
        image = Box((width - image_px) // 2, top, image_px, image_px)
        field = Box((width - field_px) // 2, top + image_px, field_px, sizes.height_px)
        return cls(image, field, _tables(look, columns, rows, column_px), rows)


def _shape(look: Look, names: int) -> tuple[int, int]:
    """Return the columns of each side, and their rows."""
    room_px = look.size_px[1] - 2 * look.px(TABLE_MARGIN)
    for columns in range(1, MOST_COLUMNS + 1):
        rows = math.ceil(names / (2 * columns))
        if rows * LEAST_PITCH * look.hint_px <= room_px:
            return columns, rows
    raise UserError(
        f"class table: {names} classes don't fit on a screen of {look.size_px[0]}×"
        f"{look.size_px[1]} pixels; name fewer in the protocol's [images]"
    )


def _column_px(look: Look, names: Sequence[str], columns: int, centre_px: int) -> int:
    font = look.font(look.hint_px)
    longest_px = math.ceil(max((font.getlength(name) for name in names), default=0))
    room_px = (look.size_px[0] - centre_px) // 2 - look.px(MARGIN) - look.px(GAP)
    room_px = (room_px - (columns - 1) * look.px(GAP)) // columns
    if room_px < min(longest_px, LEAST_LETTERS * look.hint_px):
        raise UserError(
            f"class table: {len(names)} classes don't fit beside the image on a screen of "
            f"{look.size_px[0]}×{look.size_px[1]} pixels; show the image smaller or fewer classes"
        )
    return min(longest_px, room_px)


def _tables(look: Look, columns: int, rows: int, column_px: int) -> tuple[Box, ...]:
    width, height = look.size_px
    room_px = height - 2 * look.px(TABLE_MARGIN)
    pitch_px = min(look.px(PITCH), room_px // max(1, rows))
    top = (height - rows * pitch_px) // 2
    step_px = column_px + look.px(GAP)
    left = [look.px(MARGIN) + place * step_px for place in range(columns)]
    right = [width - look.px(MARGIN) - column_px - place * step_px for place in range(columns)]
    lefts = [*left, *reversed(right)]
    ordered = lefts[::-1] if look.right_to_left else lefts
    return tuple(Box(at, top, column_px, rows * pitch_px) for at in ordered)

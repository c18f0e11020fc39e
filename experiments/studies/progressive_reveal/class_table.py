"""The table of classes beside an image: all names that may be answered."""

from collections.abc import Sequence

from PIL import ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.fonts import shortened
from experiments.screens.look import Look
from experiments.studies.progressive_reveal.round_places import RoundPlaces, columns_of


def class_table_layers(look: Look, places: RoundPlaces, names: Sequence[str]) -> tuple[Layer, ...]:
    """Return the table; its columns are filled one after another.

    Parameters
    ----------
    look, places
        Of the screen.
    names
        Of the classes, in the order in which they are read.
    """
    font = look.font(look.hint_px)
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    columns = columns_of(names, len(places.tables), places.rows)
    for box, column in zip(places.tables, columns, strict=True):
        pitch_px = box.height_px / places.rows
        left, anchor = box.left_px, "ls"
        if look.right_to_left:
            left, anchor = box.left_px + box.width_px, "rs"
        for row, name in enumerate(column):
            baseline = box.top_px + row * pitch_px + (pitch_px + 0.72 * look.hint_px) / 2
            text = shortened(name, font, box.width_px)
            draw.text((left, baseline), text, fill=look.text, font=font, anchor=anchor)
    return look.layers(canvas)

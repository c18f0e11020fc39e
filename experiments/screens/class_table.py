"""The table of classes beside an image: all names that may be answered."""

from collections.abc import Sequence

from PIL import ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.fonts import shortened
from experiments.screens.look import Look
from experiments.screens.round_places import RoundPlaces


def class_table_layers(look: Look, places: RoundPlaces, names: Sequence[str]) -> tuple[Layer, ...]:
    """Return the table; columns are filled one after another, as evenly as can be.

    Parameters
    ----------
    look, places
        Of the screen.
    names
        Of the classes, in the order in which they are read.
    """
    font = look.font(look.hint_px)
    layers: list[Layer] = []
    share, more = divmod(len(names), len(places.tables))
    first = 0
    for number, box in enumerate(places.tables):
        end = first + share + (number < more)
        canvas = look.canvas()
        draw = ImageDraw.Draw(canvas)
        pitch_px = box.height_px / places.rows
        for row, name in enumerate(names[first:end]):
            baseline = box.top_px + row * pitch_px + (pitch_px + 0.72 * look.hint_px) / 2
            left = box.left_px + (box.width_px if look.right_to_left else 0)
            draw.text(
                (left, baseline), shortened(name, font, box.width_px), fill=look.text, font=font,
                anchor="rs" if look.right_to_left else "ls",
            )  # fmt: skip
        layers += look.layers(canvas)
        first = end
    return tuple(layers)

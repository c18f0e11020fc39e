"""Notes on a practice screen: what each part of it is."""

from dataclasses import dataclass
from typing import Final, Literal

from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.headed import SMALLEST
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.human_ai_team.places import Places

MOST_LINES: Final = 3
PAD: Final = 0.010
PAD_ASIDE: Final = 0.016
POINTER: Final = 0.012
SPREAD: Final = 0.02
"""A note may be so much wider than its part, on either side."""

Points = Literal["up", "sides"]


@dataclass(frozen=True, slots=True)
class Notes:
    """What is said of the parts of a screen; what is empty is left out.

    Attributes
    ----------
    heading, image, help, keys
        Of what stands above, of the image, of what stands beside it, of the keys.
    """

    heading: str = ""
    image: str = ""
    help: str = ""
    keys: str = ""


def notes_layers(look: Look, places: Places, notes: Notes) -> Layers:
    """Return all notes, each at its part."""
    layers: list = []
    if notes.heading:
        layers += note_layers(look, notes.heading, places.note, 1)
    for words, part in ((notes.image, places.image), (notes.help, places.help)):
        if words and part is not None:
            layers += note_layers(look, words, _below(look, places, part))
    if notes.keys:
        layers += note_layers(look, notes.keys, places.keys.between(look), 2, "sides")
    return tuple(layers)


def _below(look: Look, places: Places, part: Area) -> Area:
    spread = look.px(SPREAD)
    top = places.image[3]
    return part[0] - spread, top, part[2] + spread, look.px(places.rows.notes_bottom)


def note_layers(
    look: Look, words: str, room: Area, lines: int = MOST_LINES, points: Points = "up"
) -> Layers:
    """Return a box with words, at the top of its room, and what points to its part.

    Parameters
    ----------
    look, words
        What is drawn.
    room
        Where; the box is as narrow as its words, in the middle.
    lines
        How many there may be.
    points
        Whether its part lies above, or parts lie on both sides.
    """
    pointer = look.px(POINTER)
    inside = room[2] - room[0] - 2 * look.px(PAD_ASIDE) - (2 * pointer if points == "sides" else 0)
    text = fitted(look, words, Room(inside, lines, look.hint_px, look.px(SMALLEST)))
    box = _box(look, text, room, points)
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    draw.rounded_rectangle(
        box, radius=look.px(0.008), fill=look.surface, outline=look.line, width=look.px(0.0015)
    )
    left, top, right, bottom = box
    centre, middle = (left + right) / 2, (top + bottom) / 2
    if points == "up":
        _triangle(draw, look, (centre, top), (0, -pointer))
    else:
        _triangle(draw, look, (left, middle), (-pointer, 0))
        _triangle(draw, look, (right, middle), (pointer, 0))
    draw_fitted(look, draw, text, centre, middle, look.text)
    return look.layers(canvas)


def _box(look: Look, text: FittedText, room: Area, points: Points) -> tuple[float, ...]:
    wide = max(text.font(look).getlength(line) for line in text.lines)
    wide += 2 * look.px(PAD_ASIDE)
    centre = (room[0] + room[2]) / 2
    top = room[1] + (look.px(POINTER) + look.px(0.006) if points == "up" else 0)
    return centre - wide / 2, top, centre + wide / 2, top + text.height_px + look.px(PAD)


def _triangle(
    draw: ImageDraw.ImageDraw, look: Look, at: tuple[float, float], to: tuple[float, float]
) -> None:
    """Draw a tip from a box's side outwards."""
    (x, y), (right, down) = at, to
    base = ((x - down, y - right), (x + down, y + right))
    draw.polygon((*base, (x + right, y + down)), fill=look.line)

"""The screen of a judgement: what the AI says, the image, help beside it, keys."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ImageDraw

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.screens.fitting import Room, draw_fitted, fitted
from experiments.screens.headed import SMALLEST, heading_layers, keys_layers
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.screens.text_panel import PAD
from experiments.screens.trial import KeyHint
from experiments.studies.human_ai_team.places import Places
from experiments.studies.human_ai_team.words_fit import CAPTION_GAP, caption_fitted

TICK = 0.010


@dataclass(frozen=True, slots=True)
class AskedWords:
    """What is read above the image, and what the keys do.

    Attributes
    ----------
    statement
        What is said of the image: the label, and how sure the AI is.
    question
        Whether that is right.
    left, right
        What the keys on either side do.
    """

    statement: str
    question: str
    left: KeyHint
    right: KeyHint


def image_layer(area: Area, pixels: Pixels) -> Layer:
    """Return a picture at its place."""
    return Layer(pixels, area[0], area[1])


def asking_layers(look: Look, places: Places, words: AskedWords) -> Layers:
    """Return all that stands around the image, its help apart."""
    return (
        *heading_layers(look, places.heading, words.statement, words.question),
        *keys_layers(look, places.keys, words.left, words.right),
    )


def caption_layers(look: Look, places: Places, caption: str) -> Layers:
    """Return the help's caption right above it."""
    assert places.help is not None
    left, top, right, _ = places.help
    canvas = look.canvas()
    text = caption_fitted(look, places, caption)
    middle = top - look.px(CAPTION_GAP) - text.height_px / 2
    pictures_end = places.parts[0][2] if places.scale is not None else right
    centre = (left + pictures_end) / 2
    draw_fitted(look, ImageDraw.Draw(canvas), text, centre, middle, look.text)
    return look.layers(canvas)


def scale_layers(look: Look, area: Area, pixels: Pixels, numbers: Sequence[str]) -> Layers:
    """Return the scale beside a heatmap, with numbers from its top to its foot.

    Parameters
    ----------
    look, area
        Of the screens; where the bar lies.
    pixels
        Of the bar.
    numbers
        From the top on, at equal distances.
    """
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    left, top, right, bottom = area
    away = -1 if look.right_to_left else 1
    edge = left - 1 if look.right_to_left else right
    for number, text in enumerate(numbers):
        at = top + (bottom - 1 - top) * number / (len(numbers) - 1)
        draw.line((edge, at, edge + away * look.px(TICK), at), fill=look.text, width=look.px(0.002))
        anchor = ("r" if look.right_to_left else "l") + "m"
        beside = edge + away * look.px(2 * TICK)
        font = look.font(look.hint_px)
        # The outer ones stand within the bar's height.
        shift = (0.5 - number / (len(numbers) - 1)) * 0.7 * look.hint_px
        draw.text((beside, at + shift), text, fill=look.text, font=font, anchor=anchor)
    return (*look.layers(canvas), Layer(pixels, left, top))


def place_held_layers(look: Look, places: Places, words: str) -> Layers:
    """Return the empty place of a help that comes later, in it words on how it comes."""
    assert places.help is not None
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    left, top, right, bottom = places.help
    if places.scale is not None:
        left, _, right, _ = places.parts[0]
    draw.rounded_rectangle(
        (left, top, right - 1, bottom - 1),
        radius=look.px(0.012),
        outline=look.line,
        width=look.px(0.002),
    )
    centre, middle = (left + right) / 2, (top + bottom) / 2
    width = right - left - 2 * look.px(PAD)
    text = fitted(look, words, Room(width, 3, look.body_px, look.px(SMALLEST)))
    draw_fitted(look, draw, text, centre, middle, look.text)
    return look.layers(canvas)

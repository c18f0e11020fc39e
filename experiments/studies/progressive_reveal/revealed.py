"""The screens of an image that is uncovered: the image, what stands beside it, its end."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.picture import Layer, Layers, Pixels
from experiments.screens.fonts import shortened
from experiments.screens.look import Look
from experiments.screens.parts import draw_progress
from experiments.studies.progressive_reveal.round_places import RoundPlaces

SMALLEST_SHARE = 0.025
"""Letters of a long name, as a share of the screen's height."""
WIDEST = 0.9
"""Of the screen's width."""


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """What stands under the whole image.

    Attributes
    ----------
    sign
        Before the words; empty for none.
    words
        The right name.
    share, caption
        How far the session is.
    """

    sign: str
    words: str
    share: float
    caption: str


def image_layers(places: RoundPlaces, pixels: Pixels) -> Layers:
    """Return an image in its place, each of its pixels a square of the screen's."""
    box = places.image
    scale = box.width_px // len(pixels)
    return (Layer(np.ascontiguousarray(pixels), box.left_px, box.top_px, scale),)


def revealed_layers(look: Look, places: RoundPlaces, whole: Pixels, end: RoundEnd) -> Layers:
    """Return a whole image with its name, and how many rounds are done, under it."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
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
    """Return the caption above what stands beside the image."""
    canvas = look.canvas()
    box = places.prototype
    left, anchor = (box.left_px + box.width_px, "rm") if look.right_to_left else (box.left_px, "lm")
    at, font = (left, box.top_px - look.px(0.028)), look.font(look.hint_px)
    ImageDraw.Draw(canvas).text(at, caption, fill=look.quiet, font=font, anchor=anchor)
    return look.layers(canvas)


def prototype_layers(look: Look, places: RoundPlaces, prototype: Pixels, caption: str) -> Layers:
    """Return a prototype in its place beside the image, a caption above it."""
    box = places.prototype
    scale = min(box.width_px / prototype.shape[1], box.height_px / prototype.shape[0])
    width, height = (max(1, round(side * scale)) for side in prototype.shape[1::-1])
    enlarged = Image.fromarray(prototype).resize((width, height), Image.Resampling.LANCZOS)
    left_px = box.left_px + (box.width_px - width if look.right_to_left else 0)
    layer = Layer(np.asarray(enlarged), left_px, box.top_px)
    return (layer, *caption_layers(look, places, caption))

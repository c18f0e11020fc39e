"""What stands below an overlay: class, probability, method, and what the colours mean."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from stimuli.typeface import Weight, font_file
from xai_backend.explain.legend import FOR_AND_AGAINST, Entry

Codes = NDArray[np.uint8]

LEAST_PX = 224
"""Minimum width of a captioned picture, pixels: lines of text need this room."""
INK, SOFT, PAPER = (28, 28, 28), (95, 95, 95), (255, 255, 255)
MARGIN, GAP = 0.025, 0.012
"""Shares of the width: around the text, and between lines."""
LARGE, SMALL = 0.038, 0.031
LEAST_LARGE_PX, LEAST_SMALL_PX = 13, 11
"""Sizes of the type: shares of the width, and the smallest legible sizes."""
SHORT = "…"


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said of an overlay.

    Attributes
    ----------
    label
        The class that is explained.
    probability
        That the network gives it, in words.
    method
        What explains.
    image
        The photograph's name.
    legend
        What the colours mean.
    """

    label: str
    probability: str
    method: str
    image: str
    legend: tuple[Entry, ...] = FOR_AND_AGAINST


def captioned(picture: Codes, caption: Caption) -> Codes:
    """Return a picture with its caption below it, on white.

    Parameters
    ----------
    picture
        RGB codes, uint8 (H, W, 3). One that is narrower than `LEAST_PX` is enlarged by a whole
        factor; others are left as they are.
    caption
        Lines that are too long are cut.

    Returns
    -------
    uint8 (H + h, W, 3)
        ``h`` depends on the width and the legend only, so that pictures of one size stay so.
    """
    times = -(-LEAST_PX // picture.shape[1])
    enlarged = picture.repeat(times, axis=0).repeat(times, axis=1)
    return np.concatenate([enlarged, _strip(enlarged.shape[1], caption)])


def _strip(width: int, caption: Caption) -> Codes:
    """Return two lines of text and the legend, uint8 (h, width, 3)."""
    margin, gap = round(MARGIN * width), round(GAP * width)
    large, small = _sizes(width)
    bold, plain, note = _font(large, "bold"), _font(large, "regular"), _font(small, "regular")
    legend = _legend(width, caption.legend)
    second = margin + large + gap
    text_height = second + small + 2 * gap
    strip = Image.new("RGB", (width, text_height), PAPER)
    draw = ImageDraw.Draw(strip)
    share_px = plain.getlength(caption.probability)
    room = width - 2 * margin
    draw.text((width - margin - share_px, margin + large), caption.probability, INK, plain, "ls")
    label = _shortened(caption.label, bold, room - share_px - margin)
    draw.text((margin, margin + large), label, INK, bold, "ls")
    note_text = _shortened(f"{caption.method} · {caption.image}", note, room)
    draw.text((margin, second + small), note_text, SOFT, note, "ls")
    return np.concatenate([np.asarray(strip), legend])


@lru_cache(maxsize=8)
def _legend(width: int, entries: tuple[Entry, ...]) -> Codes:
    """Return the legend in as many lines as it needs, uint8 (h, width, 3)."""
    margin, gap = round(MARGIN * width), round(GAP * width)
    size = _sizes(width)[1]
    font = _font(size, "regular")
    places: list[tuple[int, int, Entry]] = []
    left, line = margin, 0
    for entry in entries:
        own = round(1.5 * size + font.getlength(entry.words))
        if left > margin and left + own > width - margin:
            left, line = margin, line + 1
        places.append((left, line, entry))
        left += own + size
    pitch = size + 2 * gap
    strip = Image.new("RGB", (width, (line + 1) * pitch + margin), PAPER)
    draw = ImageDraw.Draw(strip)
    for left, line, entry in places:
        foot = line * pitch + gap + size
        draw.rectangle((left, foot - size + 1, left + size - 1, foot), entry.colour)
        draw.text((left + 1.5 * size, foot), entry.words, INK, font, "ls")
    return np.asarray(strip)


def _sizes(width: int) -> tuple[int, int]:
    """Return the two sizes of the type, pixels."""
    return max(LEAST_LARGE_PX, round(LARGE * width)), max(LEAST_SMALL_PX, round(SMALL * width))


@lru_cache(maxsize=8)
def _font(size_px: int, weight: Weight) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(font_file(weight)), size_px)


def _shortened(text: str, font: ImageFont.FreeTypeFont, room_px: float) -> str:
    """Return a text, cut and marked where it is wider than there is room."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + SHORT) > room_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + SHORT

"""A map laid over its image, with a caption and a legend of its colours.

The caption is below the image: class, probability, method, and the legend.
"""

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from stimuli.typeface import Weight, font_file

FOR = np.array([255.0, 150.0, 30.0])
AGAINST = np.array([60.0, 140.0, 255.0])
BOTH = np.array([235.0, 105.0, 215.0])
"""Orange and blue differ for every colour vision, and in lightness from grey. Pink marks places
where both are close together."""

SMOOTHING = 1 / 112
"""Standard deviation, as a share of the side. Maps of gradients change their sign from pixel to
pixel; without smoothing, their colours would mix to one."""
REACH = 4
"""The Gaussian is cut off at this many standard deviations."""
QUANTILE = 0.995
"""Quantile of the strength that is shown at full opacity, so that a few extreme pixels don't hide
the rest."""
DIMMED = 0.55
"""Lightness of the grey image below, so that the colours stand out."""
STRENGTH = 0.85
"""Opacity of full relevance: the image stays visible through it."""
COMPRESSION = 1
"""Compression level of PNG files, 0…9. The usual 6 takes five times as long for files that are a
tenth smaller."""

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]


def overlay(codes: Codes, relevance: NDArray[np.float32]) -> Codes:
    """Return an image with evidence for the class in orange and evidence against it in blue.

    Opacity shows how much relevance of either sign there is around a pixel; the colour shows how
    far one sign prevails.

    Parameters
    ----------
    codes
        RGB codes (H, W, 3).
    relevance
        (h, w), any range, of the whole image; enlarged to its size. Zero is clear; opacity
        grows in proportion to the strength and is full at its ``QUANTILE``.

    Returns
    -------
    uint8 (H, W, 3)
    """
    grey = np.asarray(Image.fromarray(codes).convert("L"), dtype=np.float32)
    strength, balance = (_fitted(part, grey.shape) for part in strength_and_balance(relevance))
    opacity = STRENGTH * strength
    ground = DIMMED * grey * (1 - opacity)
    # Shaded by the image, so that its outlines show where colour is strong.
    shaded = opacity * (0.5 + grey / (2 * 255))
    prevails = np.abs(balance)
    shares = np.stack([np.where(balance > 0, prevails, 0), np.where(balance > 0, 0, prevails)])
    overlaid = np.empty(codes.shape, np.uint8)
    for channel, (evidence_for, other, both) in enumerate(zip(FOR, AGAINST, BOTH, strict=True)):
        colour = evidence_for * shares[0] + other * shares[1] + both * (1 - prevails)
        overlaid[..., channel] = np.rint(ground + shaded * colour)
    return overlaid


def strength_and_balance(relevance: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return how much relevance is around each pixel, 0…1, and which sign prevails, −1…1.

    Strength is the smoothed |relevance|, divided by its ``QUANTILE`` and cut at 1; balance
    is the smoothed relevance as a share of that.
    """
    plain = relevance.astype(np.float64)
    spread = SMOOTHING * min(relevance.shape)
    size, net = smoothed(np.abs(plain), spread), smoothed(plain, spread)
    balance = np.divide(net, size, out=np.zeros_like(net), where=size > 0)
    full = float(np.quantile(size, QUANTILE)) or float(size.max())
    strength = np.clip(size / full, 0, 1) if full > 0 else np.zeros_like(size)
    return strength, np.clip(balance, -1, 1)


def smoothed(values: Floats, spread: float) -> Floats:
    """Return values (h, w) averaged with a Gaussian's weights; borders are continued.

    Written here because importing scipy would take longer than all overlays of a job.

    Parameters
    ----------
    values
        Any.
    spread
        The Gaussian's standard deviation, pixels.
    """
    down, across = (_averages(side, spread) for side in values.shape)
    return down @ values @ across.T


@lru_cache(maxsize=4)
def _averages(side: int, spread: float) -> Floats:
    """Return the matrix (side, side) that averages each place of a row with its neighbours."""
    reach = int(REACH * spread + 0.5)
    steps = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (steps / spread) ** 2)
    places = np.arange(side)[:, None]
    averages = np.zeros((side, side))
    np.add.at(averages, (places, np.clip(places + steps, 0, side - 1)), weights / weights.sum())
    return averages


def png_of(codes: Codes) -> bytes:
    """Return RGB codes (H, W, 3) as a PNG file."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, format="PNG", compress_level=COMPRESSION)
    return stream.getvalue()


def _fitted(values: Floats, shape: tuple[int, ...]) -> NDArray[np.float32]:
    small = values.astype(np.float32)
    if small.shape == shape:
        return small
    size = (shape[1], shape[0])
    return np.asarray(Image.fromarray(small).resize(size, Image.Resampling.BILINEAR))


Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A colour, RGB codes, and what it means."""

    colour: Colour
    words: str


def _entry(colour: NDArray[np.float64], words: str) -> Entry:
    red, green, blue = (round(part) for part in colour.tolist())
    return Entry((red, green, blue), words)


FOR_AND_AGAINST: Final = (
    _entry(FOR, "for the class"),
    _entry(AGAINST, "against it"),
    _entry(BOTH, "both close together"),
)
PEOPLE: Final = (_entry(FOR, "marked by people"),)
"""People's maps show what they marked, and no evidence against a class."""


def for_pages(legend: tuple[Entry, ...]) -> list[tuple[str, str]]:
    """Return a legend's colours, as CSS writes them, and what they mean."""
    return [
        ("#" + "".join(f"{part:02x}" for part in entry.colour), entry.words) for entry in legend
    ]


LEAST_PX = 224
"""Minimum width of a captioned picture, pixels: lines of text need this room."""
INK, SOFT, PAPER = (28, 28, 28), (95, 95, 95), (255, 255, 255)
MARGIN, GAP = 0.025, 0.012
"""Space around the text, and between lines, as shares of the width."""
LARGE, SMALL = 0.038, 0.031
LEAST_LARGE_PX, LEAST_SMALL_PX = 13, 11
"""Sizes of the type: shares of the width, and the smallest legible sizes."""
SHORT = "…"


@dataclass(frozen=True, slots=True)
class Caption:
    """The text below an overlay.

    Attributes
    ----------
    label
        The class that is explained.
    probability
        The network's probability of this class, in words.
    method
        Name of the explanation method.
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
        Lines that are too long are shortened.

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
        entry_px = round(1.5 * size + font.getlength(entry.words))
        if left > margin and left + entry_px > width - margin:
            left, line = margin, line + 1
        places.append((left, line, entry))
        left += entry_px + size
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
    """Return a text; if it is too wide, it is cut and the cut is marked."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + SHORT) > room_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + SHORT

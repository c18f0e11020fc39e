"""The look that all screens share: colours, sizes, margins, and text in the typeface."""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont, features

from experiments.engine.picture import Layer, Pixels
from experiments.engine.window import Rgb, SizePx
from stimuli.languages import ENGLISH
from stimuli.typed_text import signs_of
from stimuli.typeface import Weight, font_file, signs_of_font

ELLIPSIS = "…"
WHOLE = 255
Drawn = tuple[Any, tuple[int, int]]
"""A picture of a text as Pillow has it, and where it begins from the text's place."""

MOST_TEXTS = 8192
"""Number of texts whose lengths a font caches."""
WHITE, BLACK = 244, 0
"""Codes of the lightest and the darkest letters."""
LIGHT_FROM = 140
"""A background with at least this mean code is light, and letters on it are dark."""
RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "ur", "yi"})


class Font(ImageFont.FreeTypeFont):
    """The typeface at a size. It caches text lengths, which typesetting needs again and again.

    Parameters
    ----------
    data
        The typeface's file.
    size_px
        Size of the letters.
    others
        Fonts for the signs that it lacks, by preference.
    """

    def __init__(self, data: bytes, size_px: int, others: Sequence["Font"] = ()) -> None:
        # Raqm shapes right-to-left and joined scripts; without it letters aren't joined.
        engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
        super().__init__(io.BytesIO(data), size_px, layout_engine=engine)
        self._others, self._signs = others, signs_of_font(data)
        self._measured = lru_cache(maxsize=MOST_TEXTS)(self._length)

    def getlength(self, text: str | bytes, *how: Any, **options: Any) -> float:
        """Return a text's length in pixels."""
        return self._measured(text, *how, **options)

    def getmask2(
        self, text: str | bytes, mode: str = "", *_: Any,
        anchor: str | None = None, start: tuple[float, float] | None = None, **options: Any,
    ) -> Drawn:  # fmt: skip
        """Return a picture of a text, and its place; each font draws what it has."""
        runs = self._runs(text)
        if len(runs) == 1 and runs[0][0] is self:
            return super().getmask2(text, mode, anchor=anchor, start=start, **options)
        across, down = anchor or "la"
        rise, drop = self.getmetrics()
        left, baseline = start or (0.0, 0.0)
        left -= {"l": 0.0, "m": 0.5, "r": 1.0}[across] * self.getlength(text)
        baseline += {"s": 0.0, "m": (rise - drop) / 2, "a": float(rise)}[down]
        drawn = []
        for font, run in runs:
            (shift, x), (fall, y) = math.modf(left), math.modf(baseline)
            mask, (right, below) = font.getmask2(run, mode, anchor="ls", start=(shift, fall))
            drawn.append((mask, round(x) + right, round(y) + below))
            left += font.getlength(run)
        return _together(drawn)

    def _length(self, text: str | bytes, *how: Any, **options: Any) -> float:
        runs = self._runs(text)
        if len(runs) == 1 and runs[0][0] is self:
            return super().getlength(text, *how, **options)
        return sum(font.getlength(run) for font, run in runs)

    def _runs(self, text: str | bytes) -> list[tuple["Font", str | bytes]]:
        """Return a text in parts, each with the first font that has its signs."""
        if isinstance(text, bytes) or not self._others or self._signs.issuperset(text):
            return [(self, text)]
        fonts = (self, *self._others)
        runs: list[tuple[Font, str | bytes]] = []
        for font, signs in groupby(signs_of(text), key=lambda sign: _first(fonts, sign)):
            runs.append((font, "".join(signs)))
        return runs


def _first(fonts: Sequence[Font], sign: str) -> Font:
    """Return the first font that has all of a sign, or its first character, or any font."""
    whole = (font for font in fonts if font._signs.issuperset(sign))
    begun = (font for font in fonts if sign[0] in font._signs)
    return next(whole, next(begun, fonts[0]))


def _together(
    drawn: Sequence[tuple[Any, int, int]],
) -> Drawn:
    """Return pictures of texts in one picture, and its place."""
    left, top = min(x for _, x, _ in drawn), min(y for _, _, y in drawn)
    right = max(x + mask.size[0] for mask, x, _ in drawn)
    foot = max(y + mask.size[1] for mask, _, y in drawn)
    canvas = Image.new("L", (max(1, right - left), max(1, foot - top)))
    pen = ImageDraw.Draw(canvas).draw
    for mask, x, y in drawn:
        pen.draw_bitmap((x - left, y - top), mask, WHOLE)
    return canvas.im, (left, top)


@lru_cache(maxsize=64)
def font(size_px: int, weight: Weight = "regular", fonts: tuple[bytes, ...] = ()) -> Font:
    """Return the typeface at a size, with fonts for other signs; UserError if it is missing."""
    others = tuple(Font(data, size_px) for data in fonts)
    return Font(font_file(weight).read_bytes(), size_px, others)


def shortened(text: str, font: Font, width_px: float) -> str:
    """Return a text, cut off with an ellipsis if it is wider than `width_px`."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + ELLIPSIS) > width_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + ELLIPSIS


@dataclass(frozen=True, slots=True)
class Look:
    """Colours and sizes; lengths are proportional to the screen's height.

    Attributes
    ----------
    size_px
        Width and height of the screen.
    background
        The colour between and around a plate's dots, so that a plate has no edge.
    language
        IETF tag of the texts' language; decides on which side lines begin.
    fonts
        A pack's fonts, for signs that the typeface lacks.
    """

    size_px: SizePx
    background: Rgb
    language: str = ENGLISH
    fonts: tuple[bytes, ...] = field(default=(), repr=False)

    @property
    def text(self) -> Rgb:
        """Colour of text."""
        return self._away(0.86)

    @property
    def strong(self) -> Rgb:
        """Colour of headings and emphasis."""
        return self._away(1.0)

    @property
    def quiet(self) -> Rgb:
        """Colour of hints."""
        return self._away(0.58)

    @property
    def line(self) -> Rgb:
        """Colour of frames and rules."""
        return self._away(0.40)

    @property
    def surface(self) -> Rgb:
        """Colour of a filled key or a chosen answer."""
        return self._away(0.12)

    @property
    def body_px(self) -> int:
        """Size of running text."""
        return self.px(0.0325)

    @property
    def heading_px(self) -> int:
        """Size of headings."""
        return self.px(0.050)

    @property
    def subheading_px(self) -> int:
        """Size of lesser headings, questions among them."""
        return self.px(0.040)

    @property
    def hint_px(self) -> int:
        """Size of hints."""
        return self.px(0.026)

    @property
    def column_px(self) -> int:
        """Width of a column of running text: about 65 characters a line."""
        return min(36 * self.body_px, round(0.84 * self.size_px[0]))

    @property
    def right_to_left(self) -> bool:
        """Whether lines begin on the right."""
        return self.language.split("-")[0] in RIGHT_TO_LEFT

    def px(self, share: float) -> int:
        """Return a share of the screen's height in whole pixels, at least 1."""
        return max(1, round(share * self.size_px[1]))

    def font(self, size_px: int, weight: Weight = "regular") -> Font:
        """Return the typeface at a size."""
        return font(size_px, weight, self.fonts)

    def canvas(self) -> Image.Image:
        """Return an empty screen to draw on."""
        return Image.new("RGB", self.size_px, self.background)

    def drawing(self) -> tuple[Image.Image, ImageDraw.ImageDraw]:
        """Return an empty screen, and what draws on it."""
        canvas = self.canvas()
        return canvas, ImageDraw.Draw(canvas)

    def layers(self, canvas: Image.Image) -> tuple[Layer, ...]:
        """Return a drawn screen, cropped to the part that differs from the background."""
        # PIL's difference and bounding box take three times as long.
        drawn: Pixels = np.asarray(canvas)
        high, wide, guns = drawn.shape
        ground = np.array(self.background * wide, dtype=np.uint8)
        differs = drawn.reshape(high, wide * guns) != ground
        (rows,) = differs.any(axis=1).nonzero()
        if not len(rows):
            return ()
        top, bottom = rows[0], rows[-1] + 1
        (places,) = differs[top:bottom].any(axis=0).nonzero()
        left, right = places[0] // guns, places[-1] // guns + 1
        return (Layer(drawn[top:bottom, left:right].copy(), int(left), int(top)),)

    def _away(self, share: float) -> Rgb:
        """Return the background mixed with white, or with black if it is light."""
        far = BLACK if sum(self.background) > 3 * LIGHT_FROM else WHITE
        red, green, blue = (round(code + share * (far - code)) for code in self.background)
        return red, green, blue

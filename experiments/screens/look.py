"""The look that all screens share: colours, sizes, margins, and text in the typeface."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageFont, features

from experiments.engine.picture import Layer, Pixels
from experiments.engine.window import Rgb, SizePx
from stimuli.typeface import Weight, font_file

ELLIPSIS = "…"

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
    file
        File of the typeface.
    size_px
        Size of the letters.
    engine
        Pillow's layout engine.
    """

    def __init__(self, file: Path, size_px: int, engine: ImageFont.Layout) -> None:
        super().__init__(str(file), size_px, layout_engine=engine)
        self._measured = lru_cache(maxsize=MOST_TEXTS)(super().getlength)

    def getlength(self, text: str | bytes, *how: Any, **options: Any) -> float:
        """Return a text's length in pixels."""
        return self._measured(text, *how, **options)


@lru_cache(maxsize=64)
def font(size_px: int, weight: Weight = "regular") -> Font:
    """Return the typeface at a size; UserError if it is missing."""
    # Raqm shapes right-to-left and joined scripts; without it letters aren't joined.
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    return Font(font_file(weight), size_px, engine)


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
    """

    size_px: SizePx
    background: Rgb
    language: str = "en"

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
        return font(size_px, weight)

    def canvas(self) -> Image.Image:
        """Return an empty screen to draw on."""
        return Image.new("RGB", self.size_px, self.background)

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

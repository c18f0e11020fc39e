"""Fonts: the typeface at a size, and what text does in it."""

from functools import lru_cache
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

from PIL import ImageFont, features

from stimuli.typeface import Weight, font_file

ELLIPSIS = "…"

MOST_TEXTS = 8192
"""Texts whose lengths a font remembers."""


class Font(ImageFont.FreeTypeFont):
    """The typeface at a size, which measures a text once: setting text asks again and again.

    Parameters
    ----------
    file
        Of the typeface.
    size_px
        Of its letters.
    engine
        What places them.
    """

    def __init__(self, file: Path, size_px: int, engine: ImageFont.Layout) -> None:
        super().__init__(str(file), size_px, layout_engine=engine)
        self._measured = lru_cache(maxsize=MOST_TEXTS)(super().getlength)

    def getlength(self, text: str | bytes, *how: Any, **options: Any) -> float:
        """Return a text's length in pixels."""
        return self._measured(text, *how, **options)


@lru_cache(maxsize=64)
def font(size_px: int, weight: Weight = "regular") -> Font:
    """Return the typeface at a size; UserError if it is not there."""
    # Raqm shapes right-to-left and joined scripts; without it letters stand one by one.
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    return Font(font_file(weight), size_px, engine)


def runs_leftwards(text: str) -> bool:
    """Return whether a text's letters follow one another from right to left."""
    return any(bidirectional(sign) in ("R", "AL") for sign in text)


def shortened(text: str, font: Font, width_px: float) -> str:
    """Return a text, cut and with an ellipsis where it is wider than that."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + ELLIPSIS) > width_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + ELLIPSIS

"""Fonts: the typeface at a size, and what text does in it."""

from functools import lru_cache
from unicodedata import bidirectional

from PIL import ImageFont, features

from stimuli.typeface import Weight, font_file

ELLIPSIS = "…"

Font = ImageFont.FreeTypeFont


@lru_cache(maxsize=64)
def font(size_px: int, weight: Weight = "regular") -> Font:
    """Return the typeface at a size; UserError if it is not there."""
    # Raqm shapes right-to-left and joined scripts; without it letters stand one by one.
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(font_file(weight)), size_px, layout_engine=engine)


def runs_leftwards(text: str) -> bool:
    """Return whether a text's letters follow one another from right to left."""
    return any(bidirectional(sign) in ("R", "AL") for sign in text)


def shortened(text: str, font: Font, width_px: float) -> str:
    """Return a text, cut and with an ellipsis where it is wider than that."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + ELLIPSIS) > width_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + ELLIPSIS

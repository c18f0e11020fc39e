"""The typeface: DejaVu Sans, which comes with matplotlib, so it is the same on every PC."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from unicodedata import bidirectional

from PIL import ImageFont, features

from stimuli.errors import UserError

FAMILY = "DejaVu Sans"
ELLIPSIS = "…"
FILES = {"regular": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}

Weight = Literal["regular", "bold"]
Font = ImageFont.FreeTypeFont


@lru_cache(maxsize=64)
def font(size_px: int, weight: Weight = "regular") -> Font:
    """Return the typeface at a size; UserError if it is not there."""
    # Raqm shapes right-to-left and joined scripts; without it letters stand one by one.
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(font_file(weight)), size_px, layout_engine=engine)


def font_file(weight: Weight) -> Path:
    """Return the typeface's file; UserError if it is not there."""
    # Found without importing matplotlib, which takes longer than everything here.
    package = find_spec("matplotlib")
    if package is None or not package.submodule_search_locations:
        raise UserError(f"fonts: {FAMILY} comes with matplotlib, which is missing; {_REMEDY}")
    root = Path(package.submodule_search_locations[0])
    path = root / "mpl-data" / "fonts" / "ttf" / FILES[weight]
    if not path.is_file():
        raise UserError(f"fonts: {path} is missing; {_REMEDY}")
    return path


def runs_leftwards(text: str) -> bool:
    """Return whether a text's letters follow one another from right to left."""
    return any(bidirectional(sign) in ("R", "AL") for sign in text)


def shortened(text: str, font: Font, width_px: float) -> str:
    """Return a text, cut and with an ellipsis where it is wider than that."""
    kept = text
    while kept and font.getlength(kept if kept == text else kept.rstrip() + ELLIPSIS) > width_px:
        kept = kept[:-1]
    return kept if kept == text else kept.rstrip() + ELLIPSIS


def missing_signs(text: str) -> str:
    """Return the signs of a text that the typeface can't draw, each once, in order."""
    known = _known_signs()
    return "".join(dict.fromkeys(sign for sign in text if sign.isprintable() and sign not in known))


@lru_cache(maxsize=1)
def _known_signs() -> frozenset[str]:
    from fontTools.ttLib import TTFont

    with TTFont(font_file("regular"), lazy=True) as file:
        return frozenset(chr(code) for code in file.getBestCmap())


_REMEDY = "install the suite's requirements again (lab.py setup)"

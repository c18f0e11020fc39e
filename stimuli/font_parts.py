"""A few signs of a font as a font of their own, of TrueType outlines, which PDFs can hold."""

import io
from collections.abc import Sequence
from typing import Any, Final

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

IN_1970: Final = 2_082_844_800
"""A date of a font, in seconds since 1904: the same font is made each time."""
MOST_OFF: Final = 0.001
"""How far a converted outline may be from the font's, as a share of the letters' size."""


def true_type(data: bytes, signs: Sequence[str], family: str = "Other") -> bytes:
    """Return a font of TrueType outlines that has some signs of a font alone; the same each time.

    Parameters
    ----------
    data
        The font's file, with outlines of either kind; of a collection, its first font.
    signs
        Signs that it has.
    family
        The name of the font that is made.
    """
    font: Any = TTFont(io.BytesIO(data), lazy=True, fontNumber=0)
    em, ascent, descent = font["head"].unitsPerEm, font["hhea"].ascent, font["hhea"].descent
    names = {ord(sign): font.getBestCmap()[ord(sign)] for sign in signs}
    glyphs, order = font.getGlyphSet(), list(dict.fromkeys([".notdef", *names.values()]))
    cubic, outlines = "glyf" not in font, {}
    for name in order:
        drawn, made = DecomposingRecordingPen(glyphs), TTGlyphPen(None)
        glyphs[name].draw(drawn)
        drawn.replay(Cu2QuPen(made, MOST_OFF * em, reverse_direction=cubic))
        outlines[name] = made.glyph()
        outlines[name].recalcBounds(None)
    lefts = {name: getattr(outlines[name], "xMin", 0) for name in order}
    widths = {name: (round(glyphs[name].width), lefts[name]) for name in order}
    build: Any = FontBuilder(em)
    build.setupGlyphOrder(order)
    build.setupCharacterMap(names)
    build.setupGlyf(outlines)
    build.setupHorizontalMetrics(widths)
    build.setupHorizontalHeader(ascent=ascent, descent=descent)
    named = {"familyName": family, "styleName": "Regular", "psName": family.replace(" ", "")}
    build.setupNameTable(named)
    build.setupOS2(sTypoAscender=ascent, sTypoDescender=descent)
    build.setupPost()
    build.font.recalcTimestamp = False
    build.font["head"].created = build.font["head"].modified = IN_1970
    held = io.BytesIO()
    build.save(held)
    return held.getvalue()

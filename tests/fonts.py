"""A font file made here: each of its signs is a square of its own size."""

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

EM = 1000


def made_font(signs, path, *, outlines=True):
    """Write a font that has these signs alone, perhaps without outlines; return its path."""
    names = [".notdef", *(f"sign{number}" for number in range(len(signs)))]
    build = FontBuilder(EM)
    build.setupGlyphOrder(names)
    build.setupCharacterMap({ord(sign): name for sign, name in zip(signs, names[1:], strict=True)})
    build.setupGlyf({name: _square(300 + 40 * number) for number, name in enumerate(names)})
    build.setupHorizontalMetrics(
        {name: (400 + 40 * number, 0) for number, name in enumerate(names)}
    )
    build.setupHorizontalHeader(ascent=800, descent=-200)
    build.setupNameTable({"familyName": "Made", "styleName": "Regular"})
    build.setupOS2(sTypoAscender=800, sTypoDescender=-200)
    build.setupPost()
    if not outlines:
        del build.font["glyf"], build.font["loca"]
    build.save(path)
    return path


def _square(side):
    pen = TTGlyphPen(None)
    corners = [(0, 0), (0, side), (side, side), (side, 0)]
    pen.moveTo(corners[0])
    for corner in corners[1:]:
        pen.lineTo(corner)
    pen.closePath()
    return pen.glyph()

"""A pack's fonts on paper: a PDF takes outlines of TrueType alone, so others are converted.

Signs that DejaVu Sans has are printed in it. Letters aren't joined or turned here: scripts that
need it are refused.
"""

import io
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

from fontTools import unicodedata as scripts
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from reportlab.pdfbase import pdfmetrics, ttfonts

from stimuli.errors import UserError
from stimuli.typeface import JOINED, leftward_script, missing_signs, signs_of_font

OTHER = "Other-"
"""Names of fonts that `use_fonts` gave to reportlab begin with it."""
IN_1970 = 2_082_844_800
"""A date of a font, in seconds since 1904: the same font is made each time."""
MOST_OFF = 0.001
"""How far a converted outline may be from the font's, as a share of the letters' size."""


def use_fonts(fonts: Sequence[bytes], text: str) -> None:
    """Give reportlab the signs of a text that the typeface lacks.

    Parameters
    ----------
    fonts
        A pack's fonts, by preference.
    text
        All that will be printed.

    Raises
    ------
    UserError
        If the text has a script whose letters are joined or run from right to left.
    """
    joined = (scripts.script(sign) for sign in dict.fromkeys(text) if not sign.isascii())
    named = next((scripts.script_name(kind) for kind in joined if kind in JOINED), "")
    if script := named or leftward_script(text):
        raise UserError(
            f"sheets: the script {script} can't be printed here; print these texts from another "
            "program"
        )
    left = missing_signs(text)
    for data in fonts:
        own = [sign for sign in left if sign in signs_of_font(data)]
        left = "".join(sign for sign in left if sign not in own)
        if own:
            made = true_type(data, own)
            name = f"{OTHER}{sha256(made).hexdigest()[:12]}"
            pdfmetrics.registerFont(ttfonts.TTFont(name, io.BytesIO(made)))
            pdfmetrics.registerFontFamily(name, name, name, name, name)


def in_fonts(text: str) -> str:
    """Return a text as reportlab's markup; signs that the typeface lacks name their font."""
    if not missing_signs(text):
        return escape(text)
    return "".join(_marked(text))


def _marked(text: str) -> Iterator[str]:
    names = [name for name in pdfmetrics.getRegisteredFontNames() if name.startswith(OTHER)]
    known = {name: pdfmetrics.getFont(name).face.charToGlyph for name in names}

    def font_of(sign: str) -> str:
        own = missing_signs(sign)
        return next((name for name in names if own and ord(sign) in known[name]), "")

    for name, signs in groupby(text, font_of):
        run = escape("".join(signs))
        yield f'<font name="{name}">{run}</font>' if name else run


def true_type(data: bytes, signs: Sequence[str]) -> bytes:
    """Return a font of TrueType outlines that has some signs of a font alone; the same each time.

    Parameters
    ----------
    data
        The font's file, with outlines of either kind; of a collection, its first font.
    signs
        Signs that it has.
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
    build.setupNameTable({"familyName": "Other", "styleName": "Regular"})
    build.setupOS2(sTypoAscender=ascent, sTypoDescender=descent)
    build.setupPost()
    build.font.recalcTimestamp = False
    build.font["head"].created = build.font["head"].modified = IN_1970
    held = io.BytesIO()
    build.save(held)
    return held.getvalue()

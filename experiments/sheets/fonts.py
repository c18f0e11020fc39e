"""A pack's fonts on paper.

Signs that DejaVu Sans has are printed in it. Letters aren't joined or turned here: scripts that
need it are refused.
"""

import io
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from xml.sax.saxutils import escape

from fontTools import unicodedata as scripts
from reportlab.pdfbase import pdfmetrics, ttfonts

from stimuli.errors import UserError
from stimuli.font_parts import true_type
from stimuli.typeface import FAMILY, JOINED, leftward_script, missing_signs, signs_of_font

OTHER = "Other-"
"""Names of fonts that `use_fonts` gave to reportlab begin with it."""


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
        If the text has a script whose letters are joined or run from right to left, or a sign that
        no font has.
    """
    joined = (scripts.script(sign) for sign in dict.fromkeys(text) if not sign.isascii())
    named = next((scripts.script_name(kind) for kind in joined if kind in JOINED), "")
    if script := named or leftward_script(text):
        raise UserError(
            f"sheets: the script {script} can't be printed here; print these texts from another "
            "program"
        )
    if lacking := missing_signs(text, fonts):
        raise UserError(
            f"sheets: {FAMILY} and the pack's fonts have no sign {lacking[0]!r}; use other "
            "characters, or a pack that has a font with it (docs/scripts.md)"
        )
    left = missing_signs(text)
    for data in fonts:
        signs = [sign for sign in left if sign in signs_of_font(data)]
        left = "".join(sign for sign in left if sign not in signs)
        if signs:
            face = true_type(data, signs)
            name = f"{OTHER}{sha256(face).hexdigest()[:12]}"
            pdfmetrics.registerFont(ttfonts.TTFont(name, io.BytesIO(face)))
            pdfmetrics.registerFontFamily(name, name, name, name, name)


def in_fonts(text: str) -> str:
    """Return a text as reportlab's markup; signs that the typeface lacks name their font."""
    if not missing_signs(text):
        return escape(text)
    return "".join(_marked(text))


def _marked(text: str) -> Iterator[str]:
    for name, signs in runs_of(text):
        run = escape(signs)
        yield f'<font name="{name}">{run}</font>' if name else run


def runs_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text, each with the name of its font; none for the typeface."""
    names = [name for name in pdfmetrics.getRegisteredFontNames() if name.startswith(OTHER)]
    known = {name: pdfmetrics.getFont(name).face.charToGlyph for name in names}

    def font_of(sign: str) -> str:
        lacking = missing_signs(sign)
        return next((name for name in names if lacking and ord(sign) in known[name]), "")

    for name, signs in groupby(text, font_of):
        yield name, "".join(signs)

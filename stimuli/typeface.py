"""The typeface: DejaVu Sans, which comes with matplotlib, so it is the same on every PC.

Signs that it lacks come from the font files that a protocol names (``fonts``), which its packs
contain. A font's signs are known, but a script also needs its letters joined, its direction and its
breaks of lines: `unset_script` names a script that screens can't set.
"""

import io
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from stimuli.errors import UserError
from stimuli.io.given_files import read_bytes

Weight = Literal["regular", "bold"]
FAMILY: Final = "DejaVu Sans"
FILES: Final[dict[Weight, str]] = {"regular": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}
_REMEDY: Final = "install the suite's requirements again (python3 lab.py setup)"
OUTLINES: Final = ("glyf", "CFF ", "CFF2")
"""Tables of which a font has one, unless its signs are pictures."""
SIZE_OF_PICTURES: Final = 109
"""The size at which fonts of pictures can be opened."""
WITHOUT_BLANKS: Final = frozenset({"Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Lana", "Talu", "Java"})
"""Scripts without blanks between words, whose lines need a dictionary to break."""
JOINED: Final = frozenset(
    {"Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh", "Arab", "Syrc",
     "Nkoo", "Mong", "Thaa"}
)  # fmt: skip
"""Scripts whose letters change beside others, which only Raqm draws."""


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


def read_font(name: str) -> bytes:
    """Return a font file that a protocol names: a path, or the name of one of the PC's fonts.

    Raises
    ------
    UserError
        If there is none, it is no font, or its signs are pictures.
    """
    from fontTools.ttLib import TTLibError
    from PIL import ImageFont

    path = Path(name).expanduser()
    try:
        if not path.is_file():
            path = Path(str(ImageFont.truetype(name, SIZE_OF_PICTURES).path))
        data = read_bytes(path)
        signs = signs_of_font(data)
    except (OSError, TTLibError):
        raise UserError(
            f"fonts: {name}: is neither a font file nor the name of one on this PC"
        ) from None
    if not signs:
        raise UserError(f"fonts: {name}: its signs are pictures; take a font with outlines")
    return data


@lru_cache(maxsize=8)
def signs_of_font(data: bytes) -> frozenset[str]:
    """Return the signs that a font file draws by outlines; of a collection, its first font's."""
    from fontTools.ttLib import TTFont

    with TTFont(io.BytesIO(data), lazy=True, fontNumber=0) as file:
        if not any(table in file for table in OUTLINES):
            return frozenset()
        return frozenset(map(chr, file.getBestCmap() or {}))


def missing_signs(text: str, fonts: Sequence[bytes] = ()) -> str:
    """Return the signs of a text that neither typeface nor fonts can draw, each once, in order.

    Screens have regular and bold letters, so a sign must be in both files of the typeface.
    """
    unknown = (set(text) - _known_signs()).difference(*map(signs_of_font, fonts))
    return "".join(sign for sign in dict.fromkeys(text) if sign in unknown and sign.isprintable())


def unset_script(text: str) -> str:
    """Return why screens can't set a text, by its script's name; empty if they can."""
    from fontTools import unicodedata as scripts
    from PIL import features

    for sign in dict.fromkeys(text):
        script = "" if sign.isascii() else scripts.script(sign)
        named = f"the script {scripts.script_name(script, '')}"
        if script in WITHOUT_BLANKS:
            return f"{named} has no blanks between words, so that lines can't be broken"
        joins = script in JOINED or scripts.script_horizontal_direction(script, "LTR") == "RTL"
        if joins and not features.check("raqm"):
            return f"{named} needs Raqm, which Pillow doesn't find on this PC (FriBiDi is missing)"
    return ""


def leftward_script(text: str) -> str:
    """Return the name of a text's script that is written from right to left; may be empty."""
    from fontTools import unicodedata as scripts

    kinds = map(scripts.script, text)
    return next((scripts.script_name(kind) for kind in kinds
                 if scripts.script_horizontal_direction(kind, "LTR") == "RTL"), "")  # fmt: skip


def mixed_signs(text: str) -> str:
    """Return why a text from right to left can't be set with a pack's fonts; may be empty."""
    other = missing_signs(text)
    if not other or not leftward_script(text):
        return ""
    return f"a text from right to left can't have signs of other fonts, as {other[0]!r}"


@lru_cache(maxsize=1)
def _known_signs() -> frozenset[str]:
    return frozenset.intersection(
        *(signs_of_font(font_file(weight).read_bytes()) for weight in FILES)
    )

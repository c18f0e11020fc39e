"""Text that people type or read: what can be shown, its direction, and where it may be cut.

A sign that a reader sees may be several characters: a letter with marks, a flag of two letters, an
emoji with a skin tone, or several emoji that a joiner makes one (Unicode Standard Annex 29).
"""

import unicodedata
from typing import Literal

Direction = Literal["ltr", "rtl"]
ZERO_WIDTH_JOINER = "\u200d"
JOINERS = frozenset({"\u200c", ZERO_WIDTH_JOINER, *map(chr, range(0xE0020, 0xE0080))})
"""Invisible characters that are part of a sign: joiners, and the tags of regional flags."""
SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
IDEOGRAPHS = (
    "\u2e80-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff"
)
"""Signs of Chinese and Japanese, as a class of regular expressions: no blanks are between words."""
FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))


def without_unprintable(text: str) -> str:
    """Return a text without characters that show nothing, and without those that turn its order."""
    return "".join(sign for sign in text if sign.isprintable() or sign in JOINERS)


def runs_leftwards(text: str) -> bool:
    """Return whether a text is written from right to left."""
    return any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)


def direction_of(text: str) -> Direction | None:
    """Return the direction of a text that has words from right to left; None if it has none.

    The first letter with a direction decides (Unicode Standard Annex 9, rule P2).
    """
    if not runs_leftwards(text):
        return None
    kinds = (unicodedata.bidirectional(sign) for sign in text)
    return "ltr" if next(kind for kind in kinds if kind in ("L", "R", "AL")) == "L" else "rtl"


def signs_of(text: str) -> list[str]:
    """Return the signs that a reader sees, in order; together they are the text."""
    signs: list[str] = []
    for character in text:
        if signs and _belongs_to(signs[-1], character):
            signs[-1] += character
        else:
            signs.append(character)
    return signs


def fitting(text: str, longest: int) -> str:
    """Return as many whole signs from a text's beginning as have this number of characters."""
    kept = ""
    for sign in signs_of(text):
        if len(kept) + len(sign) > longest:
            break
        kept += sign
    return kept


def _belongs_to(sign: str, character: str) -> bool:
    is_flag = sign in FLAG_LETTERS and character in FLAG_LETTERS
    is_mark = character in JOINERS | SKIN_TONES or unicodedata.category(character)[0] == "M"
    return is_flag or is_mark or sign.endswith(ZERO_WIDTH_JOINER)

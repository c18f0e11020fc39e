"""Where a text's lines may end: at blanks, and where a text has none, by Unicode's rules."""

import re
from functools import lru_cache
from typing import Final

from stimuli.typed_text import IDEOGRAPHS

WITHOUT_BLANKS: Final = re.compile(f"[{IDEOGRAPHS}]")
Atom = tuple[str, str]
"""What comes before an unbreakable part on its line (a blank, or nothing), and the part."""


@lru_cache(maxsize=1024)
def atoms_of(text: str) -> tuple[Atom, ...]:
    """Return a text's unbreakable parts: words, and within Chinese and Japanese mostly signs.

    Qt breaks these by Unicode Standard Annex 14: no line begins with a closing sign.
    """
    return tuple(
        (" " if place == 0 else "", part)
        for word in text.split(" ")
        for place, part in enumerate(_parts(word))
    )


def _parts(word: str) -> list[str]:
    if not WITHOUT_BLANKS.search(word):
        return [word]
    from PyQt6.QtCore import QTextBoundaryFinder

    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Line, word)
    coded, parts, begin = word.encode("utf-16-le"), [], 0
    while (end := 2 * finder.toNextBoundary()) > 0:  # Qt counts codes of UTF-16
        parts.append(coded[begin:end].decode("utf-16-le"))
        begin = end
    return parts

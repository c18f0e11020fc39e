"""Where the lines of a paragraph end, and text that is as large as its room allows.

To make a text fit, lines are wrapped at whole words, and letters are made smaller.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from PIL import ImageDraw

from experiments.engine.window import Rgb
from experiments.screens.look import Font, Look
from stimuli.typed_text import IDEOGRAPHS, Direction, direction_of
from stimuli.typeface import Weight

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


LEAST_LAST = 0.2
LONELY = 20.0
LINE_HEIGHT = 1.25


def breaks(
    widths: Sequence[float], gaps_px: Sequence[float], width_px: float, *, balanced: bool
) -> list[tuple[int, int]]:
    """Return the words on each line: the fewest possible lines, with the best breaks.

    The best breaks minimize the sum of squared rests of all lines except the last, which should
    not have a single word. In a balanced text the last line counts like the others (after
    Knuth and Plass 1981, for lines that are not stretched).

    Parameters
    ----------
    widths
        Widths of the words, pixels; a word wider than the column gets its own line.
    gaps_px, width_px
        Space before each word within a line, and the column's width.
    balanced
        Whether all lines should be about equally long.

    Returns
    -------
    list of (int, int)
        First word of each line, and the word after its last.
    """
    count = len(widths)
    best: list[tuple[int, float, int]] = [(0, 0.0, count)]
    for first in range(count - 1, -1, -1):
        chosen: tuple[int, float, int] | None = None
        length = -gaps_px[first] if count else 0.0
        for end in range(first + 1, count + 1):
            length += gaps_px[end - 1] + widths[end - 1]
            if length > width_px and end > first + 1:
                break
            lines, cost, _ = best[count - end]
            rest = max(0.0, 1 - length / width_px)
            line_cost = _cost(rest, last=end == count, alone=first == 0, balanced=balanced)
            candidate = (lines + 1, cost + line_cost, end)
            chosen = candidate if chosen is None or candidate[:2] < chosen[:2] else chosen
        assert chosen is not None
        best.append(chosen)
    rows, first = [], 0
    while first < count:
        end = best[count - first][2]
        rows.append((first, end))
        first = end
    return rows


def _cost(rest: float, *, last: bool, alone: bool, balanced: bool) -> float:
    """Return the cost of a line of which a share is left empty."""
    if not last or balanced:
        return rest**2
    return 0.0 if alone else max(0.0, rest - (1 - LEAST_LAST)) ** 2 * LONELY


@dataclass(frozen=True, slots=True)
class FittedText:
    """Lines of a text, and the size of the letters.

    Attributes
    ----------
    lines
        The lines in order; none is empty.
    size_px, weight
        Size and weight of the letters.
    """

    lines: tuple[str, ...]
    size_px: int
    weight: Weight = "regular"

    @property
    def pitch_px(self) -> float:
        """Distance from line to line."""
        return LINE_HEIGHT * self.size_px

    @property
    def height_px(self) -> int:
        """Height of all lines."""
        return round(len(self.lines) * self.pitch_px)

    @property
    def direction(self) -> Direction | None:
        """The direction of its words if some are written from right to left."""
        return direction_of(" ".join(self.lines))

    def font(self, look: Look) -> Font:
        """Return the typeface of its letters."""
        return look.font(self.size_px, self.weight)


@dataclass(frozen=True, slots=True)
class Room:
    """The room for a text.

    Attributes
    ----------
    width_px
        Width of the lines.
    lines
        Largest number of lines; exceeded if no allowed size helps.
    largest_px, smallest_px
        Sizes of the letters. Only at the smallest size is a word that is wider than a line
        hyphenated.
    """

    width_px: float
    lines: int
    largest_px: int
    smallest_px: int

    @classmethod
    def of_size(cls, width_px: float, size_px: int) -> "Room":
        """Return the room for letters of one size, in as many lines as necessary."""
        return cls(width_px, 1, size_px, size_px)


def fitted(
    look: Look,
    text: str,
    room: Room,
    weight: Weight = "regular",
    *,
    balanced: bool = True,
) -> FittedText:
    """Return a text in lines, with letters as large as the room allows.

    Parameters
    ----------
    look, text
        Look of the screens, and the text to set.
    room
        The room for it.
    weight
        Weight of the letters.
    balanced
        Whether lines should be about equally long, as in centred text.
    """
    size_px, width_px = room.largest_px, room.width_px
    while size_px > room.smallest_px and not _fits(text, look.font(size_px, weight), room):
        size_px -= 1
    font = look.font(size_px, weight)
    rows = _wrapped(text, font, width_px, hyphens=size_px <= room.smallest_px)
    if balanced and all(font.getlength(word) <= width_px for _, word in atoms_of(text)):
        rows = balanced_lines(" ".join(text.split()), font, width_px)
    return FittedText(tuple(rows), size_px, weight)


def draw_fitted(
    look: Look,
    draw: ImageDraw.ImageDraw,
    text: FittedText,
    centre_px: float,
    middle_px: float,
    colour: Rgb,
) -> None:
    """Draw lines centred about a position."""
    first_px = middle_px - (len(text.lines) - 1) / 2 * text.pitch_px
    for number, line in enumerate(text.lines):
        at = (centre_px, first_px + number * text.pitch_px)
        font, turned = text.font(look), text.direction
        draw.text(at, line, fill=colour, font=font, anchor="mm", direction=turned)


def _fits(text: str, font: Font, room: Room) -> bool:
    rows = _wrapped(text, font, room.width_px, hyphens=False)
    return len(rows) <= room.lines and all(font.getlength(row) <= room.width_px for row in rows)


def balanced_lines(text: str, font: Font, width_px: float) -> list[str]:
    """Return the fewest possible lines, about equally long."""
    atoms = atoms_of(text)
    widths = [font.getlength(word) for _, word in atoms]
    gaps = [font.getlength(gap) for gap, _ in atoms]
    ends = breaks(widths, gaps, width_px, balanced=True)
    return ["".join(gap + word for gap, word in atoms[first:end]).strip() for first, end in ends]


def _wrapped(text: str, font: Font, width_px: float, *, hyphens: bool) -> list[str]:
    rows = [""]
    for gap, word in atoms_of(text):
        # Only if smaller letters don't help: a hyphen is better than a word that doesn't fit.
        while hyphens and font.getlength(word) > width_px:
            fitting = next(
                n for n in range(len(word), 0, -1) if font.getlength(f"{word[:n]}-") <= width_px
            )
            rows += [f"{word[:fitting]}-", ""]
            word = word[fitting:]
        longer = f"{rows[-1]}{gap}{word}".strip()
        if font.getlength(longer) <= width_px or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(word)
    return [row for row in rows if row]

"""A text as large as the room for it allows: words kept whole, lines wrapped, letters shrunk."""

from dataclasses import dataclass

from PIL import ImageDraw

from experiments.engine.window import Rgb
from experiments.screens.fonts import Font
from experiments.screens.linebreaks import breaks
from experiments.screens.look import Look
from stimuli.typeface import Weight

LINE_HEIGHT = 1.25


@dataclass(frozen=True, slots=True)
class FittedText:
    """Lines of a text, and the size of their letters.

    Attributes
    ----------
    lines
        In order; none is empty.
    size_px, weight
        Of the letters.
    """

    lines: tuple[str, ...]
    size_px: int
    weight: Weight = "regular"

    @property
    def pitch_px(self) -> float:
        """From line to line."""
        return LINE_HEIGHT * self.size_px

    @property
    def height_px(self) -> int:
        """Height of all lines."""
        return round(len(self.lines) * self.pitch_px)

    def font(self, look: Look) -> Font:
        """Return the typeface of its letters."""
        return look.font(self.size_px, self.weight)


@dataclass(frozen=True, slots=True)
class Room:
    """The room for a text.

    Attributes
    ----------
    width_px
        Of the lines.
    lines
        How many there may be. There are more where no allowed size helps.
    largest_px, smallest_px
        Sizes of the letters. Only at the smallest a word that is wider than a line is parted by
        a hyphen.
    """

    width_px: float
    lines: int
    largest_px: int
    smallest_px: int

    @classmethod
    def of_size(cls, width_px: float, size_px: int) -> "Room":
        """Return the room for letters of one size, in a line or in as many as it takes."""
        return cls(width_px, 1, size_px, size_px)


def fitted(
    look: Look,
    text: str,
    room: Room,
    weight: Weight = "regular",
    *,
    balanced: bool = True,
) -> FittedText:
    """Return a text in lines, with letters as large as so many lines allow.

    Parameters
    ----------
    look, text
        What is set.
    room
        Where it goes.
    weight
        Of the letters.
    balanced
        Whether lines should be about equally long, as of text that is centred.
    """
    size_px, width_px = room.largest_px, room.width_px
    while size_px > room.smallest_px and not _fits(text, look.font(size_px, weight), room):
        size_px -= 1
    font = look.font(size_px, weight)
    rows = _wrapped(text, font, width_px, hyphens=size_px <= room.smallest_px)
    if balanced and all(font.getlength(word) <= width_px for word in text.split(" ")):
        rows = _balanced(text.split(), font, width_px)
    return FittedText(tuple(rows), size_px, weight)


def draw_fitted(
    look: Look,
    draw: ImageDraw.ImageDraw,
    text: FittedText,
    centre_px: float,
    middle_px: float,
    colour: Rgb,
) -> None:
    """Draw lines centred about a place."""
    first_px = middle_px - (len(text.lines) - 1) / 2 * text.pitch_px
    for number, line in enumerate(text.lines):
        at = (centre_px, first_px + number * text.pitch_px)
        draw.text(at, line, fill=colour, font=text.font(look), anchor="mm")


def _fits(text: str, font: Font, room: Room) -> bool:
    rows = _wrapped(text, font, room.width_px, hyphens=False)
    return len(rows) <= room.lines and all(font.getlength(row) <= room.width_px for row in rows)


def _balanced(words: list[str], font: Font, width_px: float) -> list[str]:
    """Return as many lines as there must be, about equally long."""
    widths = [font.getlength(word) for word in words]
    ends = breaks(widths, font.getlength(" "), width_px, balanced=True)
    return [" ".join(words[first:end]) for first, end in ends]


def _wrapped(text: str, font: Font, width_px: float, *, hyphens: bool) -> list[str]:
    rows = [""]
    for word in text.split(" "):
        # Only where no smaller letters help: better a hyphen than a word beyond its room.
        while hyphens and font.getlength(word) > width_px:
            fitting = next(
                n for n in range(len(word), 0, -1) if font.getlength(f"{word[:n]}-") <= width_px
            )
            rows += [f"{word[:fitting]}-", ""]
            word = word[fitting:]
        longer = f"{rows[-1]} {word}".strip()
        if font.getlength(longer) <= width_px or not rows[-1]:
            rows[-1] = longer
        else:
            rows.append(word)
    return [row for row in rows if row]

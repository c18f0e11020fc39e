"""Pieces of a screen: a text at its place, with what lies behind it; blocks of pieces."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import ceil
from typing import Final

from experiments.engine.window import Rgb
from experiments.screens.fonts import font
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.simulatability.colours import Palette
from stimuli.typeface import Weight

LEADINGS: Final = (1.58, 1.48, 1.38)
"""From line to line, as a share of the letters' size: the usual one, and where room is scarce."""
BETWEEN: Final = 0.2
"""Between what lies behind a word and behind the word below it."""
PAD: Final = 0.24


@dataclass(frozen=True, slots=True)
class Piece:
    """A rectangle with, perhaps, a text in its middle. No two pieces of a screen overlap.

    Attributes
    ----------
    area
        Where it lies.
    text, size_px, weight, colour
        What is read in it; nothing where the text is empty.
    ground, outline
        What fills it, and its frame; None for none.
    round_left, round_right
        Whether its corners are rounded there.
    struck
        Whether the text is crossed out.
    """

    area: Area
    text: str = ""
    size_px: int = 0
    weight: Weight = "regular"
    colour: Rgb = (0, 0, 0)
    ground: Rgb | None = None
    outline: Rgb | None = None
    round_left: bool = True
    round_right: bool = True
    struck: bool = False


Pieces = tuple[Piece, ...]


def rectangle(area: Area, ground: Rgb) -> Piece:
    """Return a filled rectangle with square corners and no text."""
    return Piece(area, ground=ground, round_left=False, round_right=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Pieces that stay together on a page, from a top left corner of their own.

    Attributes
    ----------
    pieces, height_px
        What it is made of, and how much room it takes.
    before_px
        Room above it, unless it is the first on its page.
    holds
        Whether it stays with the block after it, as a heading does.
    header
        What stands above it too where a page begins with it, as with a table's row; None for
        nothing.
    """

    pieces: Pieces
    height_px: int
    before_px: int = 0
    holds: bool = False
    header: "Block | None" = None


@dataclass(frozen=True, slots=True)
class Type:
    """How text is set.

    Attributes
    ----------
    look
        Of the screens.
    size_px
        Of the letters.
    palette
        Of weights.
    leading
        From line to line, as a share of the letters' size; room between parts goes with it.
    """

    look: Look
    size_px: int
    palette: Palette = field(default_factory=Palette)
    leading: float = LEADINGS[0]

    @property
    def tile_px(self) -> int:
        """Height of a word with what lies behind it."""
        return self.pitch_px - self.em(BETWEEN)

    @property
    def pitch_px(self) -> int:
        """From line to line."""
        return round(self.leading * self.size_px)

    def room(self, share: float) -> int:
        """Return the room between parts: a share of the letters' size, less where it is scarce."""
        return self.em(share * (self.leading - 1) / (LEADINGS[0] - 1))

    @property
    def space_px(self) -> int:
        """Width of a space."""
        return self.width("\N{NO-BREAK SPACE}")

    def em(self, share: float) -> int:
        """Return a share of the letters' size, at least a pixel."""
        return max(1, round(share * self.size_px))

    def width(self, text: str, weight: Weight = "regular") -> int:
        """Return the width of a text."""
        return _width(text, self.size_px, weight)


@lru_cache(maxsize=8192)
def _width(text: str, size_px: int, weight: Weight) -> int:
    """Return a text's width; a sentence's words are measured often until their lines are found."""
    return ceil(font(size_px, weight).getlength(text))


def moved(pieces: Iterable[Piece], right_px: int, down_px: int) -> Pieces:
    """Return pieces at another place."""
    if not right_px and not down_px:
        return tuple(pieces)
    found = []
    for piece in pieces:
        left, top, right, bottom = piece.area
        area = left + right_px, top + down_px, right + right_px, bottom + down_px
        found.append(replace(piece, area=area))
    return tuple(found)


def mirrored(pieces: Iterable[Piece], width_px: int) -> Pieces:
    """Return pieces as they lie where lines begin on the right."""
    return tuple(
        replace(
            piece,
            area=(width_px - piece.area[2], piece.area[1], width_px - piece.area[0], piece.area[3]),
            round_left=piece.round_right,
            round_right=piece.round_left,
        )
        for piece in pieces
    )


def width_of(pieces: Iterable[Piece]) -> int:
    """Return how far pieces reach to the right."""
    return max((piece.area[2] for piece in pieces), default=0)


def height_of(blocks: Sequence[Block]) -> int:
    """Return the height of blocks below one another."""
    return sum(block.height_px for block in blocks) + sum(block.before_px for block in blocks[1:])


def spaced(blocks: Sequence[Block], before_px: int) -> list[Block]:
    """Return blocks with room above the first."""
    return [replace(block, before_px=before_px) if not at else block
            for at, block in enumerate(blocks)]  # fmt: skip


def holding(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks all of which stay with the one after them."""
    return [replace(block, holds=True) for block in blocks]


def together(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks that stay on one page."""
    return [*holding(blocks[:-1]), *blocks[-1:]]

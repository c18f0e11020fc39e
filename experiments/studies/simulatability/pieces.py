"""Pieces of a screen: a text at its place, with what is behind it; blocks and lines of pieces.

Words in lines are plain, coloured by a weight, framed, or crossed out and replaced. Blue weights
speak for the positive class, orange ones for the negative class. Blue and orange differ for every
kind of colour vision. Text on them is always dark.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final, Literal

from experiments.engine.window import Rgb
from experiments.screens.fitting import atoms_of, breaks
from experiments.screens.look import Look
from experiments.screens.parts import Area
from stimuli.typeface import Weight

FAINTEST: Final = 0.22
"""Share of the full colour that the smallest weight has, mixed with the background."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Codes of the two colours on a display; the defaults are for a display that counts as sRGB.

    Attributes
    ----------
    positive, negative
        Colours behind words with the largest weight; black letters on them have a contrast of
        more than 7:1.
    positive_bar, negative_bar
        Colours of bars, which have no text on them.
    """

    positive: Rgb = (92, 157, 214)
    negative: Rgb = (238, 150, 64)
    positive_bar: Rgb = (36, 102, 173)
    negative_bar: Rgb = (201, 98, 20)

    def tint(self, share: float, ground: Rgb) -> Rgb:
        """Return the colour behind a word or value with a weight.

        Parameters
        ----------
        share
            The weight as a share of the largest one, −1…1; above 0 it supports the positive
            class.
        ground
            Background colour of the screen.
        """
        if share == 0:
            return ground
        colour = self.positive if share > 0 else self.negative
        return mixed(ground, colour, FAINTEST + (1 - FAINTEST) * min(1.0, abs(share)))

    def bar(self, weight: float) -> Rgb:
        """Return the colour of a weight's bar."""
        return self.positive_bar if weight > 0 else self.negative_bar


def mixed(ground: Rgb, colour: Rgb, share: float) -> Rgb:
    """Mix a background with a share of a colour."""
    red, green, blue = (
        round(code + share * (far - code)) for code, far in zip(ground, colour, strict=True)
    )
    return red, green, blue


LEADINGS: Final = (1.58, 1.48, 1.38)
"""Line spacing as a multiple of the letters' size: the usual one, and two for little room."""
BETWEEN: Final = 0.2
"""Gap between the background of a word and that of the word below it."""
PAD: Final = 0.24


@dataclass(frozen=True, slots=True)
class Piece:
    """A rectangle, optionally with a text in its middle. Pieces of a screen don't overlap.

    Attributes
    ----------
    area
        Position and size.
    text, size_px, weight, colour
        The text and its look; an empty text draws nothing.
    ground, outline
        Colours of the filling and the frame; None for none.
    round_left, round_right
        Whether the corners on that side are rounded.
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
    """Pieces that stay together on a page, relative to the block's top left corner.

    Attributes
    ----------
    pieces, height_px
        The block's pieces, and its height.
    before_px
        Room above it, unless it is the first on its page.
    holds
        Whether it stays with the next block, as a heading does.
    header
        Header to repeat above it if a page begins with it, as with a table's row; None for
        none.
    """

    pieces: Pieces
    height_px: int
    before_px: int = 0
    holds: bool = False
    header: "Block | None" = None


@dataclass(frozen=True, slots=True)
class Type:
    """Typography of a text.

    Attributes
    ----------
    look
        Look of the screens.
    size_px
        Size of the letters.
    palette
        Colours of weights.
    leading
        Line spacing as a multiple of the letters' size; room between parts scales with it.
    """

    look: Look
    size_px: int
    palette: Palette = field(default_factory=Palette)
    leading: float = LEADINGS[0]

    @property
    def tile_px(self) -> int:
        """Height of a word with its background."""
        return self.pitch_px - self.em(BETWEEN)

    @property
    def pitch_px(self) -> int:
        """Distance from line to line."""
        return round(self.leading * self.size_px)

    def room(self, share: float) -> int:
        """Return the room between parts: a share of the letters' size, less if room is scarce."""
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
        return ceil(self.look.font(self.size_px, weight).getlength(text))


def moved(pieces: Iterable[Piece], right_px: int, down_px: int) -> Pieces:
    """Return pieces moved to another position."""
    if not right_px and not down_px:
        return tuple(pieces)
    shifted = []
    for piece in pieces:
        left, top, right, bottom = piece.area
        area = left + right_px, top + down_px, right + right_px, bottom + down_px
        shifted.append(replace(piece, area=area))
    return tuple(shifted)


def mirrored(pieces: Iterable[Piece], width_px: int) -> Pieces:
    """Return mirrored pieces, for lines that begin on the right."""
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
    """Return blocks that all stay with the next one."""
    return [replace(block, holds=True) for block in blocks]


def together(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks that stay on one page."""
    return [*holding(blocks[:-1]), *blocks[-1:]]


Tone = Literal["text", "strong", "quiet"]
HYPHEN: Final = "-"
CLOSING: Final = frozenset(",.;:!?)")
"""Characters that no line begins with; the system reads them as separate words."""
ON_ONE_LINE: Final = 1_000_000
"""A width that every phrase fits in."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that belong together: a token, or a table's value.

    Attributes
    ----------
    text, weight, tone
        The text and its look.
    share
        Its weight as a share of the largest one, −1…1, which gives the colour behind it; None
        without a weight.
    number
        The weight as written after the words; may be empty.
    framed
        Whether it has a frame: a rule requires it, or it is new.
    struck
        Whether it is crossed out.
    glued
        Whether there is no line break before it.
    tight
        Whether there is no blank before it.
    """

    text: str
    weight: Weight = "regular"
    tone: Tone = "text"
    share: float | None = None
    number: str = ""
    framed: bool = False
    struck: bool = False
    glued: bool = False
    tight: bool = False

    @property
    def has_tile(self) -> bool:
        """Whether it has a background or a frame."""
        return self.share is not None or self.framed

    @property
    def is_one(self) -> bool:
        """Whether its words stay on one line, if a line has room for them."""
        return self.has_tile or self.struck


def words(text: str, weight: Weight = "regular", tone: Tone = "text") -> list[Phrase]:
    """Return a running text's words."""
    return [Phrase(word, weight, tone, tight=not gap) for gap, word in atoms_of(text) if word]


def lines(type_: Type, phrases: Iterable[Phrase], width_px: int) -> list[Pieces]:
    """Return the lines that phrases fill in a column; each line's top is 0."""
    runs = runs_of(type_, phrases, width_px)
    gaps, widths = [gap for gap, _ in runs], [width_of(run) for _, run in runs]
    return [
        _joined(runs[first:end]) for first, end in breaks(widths, gaps, width_px, balanced=False)
    ]


Run = tuple[int, Pieces]
"""An unbreakable part, with the room before it on its line, in pixels."""


def runs_of(type_: Type, phrases: Iterable[Phrase], width_px: int) -> list[Run]:
    """Return the unbreakable parts of phrases in a column of a width."""
    runs: list[Run] = []
    before = ""
    for phrase in phrases:
        first, *further = _runs(type_, phrase, width_px)
        run = 0 if phrase.tight else type_.space_px, first
        if runs and _stays(before, phrase):
            glued = _joined([runs[-1], run])
            if width_of(glued) <= width_px:
                run = runs.pop()[0], glued
        runs += [run, *((type_.space_px, part) for part in further)]
        before = phrase.text
    return runs


def _stays(before: str, phrase: Phrase) -> bool:
    """Return whether a phrase stays on the line of the text before it."""
    tight = phrase.tight and len(atoms_of(before[-1:] + phrase.text[:1])) == 1
    return tight or phrase.glued or phrase.text in CLOSING


def widths_px(type_: Type, phrases: Sequence[Phrase]) -> tuple[int, int]:
    """Return the widths of phrases: at least (their widest word), and on one line."""
    whole = width_of(_joined(runs_of(type_, phrases, ON_ONE_LINE)))
    words_ = [
        width_of(_tile(type_, replace(phrase, text=word, number="")))
        for phrase in phrases
        for word in phrase.text.split(" ")
    ]
    return max(words_, default=0), whole


def _joined(runs: Sequence[Run]) -> Pieces:
    """Return runs side by side."""
    pieces: list[Piece] = []
    at = 0
    for gap, run in runs:
        at += gap if pieces else 0
        pieces += moved(run, at, 0)
        at += width_of(run)
    return tuple(pieces)


def line_blocks(
    type_: Type, phrases: Iterable[Phrase], width_px: int, *, holds: bool = False
) -> list[Block]:
    """Return lines as blocks, so that a page break may come between any of them."""
    return [Block(line, type_.pitch_px, holds=holds) for line in lines(type_, phrases, width_px)]


def _runs(type_: Type, phrase: Phrase, width_px: int) -> list[Pieces]:
    """Return a phrase in unbreakable parts."""
    whole = _tile(type_, phrase)
    if (phrase.is_one or " " not in phrase.text) and width_of(whole) <= width_px:
        return [whole]
    parts = [
        part for word in phrase.text.split(" ") for part in _parted(type_, phrase, word, width_px)
    ]
    if phrase.is_one:
        parts = _filled(type_, phrase, parts, width_px)
    *first, last = (replace(phrase, text=part, number="") for part in parts)
    numbered = replace(last, number=phrase.number)
    if width_of(_tile(type_, numbered)) <= width_px or not phrase.number:
        return [_tile(type_, part) for part in (*first, numbered)]
    alone = replace(phrase, text=phrase.number, number="", weight="bold", struck=False)
    return [_tile(type_, part) for part in (*first, last, alone)]


def _filled(type_: Type, phrase: Phrase, parts: Sequence[str], width_px: int) -> list[str]:
    """Return words in the fewest parts that each fit on a line."""
    rows: list[str] = []
    for part in parts:
        longer = f"{rows[-1]} {part}" if rows else part
        tile = _tile(type_, replace(phrase, text=longer, number=""))
        if rows and width_of(tile) <= width_px:
            rows[-1] = longer
        else:
            rows.append(part)
    return rows


def _parted(type_: Type, phrase: Phrase, word: str, width_px: int) -> list[str]:
    """Return a word, hyphenated if it is wider than a line."""
    pad = 2 * type_.em(PAD) if phrase.has_tile else 0
    parts = []
    while len(word) > 1 and type_.width(word, phrase.weight) + pad > width_px:
        fitting = [
            count
            for count in range(1, len(word))
            if type_.width(word[:count] + HYPHEN, phrase.weight) + pad <= width_px
        ]
        cut = fitting[-1] if fitting else 1
        parts.append(word[:cut] + HYPHEN)
        word = word[cut:]
    return [*parts, word]


def _tile(type_: Type, phrase: Phrase) -> Pieces:
    """Return a phrase on one line: its words, followed by its number."""
    look = type_.look
    ground = None if phrase.share is None else type_.palette.tint(phrase.share, look.background)
    pad = type_.em(PAD) if phrase.has_tile else 0
    tone = "strong" if phrase.has_tile else phrase.tone
    width = type_.width(phrase.text, phrase.weight) + 2 * pad
    piece = Piece(
        area=(0, 0, width, type_.tile_px),
        text=phrase.text,
        size_px=type_.size_px,
        weight=phrase.weight,
        colour=getattr(look, tone),
        ground=ground,
        outline=look.text if phrase.framed else None,
        struck=phrase.struck,
    )
    if not phrase.number:
        return (piece,)
    end = width + type_.width(phrase.number, "bold") + 2 * pad
    number = replace(
        piece, area=(width, 0, end, type_.tile_px), text=phrase.number, weight="bold",
        round_left=False, struck=False,
    )  # fmt: skip
    return replace(piece, round_right=False), number

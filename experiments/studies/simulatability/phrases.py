"""Words in lines: plain, coloured by a weight, framed, or crossed out and replaced."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from experiments.screens.linebreaks import breaks
from experiments.studies.simulatability.pieces import (
    PAD,
    Block,
    Piece,
    Pieces,
    Type,
    moved,
    width_of,
)
from stimuli.typeface import Weight

Tone = Literal["text", "strong", "quiet"]
HYPHEN: Final = "-"
CLOSING: Final = frozenset(",.;:!?)")
"""Signs that no line begins with; the system reads them as words of their own."""
ON_ONE_LINE: Final = 1_000_000
"""A width that every phrase fits in."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that belong together: a token, or a table's value.

    Attributes
    ----------
    text, weight, tone
        What is read, and how it looks.
    share
        Its weight as a share of the largest one, −1…1, which gives the colour behind it; None
        without a weight.
    number
        The weight as it is written behind the words; may be empty.
    framed
        Whether it has a frame: a rule needs it, or it is new.
    struck
        Whether it is crossed out.
    glued
        Whether no line ends before it.
    """

    text: str
    weight: Weight = "regular"
    tone: Tone = "text"
    share: float | None = None
    number: str = ""
    framed: bool = False
    struck: bool = False
    glued: bool = False

    @property
    def has_tile(self) -> bool:
        """Whether something lies behind it or around it."""
        return self.share is not None or self.framed

    @property
    def is_one(self) -> bool:
        """Whether its words stay on one line, where a line has room for them."""
        return self.has_tile or self.struck


def words(text: str, weight: Weight = "regular", tone: Tone = "text") -> list[Phrase]:
    """Return a running text's words."""
    return [Phrase(word, weight, tone) for word in text.split(" ") if word]


def lines(type_: Type, phrases: Iterable[Phrase], width_px: int) -> list[Pieces]:
    """Return the lines that phrases fill in a column; each line's top is 0."""
    runs = runs_of(type_, phrases, width_px)
    widths = [width_of(run) for run in runs]
    return [
        _joined(type_, runs[first:end])
        for first, end in breaks(widths, type_.space_px, width_px, balanced=False)
    ]


def runs_of(type_: Type, phrases: Iterable[Phrase], width_px: int) -> list[Pieces]:
    """Return the parts of phrases that no line's end divides, in a column of a width."""
    runs: list[Pieces] = []
    for phrase in phrases:
        own = _runs(type_, phrase, width_px)
        if (phrase.glued or phrase.text in CLOSING) and runs:
            glued = _joined(type_, [runs[-1], own[0]])
            if width_of(glued) <= width_px:
                runs[-1:] = [glued]
                own = own[1:]
        runs += own
    return runs


def widths_px(type_: Type, phrases: Sequence[Phrase]) -> tuple[int, int]:
    """Return how wide phrases are: at least, by their widest word, and on one line."""
    parts = [width_of(run) for run in runs_of(type_, phrases, ON_ONE_LINE)]
    words_ = [
        width_of(_tile(type_, replace(phrase, text=word, number="")))
        for phrase in phrases
        for word in phrase.text.split(" ")
    ]
    return max(words_, default=0), sum(parts) + type_.space_px * max(0, len(parts) - 1)


def _joined(type_: Type, runs: Sequence[Pieces]) -> Pieces:
    """Return runs beside one another."""
    pieces: list[Piece] = []
    at = 0
    for run in runs:
        pieces += moved(run, at, 0)
        at += width_of(run) + type_.space_px
    return tuple(pieces)


def line_blocks(
    type_: Type, phrases: Iterable[Phrase], width_px: int, *, holds: bool = False
) -> list[Block]:
    """Return lines as blocks, of which a page takes as many as it has room for."""
    return [Block(line, type_.pitch_px, holds=holds) for line in lines(type_, phrases, width_px)]


def _runs(type_: Type, phrase: Phrase, width_px: int) -> list[Pieces]:
    """Return a phrase in parts that no line's end divides."""
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
    """Return words in as few parts as fit a line each."""
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
    """Return a word, cut by hyphens where it is wider than a line."""
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
    """Return a phrase on one line: its words and, behind them, its number."""
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

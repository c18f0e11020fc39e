"""Weights as bars to either side of a zero line, each with its name and its signed number."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from experiments.studies.simulatability.phrases import Phrase, lines, widths_px, words
from experiments.studies.simulatability.pieces import Block, Piece, Pieces, Type, moved, rectangle

NAME: Final = 0.56
"""A name beside a bar is at most so wide, as a share of the column."""
GAP: Final = 0.7
THICK: Final = 0.62
"""Of a bar, as a share of the letters' size."""
LEAST, MOST = 1.8, 6.5
"""Width of either side of the bars' room, of the letters' size."""
ZERO_PX: Final = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """A number with a name.

    Attributes
    ----------
    name, number
        As they are written.
    weight
        What the bar shows; None for a number without one.
    """

    name: str
    number: str
    weight: float | None


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where names end, where the zero line is, how long a bar is at most, where numbers end."""

    names_px: int
    zero_px: int
    half_px: int
    end_px: int


def bar_blocks(
    type_: Type, bars: Sequence[Bar], width_px: int, largest: float = 0.0
) -> list[Block]:
    """Return numbers below one another, a block each.

    Parameters
    ----------
    type_, bars, width_px
        How they are set, and what.
    largest
        The weight whose bar fills its side; a heavier one of these takes its place.
    """
    columns = _columns(type_, bars, width_px)
    weights = [abs(bar.weight) for bar in bars if bar.weight is not None]
    largest = max([largest, *weights])
    return [_block(type_, bar, columns, largest or 1.0) for bar in bars]


def _columns(type_: Type, bars: Sequence[Bar], width_px: int) -> _Columns:
    gap = type_.em(GAP)
    numbers = max((type_.width(bar.number, "bold") for bar in bars), default=0)
    widest = max((_name_px(type_, bar) for bar in bars if bar.weight is not None), default=0)
    room = width_px - numbers - 2 * gap - ZERO_PX
    names = max(1, min(widest, round(NAME * width_px), room - 2 * type_.em(LEAST)))
    half = max(1, min((room - names) // 2, type_.em(MOST)))
    zero = names + gap + half
    # Numbers without a bar may need more room for their names.
    plain = [_name_px(type_, bar) for bar in bars if bar.weight is None]
    end = max([zero + ZERO_PX + half, *plain]) + gap + numbers
    return _Columns(names, zero, half, min(end, width_px))


def _name_px(type_: Type, bar: Bar) -> int:
    return widths_px(type_, words(bar.name))[1]


def _block(type_: Type, bar: Bar, columns: _Columns, largest: float) -> Block:
    number = type_.width(bar.number, "bold")
    room = columns.end_px - number - type_.em(GAP) if bar.weight is None else columns.names_px
    name = lines(type_, words(bar.name), max(1, room))
    height = len(name) * type_.pitch_px
    pieces: list[Piece] = []
    for at, line in enumerate(name):
        pieces += moved(line, 0, at * type_.pitch_px)
    if bar.weight is not None:
        pieces += _bar(type_, bar.weight / largest, columns, height)
    if bar.number:
        (written,) = lines(type_, [Phrase(bar.number, "bold", "strong")], number)
        pieces += moved(written, columns.end_px - number, (height - type_.pitch_px) // 2)
    return Block(tuple(pieces), height)


def _bar(type_: Type, share: float, columns: _Columns, height_px: int) -> Pieces:
    """Return the zero line, and the bar on its side of it."""
    zero, after = columns.zero_px, columns.zero_px + ZERO_PX
    line = rectangle((zero, 0, after, height_px), type_.look.line)
    length = min(columns.half_px, ceil(columns.half_px * abs(share)))
    if not length:
        return (line,)
    # About the middle of the words, not of the room that the line takes.
    thick = type_.em(THICK)
    top = (height_px - type_.pitch_px + type_.tile_px - thick) // 2
    left, right = (after, after + length) if share > 0 else (zero - length, zero)
    return line, rectangle((left, top, right, top + thick), type_.palette.bar(share))

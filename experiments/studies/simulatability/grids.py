"""Tables: columns as wide as what stands in them, values that wrap, a rule below each row."""

from collections.abc import Sequence
from dataclasses import replace

from experiments.studies.simulatability.phrases import Phrase, lines, widths_px
from experiments.studies.simulatability.pieces import Block, Piece, Type, moved, rectangle

Cell = Sequence[Phrase]
Row = Sequence[Cell]
GAP = 1.1
"""Between columns, of the letters' size."""
RULE = 0.3
"""Room for the rule below a row."""


def grid_blocks(type_: Type, rows: Sequence[Row], width_px: int) -> list[Block]:
    """Return a table, a block a row.

    Parameters
    ----------
    type_
        How it is set.
    rows
        From top to bottom, the header first, which is repeated on each page; all of the same
        number of cells, whose phrases stand beside one another.
    width_px
        Of all columns together at most.
    """
    gap = type_.em(GAP)
    needs = [[widths_px(type_, cell) for cell in column] for column in zip(*rows, strict=True)]
    least = [max(width for width, _ in column) for column in needs]
    whole = [max(width for _, width in column) for column in needs]
    columns = shared_out(least, whole, width_px - gap * (len(whole) - 1))
    across = sum(columns) + gap * (len(columns) - 1)
    header, *below = (
        _row(type_, row, columns, across, header=number == 0) for number, row in enumerate(rows)
    )
    return [header, *(replace(row, header=header) for row in below)]


def shared_out(least_px: Sequence[int], whole_px: Sequence[int], room_px: int) -> list[int]:
    """Return the widths of columns: what they need, or else the widest ones give way.

    Parameters
    ----------
    least_px, whole_px
        Of each column: what its widest word needs, and what it needs without any line's end.
    room_px
        For all of them.
    """
    if sum(whole_px) <= room_px:
        return list(whole_px)
    if sum(least_px) > room_px:
        # No column can keep its words whole: each gets its share.
        return [max(1, room_px * width // sum(least_px)) for width in least_px]
    low, high = 0, max(whole_px)
    while low < high:
        cap = (low + high + 1) // 2
        fits = sum(_capped(least_px, whole_px, cap)) <= room_px
        low, high = (cap, high) if fits else (low, cap - 1)
    return _capped(least_px, whole_px, low)


def _capped(least_px: Sequence[int], whole_px: Sequence[int], cap_px: int) -> list[int]:
    pairs = zip(least_px, whole_px, strict=True)
    return [max(least, min(whole, cap_px)) for least, whole in pairs]


def _row(type_: Type, row: Row, columns: Sequence[int], whole_px: int, *, header: bool) -> Block:
    pieces: list[Piece] = []
    left = deepest = 0
    for cell, width in zip(row, columns, strict=True):
        cell_lines = lines(type_, cell, max(1, width)) if cell else []
        for number, line in enumerate(cell_lines):
            pieces += moved(line, left, number * type_.pitch_px)
        deepest = max(deepest, len(cell_lines))
        left += width + type_.em(GAP)
    rule_top = deepest * type_.pitch_px - (type_.pitch_px - type_.tile_px) + type_.room(RULE / 2)
    colour = type_.look.line if header else type_.look.surface
    thick = max(1, type_.look.px(0.0014))
    rule = rectangle((0, rule_top, whole_px, rule_top + thick), colour)
    return Block((*pieces, rule), rule_top + thick + type_.room(RULE / 2), holds=header)

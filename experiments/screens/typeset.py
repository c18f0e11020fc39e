"""Blocks of text set in lines: wrapped at words, measured, drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import ImageDraw

from experiments.engine.window import Rgb
from experiments.screens.fitting import atoms_of, breaks
from experiments.screens.look import Look
from experiments.screens.markdown import Block, BlockKind, Word
from stimuli.typeface import Weight

LEADING = 1.5
HEADING_LEADING = 1.25
PARAGRAPH_GAP = 0.75
ITEM_GAP = 0.35
LIST_GAP = 0.6
HEADING_GAP = 0.9
INDENT = 1.5
HEADINGS = ("heading", "subheading")


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of text at a position in its line."""

    text: str
    left_px: float
    width_px: float
    weight: Weight


@dataclass(frozen=True, slots=True)
class Line:
    """A typeset line.

    Attributes
    ----------
    pieces
        Its pieces of text, from its start.
    size_px, height_px
        Size of the letters, and of the line with its leading.
    colour
        Colour of the letters.
    before_px
        Space above it, unless it is the first line on a page.
    block
        Number of its block, from 0.
    kind
        Kind of its block.
    """

    pieces: tuple[Placed, ...]
    size_px: int
    height_px: int
    colour: Rgb
    before_px: int
    block: int
    kind: BlockKind


def set_blocks(look: Look, blocks: Sequence[Block], width_px: int) -> list[Line]:
    """Return the lines of some blocks in a column of this width."""
    lines: list[Line] = []
    for number, block in enumerate(blocks):
        lines += _set_block(look, number, block, width_px, lines[-1] if lines else None)
    return lines


def height_of(lines: Sequence[Line]) -> int:
    """Return the total height of lines."""
    gaps = sum(line.before_px for line in lines[1:])
    return gaps + sum(line.height_px for line in lines)


def paginate(lines: Sequence[Line], height_px: int) -> list[list[Line]]:
    """Return the lines in as few pages of this height as possible, about equally full.

    A page ends with a block, but never with a heading or a colon, which announce what follows.
    Only a block higher than a page is split. A list stays on one page if that costs no page.
    """
    ways = [_chunks(lines, height_px, whole_lists=whole) for whole in (True, False)]
    chunks = min(ways, key=lambda chunks: len(_filled(chunks, height_px)))
    pages = _filled(chunks, height_px)
    low, high = height_px // max(1, len(pages)), height_px
    while low < high:
        middle = (low + high) // 2
        if len(_filled(chunks, middle)) <= len(pages):
            high = middle
        else:
            low = middle + 1
    return _filled(chunks, high)


def _chunks(lines: Sequence[Line], height_px: int, *, whole_lists: bool) -> list[list[Line]]:
    """Return the lines in groups that stay together: blocks with the blocks that announce them."""
    chunks: list[list[Line]] = []
    for line in lines:
        last = chunks[-1][-1] if chunks else None
        together = last and (
            line.block == last.block
            or _announces(last)
            or (whole_lists and line.kind == last.kind == "item")
        )
        if together and height_of([*chunks[-1], line]) <= height_px:
            chunks[-1].append(line)
        else:
            chunks.append([line])
    return chunks


def _announces(line: Line) -> bool:
    """Return whether a block's last line announces the next block: a heading, or a colon."""
    return line.kind in HEADINGS or (bool(line.pieces) and line.pieces[-1].text.endswith(":"))


def _filled(chunks: Sequence[list[Line]], height_px: int) -> list[list[Line]]:
    pages: list[list[Line]] = [[]]
    for chunk in chunks:
        if pages[-1] and height_of([*pages[-1], *chunk]) > height_px:
            pages.append([])
        pages[-1] += chunk
    return pages


def draw_lines(
    look: Look, draw: ImageDraw.ImageDraw, lines: Sequence[Line], left_px: int, top_px: int,
    width_px: int,
) -> None:  # fmt: skip
    """Draw lines in a column with the given top left corner."""
    top = top_px
    for number, line in enumerate(lines):
        top += line.before_px if number else 0
        baseline = top + (line.height_px + 0.72 * line.size_px) / 2
        for piece in line.pieces:
            left = left_px + piece.left_px
            if look.right_to_left:
                left = left_px + width_px - piece.left_px - piece.width_px
            colour = look.strong if piece.weight == "bold" else line.colour
            font = look.font(line.size_px, piece.weight)
            draw.text((left, baseline), piece.text, fill=colour, font=font, anchor="ls")
        top += line.height_px


def _set_block(
    look: Look, number: int, block: Block, width_px: int, previous: Line | None
) -> list[Line]:
    heading = block.kind in HEADINGS
    size_px = _size(look, block.kind)
    indent_px = round(INDENT * size_px) if block.kind == "item" else 0
    rows = _wrapped(look, block, size_px, width_px - indent_px)
    if block.marker:
        rows[0].insert(0, _marker(look, block.marker, size_px))
    return [
        Line(
            pieces=tuple(_moved(piece, indent_px) for piece in row),
            size_px=size_px,
            height_px=round((HEADING_LEADING if heading else LEADING) * size_px),
            colour=look.strong if heading else look.text,
            before_px=0 if place else _gap(look, block, previous),
            block=number,
            kind=block.kind,
        )
        for place, row in enumerate(rows)
    ]


def _size(look: Look, kind: BlockKind) -> int:
    sizes = {"heading": look.heading_px, "subheading": look.subheading_px}
    return sizes.get(kind, look.body_px)


def _gap(look: Look, block: Block, previous: Line | None) -> int:
    if previous is None:
        return 0
    if previous.kind in HEADINGS:
        share = HEADING_GAP
    elif block.kind == "item":
        share = ITEM_GAP if previous.kind == "item" else LIST_GAP
    else:
        share = PARAGRAPH_GAP
    return round(share * look.body_px)


def _wrapped(look: Look, block: Block, size_px: int, width_px: int) -> list[list[Placed]]:
    heading = block.kind in HEADINGS
    space = look.font(size_px).getlength(" ")
    rows: list[list[Placed]] = []
    for groups in _stretches(block.words):
        parts = [part for group in groups for part in _breakable(group)]
        placed = [_placed(look, part, size_px, heading) for part in parts]
        widths = [pieces[-1].left_px + pieces[-1].width_px for pieces in placed]
        gaps = [0.0 if part[0].glued else space for part in parts]
        for first, end in breaks(widths, gaps, width_px, balanced=heading):
            rows.append(_row(placed[first:end], widths[first:end], gaps[first:end]))
    return rows or [[]]


def _row(
    placed: Sequence[list[Placed]], widths: Sequence[float], gaps: Sequence[float]
) -> list[Placed]:
    row: list[Placed] = []
    at = 0.0
    for pieces, width, gap in zip(placed, widths, gaps, strict=True):
        at += gap if row else 0.0
        row += [_moved(piece, at) for piece in pieces]
        at += width
    return row


def _breakable(group: Sequence[Word]) -> list[list[Word]]:
    """Return words without spaces between them in parts; lines may break before glued parts."""
    parts: list[list[Word]] = []
    for word in group:
        for place, (_, text) in enumerate(atoms_of(word.text)):
            part = replace(word, text=text, glued=bool(parts))
            if place or not parts:
                parts.append([part])
            else:
                parts[-1].append(part)
    return parts


def _stretches(words: Sequence[Word | None]) -> list[list[list[Word]]]:
    """Return the words between forced line breaks, grouped as by `_unbroken`."""
    stretches: list[list[list[Word]]] = [[]]
    for group in _unbroken(words):
        if group is None:
            stretches.append([])
        else:
            stretches[-1].append(group)
    return stretches


def _unbroken(words: Sequence[Word | None]) -> list[list[Word] | None]:
    """Group words without spaces between them; None stands for a line break."""
    groups: list[list[Word] | None] = []
    for word in words:
        if word is not None and word.glued and groups and groups[-1] is not None:
            groups[-1].append(word)
        else:
            groups.append(None if word is None else [word])
    return groups


def _placed(look: Look, group: Sequence[Word], size_px: int, heading: bool) -> list[Placed]:
    pieces, at = [], 0.0
    for word in group:
        weight: Weight = "bold" if word.bold or heading else "regular"
        width = look.font(size_px, weight).getlength(word.text)
        pieces.append(Placed(word.text, at, width, weight))
        at += width
    return pieces


def _marker(look: Look, marker: str, size_px: int) -> Placed:
    width = look.font(size_px).getlength(marker)
    return Placed(marker, -width - 0.45 * size_px, width, "regular")


def _moved(piece: Placed, by_px: float) -> Placed:
    return Placed(piece.text, piece.left_px + by_px, piece.width_px, piece.weight)

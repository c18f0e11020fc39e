"""Inputs as blocks: sentences and tables, with their marks and their changes.

The marks of an explanation show weights by colour and number, and rules by frames.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.studies.simulatability.pieces import (
    Block,
    Phrase,
    Piece,
    Type,
    line_blocks,
    lines,
    moved,
    rectangle,
    widths_px,
    words,
)
from experiments.studies.simulatability.worded_case import WordedCase
from stimuli.studies.simulatability import stimulus


@dataclass(frozen=True, slots=True)
class Mark:
    """How a part of an input is marked; see `pieces.Phrase`."""

    share: float | None = None
    number: str = ""
    framed: bool = False


Marks = Mapping[int, Mark]


def marks_of(case: WordedCase, explanations: Sequence[stimulus.AnyExplanation]) -> Marks:
    """Return the marks of explanations that are shown together, by place in the input."""
    marks: dict[int, Mark] = {}
    for explanation in explanations:
        match explanation:
            case stimulus.Lime():
                marks |= _weighted(case, explanation.features)
            case stimulus.Omission() | stimulus.Prototype():
                marks |= _weighted(case, explanation.terms)
            case stimulus.Weights():
                signed = explanation.target is not None
                marks |= _weighted(case, explanation.terms, signed=signed)
            case stimulus.Anchor():
                places = (
                    place for condition in explanation.conditions for place in condition.places
                )
                marks |= _framed(marks, places)
            case stimulus.Rationale():
                marks |= _framed(marks, explanation.places)
    return marks


def _weighted(
    case: WordedCase, terms: Sequence[stimulus.Weighted], *, signed: bool = True
) -> dict[int, Mark]:
    largest = max((abs(term.weight) for term in terms), default=0.0) or 1.0
    # If two terms name the same place, the heavier one marks it: the list beside it has both.
    lightest_first = sorted(terms, key=lambda term: abs(term.weight))
    return {
        place: Mark(term.weight / largest, case.number(term.weight, signed=signed))
        for term in lightest_first
        for place in term.places
    }


def _framed(marks: Marks, places: Iterable[int]) -> dict[int, Mark]:
    return {place: replace(marks.get(place, Mark()), framed=True) for place in places}


ARROW = "→"

Cell = Sequence[Phrase]

Row = Sequence[Cell]

GAP = 1.1
"""Gap between columns, as a multiple of the letters' size."""

RULE = 0.3
"""Room for the rule below a row, as a share of the letters' size."""


def text_blocks(
    type_: Type,
    sentence: stimulus.TextInput,
    width_px: int,
    *,
    marks: Marks | None = None,
    edits: Sequence[stimulus.Edit] = (),
) -> list[Block]:
    """Return a sentence: its words with marks, or with the changes made in it."""
    by_place = {edit.place: edit for edit in edits}
    phrases: list[Phrase] = []
    for place, token in enumerate(sentence.tokens):
        if place in by_place:
            phrases_here = changed(by_place[place].old, by_place[place].new)
        else:
            phrases_here = [_marked(token, place, marks or {})]
        apart = place in by_place and place - 1 in by_place
        tight = place in sentence.glued and not apart
        phrases += [replace(phrases_here[0], tight=tight), *phrases_here[1:]]
    return line_blocks(type_, phrases, width_px)


def changed(old: str, new: str) -> list[Phrase]:
    """Return an edit: the old text, crossed out, and the new text in a frame."""
    return [Phrase(old, tone="quiet", struck=True), *_new(new)]


def table_blocks(
    type_: Type,
    case: WordedCase,
    width_px: int,
    marks: Marks,
    prototype: stimulus.TableInput | None,
) -> list[Block]:
    """Return a table's row as lines: column, value, changed value and the prototype's value.

    Parameters
    ----------
    type_, case, width_px
        Typography, the case, and the width.
    marks
        Marks of the original's values.
    prototype
        The row beside it, if any; values that differ are emphasized.
    """
    original, edits = case.stimulus.original, case.stimulus.edits
    assert isinstance(original, stimulus.TableInput)
    by_place = {edit.place: edit for edit in edits or ()}
    heads = ["", "original" if edits is not None or prototype else "value"]
    heads += ["changed"] if edits is not None else []
    heads += ["prototype_short"] if prototype is not None else []
    rows: list[Row] = [[words(case.words[head], tone="quiet") if head else [] for head in heads]]
    for place, (column, value) in enumerate(zip(original.columns, original.values, strict=True)):
        phrase = _marked(case.value(column, value), place, marks)
        if place in by_place:
            phrase = Phrase(phrase.text, phrase.weight, phrase.tone, phrase.share, phrase.number,
                           phrase.framed, struck=True)  # fmt: skip
        row = [words(case.term(column), tone="text"), [phrase]]
        if edits is not None:
            edit = by_place.get(place)
            row.append([] if edit is None else _new(case.value(column, edit.new)))
        if prototype is not None:
            row.append(_beside(case, prototype, place, value))
        rows.append(row)
    return grid_blocks(type_, rows, width_px)


def edit_phrases(
    case: WordedCase, original: stimulus.TableInput, edit: stimulus.Edit
) -> list[Phrase]:
    """Return an edit of a table's row: the column, the old value and the new value."""
    column = original.columns[edit.place]
    old, new = (case.value(column, value) for value in (edit.old, edit.new))
    return [*words(f"{case.term(column)}:"), *changed(old, new)]


def _marked(text: str, place: int, marks: Marks) -> Phrase:
    mark = marks.get(place)
    if mark is None:
        return Phrase(text)
    return Phrase(text, share=mark.share, number=mark.number, framed=mark.framed)


def _new(text: str) -> list[Phrase]:
    return [Phrase(ARROW), Phrase(text, "bold", "strong", framed=True, glued=True)] if text else []


def _beside(
    case: WordedCase, prototype: stimulus.TableInput, place: int, value: str
) -> list[Phrase]:
    its_value = prototype.values[place]
    text = case.value(prototype.columns[place], its_value)
    return words(text, tone="quiet") if its_value == value else words(text, "bold", "strong")


def grid_blocks(type_: Type, rows: Sequence[Row], width_px: int) -> list[Block]:
    """Return a table with one block per row.

    Parameters
    ----------
    type_
        Typography.
    rows
        Rows from top to bottom. The header comes first and is repeated on each page. All rows
        have the same number of cells, each with phrases side by side.
    width_px
        Largest width of all columns together.
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
    """Return the widths of columns: what they need or, without enough room, narrower widest ones.

    Parameters
    ----------
    least_px, whole_px
        For each column, the width of its widest word, and its width without line breaks.
    room_px
        Room for all columns.
    """
    if sum(whole_px) <= room_px:
        return list(whole_px)
    if sum(least_px) > room_px:
        # Not all columns can keep their words whole: each gets its share.
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

"""Inputs as blocks: a sentence or a table's row, as it is marked, and with what was changed."""

from collections.abc import Sequence

from experiments.studies.simulatability.grids import Row, grid_blocks
from experiments.studies.simulatability.marks import Marks
from experiments.studies.simulatability.phrases import Phrase, line_blocks, words
from experiments.studies.simulatability.pieces import Block, Type
from experiments.studies.simulatability.said import Said
from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput

ARROW = "→"


def text_blocks(
    type_: Type,
    given: TextInput,
    width_px: int,
    *,
    marks: Marks | None = None,
    edits: Sequence[Edit] = (),
) -> list[Block]:
    """Return a sentence: its words as they are marked, or what was changed in it."""
    by_place = {edit.place: edit for edit in edits}
    phrases: list[Phrase] = []
    for place, token in enumerate(given.tokens):
        if place in by_place:
            phrases += changed(by_place[place].old, by_place[place].new)
        else:
            phrases.append(_marked(token, place, marks or {}))
    return line_blocks(type_, phrases, width_px)


def changed(old: str, new: str) -> list[Phrase]:
    """Return an edit: what stood there, crossed out, and what stands there now, in a frame."""
    return [Phrase(old, tone="quiet", struck=True), *_new(new)]


def table_blocks(
    type_: Type,
    said: Said,
    width_px: int,
    marks: Marks,
    prototype: TableInput | None,
) -> list[Block]:
    """Return a table's row as lines: column, value, what it is changed to, the prototype's value.

    Parameters
    ----------
    type_, said, width_px
        How it is set, and what.
    marks
        Of the original's values.
    prototype
        What stands beside it, if anything; values that differ stand out.
    """
    original, edits = said.stimulus.original, said.stimulus.edits
    assert isinstance(original, TableInput)
    by_place = {edit.place: edit for edit in edits or ()}
    heads = ["", "original" if edits is not None or prototype else "value"]
    heads += ["changed"] if edits is not None else []
    heads += ["prototype_short"] if prototype is not None else []
    rows: list[Row] = [[words(said.words[head], tone="quiet") if head else [] for head in heads]]
    for place, (column, value) in enumerate(zip(original.columns, original.values, strict=True)):
        shown = _marked(said.value(column, value), place, marks)
        if place in by_place:
            shown = Phrase(shown.text, shown.weight, shown.tone, shown.share, shown.number,
                           shown.framed, struck=True)  # fmt: skip
        row = [words(said.term(column), tone="text"), [shown]]
        if edits is not None:
            edit = by_place.get(place)
            row.append([] if edit is None else _new(said.value(column, edit.new)))
        if prototype is not None:
            row.append(_beside(said, prototype, place, value))
        rows.append(row)
    return grid_blocks(type_, rows, width_px)


def edit_phrases(said: Said, original: TableInput, edit: Edit) -> list[Phrase]:
    """Return an edit of a table's row: the column, what stood there, and what stands there now."""
    column = original.columns[edit.place]
    old, new = (said.value(column, value) for value in (edit.old, edit.new))
    return [*words(f"{said.term(column)}:"), *changed(old, new)]


def _marked(text: str, place: int, marks: Marks) -> Phrase:
    mark = marks.get(place)
    if mark is None:
        return Phrase(text)
    return Phrase(text, share=mark.share, number=mark.number, framed=mark.framed)


def _new(text: str) -> list[Phrase]:
    return [Phrase(ARROW), Phrase(text, "bold", "strong", framed=True, glued=True)] if text else []


def _beside(said: Said, prototype: TableInput, place: int, value: str) -> list[Phrase]:
    own = prototype.values[place]
    shown = said.value(prototype.columns[place], own)
    return words(shown, tone="quiet") if own == value else words(shown, "bold", "strong")

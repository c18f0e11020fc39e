"""Inputs and their changes, as the sheets write them."""

import re
from typing import Final

from stimuli.studies.simulatability.stimulus import Edit, TableInput, TextInput, edits_between
from xai_backend.studies.simulatability.sheets.lines import Lines
from xai_backend.studies.simulatability.trained import AnyInput

_MARKED: Final = re.compile(r"\*\*(.+)\*\*")


def read_sentence(lines: Lines) -> TextInput:
    """Read a sentence: a line whose tokens have blanks between them.

    Raises
    ------
    ValueError
        If there is no line.
    """
    return TextInput(tokens=tuple(lines.next("{text}")[0].split()))


def read_row(lines: Lines) -> TableInput:
    """Read a table's row: a line for each column, with its value.

    Raises
    ------
    ValueError
        If there is none.
    """
    pairs = [lines.next("{text} = {text}"), *lines.all_of("{text} = {text}")]
    columns, values = zip(*pairs, strict=True)
    return TableInput(columns=columns, values=values)


def read_edits(lines: Lines, original: AnyInput) -> tuple[Edit, ...]:
    """Read what is changed in an input; return it by place.

    A changed sentence is a line that marks its new words, as in ``a **new** film``. Of a table's
    row, a line for each changed column has its old and new value.

    Raises
    ------
    ValueError
        If a changed sentence doesn't have as many tokens as the original; if an unmarked word
        differs or a marked one doesn't; if the original doesn't hold a column's old value; if a
        column comes twice; if nothing is changed.
    """
    if isinstance(original, TextInput):
        edits = _marked_edits(lines, original)
    else:
        edits = _listed_edits(lines, original)
    if not edits:
        raise ValueError("no change is marked")
    return edits


def _marked_edits(lines: Lines, original: TextInput) -> tuple[Edit, ...]:
    shown = lines.next("{text}")[0].split()
    marks = [_MARKED.fullmatch(token) for token in shown]
    tokens = [mark[1] if mark else token for mark, token in zip(marks, shown, strict=True)]
    if len(tokens) != len(original.tokens):
        raise ValueError(
            f"the changed sentence has {len(tokens)} tokens, the original {len(original.tokens)}"
        )
    edits = edits_between(original, TextInput(tokens=tuple(tokens)))
    marked = {place for place, mark in enumerate(marks) if mark}
    for place in sorted(marked ^ {edit.place for edit in edits}):
        raise ValueError(
            f"token {place + 1}, {tokens[place]!r}, is marked or changed, but not both"
        )
    return edits


def _listed_edits(lines: Lines, original: TableInput) -> tuple[Edit, ...]:
    values = dict(zip(original.columns, original.values, strict=True))
    edits: dict[int, Edit] = {}
    for column, old, new in lines.all_of("{text} : {text} --> {text}"):
        if values.get(column) != old:
            raise ValueError(f"the row doesn't contain {column} = {old}")
        place = original.columns.index(column)
        if place in edits or old == new:
            raise ValueError(f"{column} is changed twice, or to its old value")
        edits[place] = Edit(place=place, old=old, new=new)
    return tuple(edits[place] for place in sorted(edits))

"""Inputs and their changes, as the sheets write them."""

import re

from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput, edits_between

_MARKED = re.compile(r"\*\*(.+)\*\*")
CHANGE = r"(.+?) : (.+) --> (.+)"
"""A changed value, as a pattern: column, old value, new value."""


def sentence(text: str) -> TextInput:
    """Return a sentence, whose tokens have blanks between them."""
    return TextInput(tokens=tuple(text.split()))


def table_row(text: str) -> TableInput:
    """Return a table's row, written as a line ``column = value`` for each column.

    Raises
    ------
    ValueError
        If a line is none.
    """
    pairs = [line.strip().partition(" = ") for line in text.splitlines() if line.strip()]
    odd = ["".join(pair) for pair in pairs if not all(pair)]
    if odd:
        raise ValueError(f"{odd[0]!r} isn't written as column = value")
    columns, _, values = zip(*pairs, strict=True)
    return TableInput(columns=columns, values=values)


def marked_edits(original: TextInput, text: str) -> tuple[Edit, ...]:
    """Return what is changed in a sentence, whose new words are marked as in ``a **new** word``.

    Raises
    ------
    ValueError
        If the sentence doesn't have as many tokens as the original, if a word without a mark
        differs or one with a mark doesn't, or if there is no mark.
    """
    marks = [_MARKED.fullmatch(token) for token in text.split()]
    tokens = [mark[1] if mark else token for mark, token in zip(marks, text.split(), strict=True)]
    if len(tokens) != len(original.tokens):
        raise ValueError(
            f"the changed sentence has {len(tokens)} tokens, the original {len(original.tokens)}"
        )
    edits = edits_between(original, TextInput(tokens=tuple(tokens)))
    marked = [place for place, mark in enumerate(marks) if mark]
    differs = [edit.place for edit in edits]
    for place in sorted(set(marked) ^ set(differs)):
        raise ValueError(f"token {place + 1}, {tokens[place]!r}, is marked or changed, not both")
    if not edits:
        raise ValueError("nothing is changed")
    return edits


def listed_edits(original: TableInput, text: str) -> tuple[Edit, ...]:
    """Return what is changed in a table's row, written as `CHANGE` for each column, by place.

    Raises
    ------
    ValueError
        If a line is written otherwise, the original doesn't have such a column or value, a column
        comes twice, or there is no change.
    """
    edits: dict[int, Edit] = {}
    values = dict(zip(original.columns, original.values, strict=True))
    for line in filter(None, map(str.strip, text.splitlines())):
        change = re.fullmatch(CHANGE, line)
        if change is None:
            raise ValueError(f"{line!r} isn't written as column : old --> new")
        column, old, new = change.groups()
        if values.get(column) != old:
            raise ValueError(f"the row doesn't hold {column} = {old}")
        place = original.columns.index(column)
        if place in edits or old == new:
            raise ValueError(f"{column} is changed twice, or to what it was")
        edits[place] = Edit(place=place, old=old, new=new)
    if not edits:
        raise ValueError("nothing is changed")
    return tuple(edits[place] for place in sorted(edits))

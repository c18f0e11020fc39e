"""A report, or a preregistration, whose sentences say something in other words.

A study's sentences are written once. Where its protocol shows other things than usual, for example
texts in place of images, all that is read is reworded here, at the end; numbers, files and ids
stay.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar, cast

from matplotlib.text import Text

from analysis.report.parts import Picture, Table

Say = Callable[[str], str]
Value = TypeVar("Value")
KEPT: Final = frozenset(
    {"id", "name", "kind", "formula", "former_titles", "files", "subtitle", "of", "role"}
)
"""Fields that aren't read as sentences: ids, names of files and columns, paths."""
AS_SHOWN: Final = "as shown"
"""Marks a figure's text (its gid) that quotes what participants saw."""
QUOTED: Final = frozenset({"Published", "Image", "Label", "System’s label", "Data set’s label"})
"""Headings of columns that quote a paper, or a lab's names of what was judged."""


def reworded(value: Value, say: Say) -> Value:
    """Return a value with every sentence in it reworded; a figure's words are changed in place.

    Parameters
    ----------
    value
        A sentence, or a tuple or dataclass that holds some.
    say
        Returns a sentence in other words.
    """
    if isinstance(value, str):
        return cast(Value, say(value))
    if isinstance(value, tuple):
        return cast(Value, tuple(reworded(each, say) for each in value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {
        field.name: reworded(getattr(value, field.name), say)
        for field in fields(value)
        if field.init and field.name not in KEPT
    }
    if isinstance(value, Table):
        changed["rows"] = tuple(_cells(value, row, say) for row in value.rows)
    if isinstance(value, Picture):
        _reword_figure(value, say)
    return replace(value, **changed)


def _cells(table: Table, row: tuple[str, ...], say: Say) -> tuple[str, ...]:
    pairs = zip(table.columns, row, strict=True)
    return tuple(cell if column.heading in QUOTED else say(cell) for column, cell in pairs)


def _reword_figure(picture: Picture, say: Say) -> None:
    for text in picture.drawing.findobj(Text):
        assert isinstance(text, Text)
        if text.get_gid() != AS_SHOWN and (said := say(text.get_text())) != text.get_text():
            text.set_text(said)

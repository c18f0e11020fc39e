"""Numbers in a lab's tables, and rows of a table in one cell."""

import math
from collections.abc import Sequence
from typing import Final

BETWEEN: Final = "|"
EQUALS: Final = "="


def number_in(text: str, column: str) -> float:
    """Return a number; ValueError, which names the column, if it is none or isn't finite."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{column}: {text!r} isn't a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{column}: {text} isn't finite")
    return number


def values_in(text: str, columns: Sequence[str], name: str) -> dict[str, str]:
    """Return the values of a cell such as ``Age = 50 | Work = student``, by column.

    Raises
    ------
    ValueError
        Which names the cell's column, if a part isn't ``Column = value`` of one of the columns.
    """
    values = {}
    for part in filter(None, map(str.strip, text.split(BETWEEN))):
        column, equals, value = (own.strip() for own in part.partition(EQUALS))
        if not equals or not value:
            raise ValueError(f"{name}: {part!r} isn't COLUMN = VALUE")
        if column not in columns:
            raise ValueError(f"{name}: {column!r} isn't a column")
        values[column] = value
    return values

"""How many rows of a long table a page shows, by one stated rule."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

MOST_LISTED = 12
MOST_ROWS = 16
"""A page shows so many rows of a table that doesn't say which of them matter most."""


def cut(
    rows: Sequence[Item], noun: str, file: str, first: Callable[[Item], bool], why: str
) -> tuple[list[Item], str]:
    """Return the rows that a page shows, and a note that says which those are.

    Up to twelve rows all are shown. Beyond, those that matter most are, twelve at most; the
    table's file always holds all.

    Parameters
    ----------
    rows
        In the order of the page.
    noun
        What a row is, in the plural.
    file
        Name of the table that holds all of them.
    first
        Whether a row is shown in a long table.
    why
        Which those are, in words; where every row may be shown, their order, or nothing.
    """
    if len(rows) <= MOST_LISTED:
        return list(rows), ""
    chosen = [row for row in rows if first(row)]
    shown = chosen[:MOST_LISTED]
    which = f"the first {len(shown)} of {len(chosen)} {why}" if len(shown) < len(chosen) else why
    said = (
        f"The first {len(shown)} of {len(rows)} {noun}{f', {why}' if why else ''}"
        if len(chosen) == len(rows)
        else f"{len(shown)} of {len(rows)} {noun}: {which}"
    )
    return shown, f"{said}; tables/{file}.csv has all."

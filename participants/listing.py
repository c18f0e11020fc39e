"""Lists on the terminal: columns with headings, each row on one line."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

NOTHING: Final = "–"


def show_columns(columns: Mapping[str, Sequence[Any]], *, fold: bool = False) -> None:
    """Print columns by heading; None is a dash, and a column of dashes takes no room.

    Parameters
    ----------
    columns
        Cells by heading, as many in each.
    fold
        Break cells that are too long for the terminal into several lines.
    """
    from rich.console import Console
    from rich.table import Table

    said = {
        head: [NOTHING if one is None else str(one) for one in columns[head]] for head in columns
    }
    said = {head: cells for head, cells in said.items() if set(cells) - {NOTHING}}
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading, cells in said.items():
        numbers = all(cell.isdecimal() or cell == NOTHING for cell in cells)
        justify = "right" if numbers else "left"
        table.add_column(heading, justify=justify, no_wrap=not fold, overflow="fold")
    for row in zip(*said.values(), strict=True):
        table.add_row(*row)
    Console().print(table)


def show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows that have the same keys; see `show_columns`."""
    columns = {head: [row[head] for row in rows] for head in rows[0]} if rows else {}
    show_columns(columns, fold=True)

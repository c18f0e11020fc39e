"""Lists on the terminal: columns with headings; codes, ids and dates always whole."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rich.table import Table

NOTHING: Final = "–"
HASH: Final = re.compile(r"[0-9a-f]{32,}")
HASH_DIGITS: Final = 12
MINUTE: Final = "%Y-%m-%d %H:%M"
PROSE: Final = frozenset({"text", "result", "reason"})
"""Columns whose cells may be broken into several lines, between words."""
LEAST_PROSE: Final = 24
"""Signs that a line of a broken cell has at least."""
GAP: Final = 2


def show_columns(columns: Mapping[str, Sequence[Any]]) -> None:
    """Print columns by heading; None is a dash, and a column of dashes takes no room.

    On a terminal that is too narrow for whole codes, ids and dates each row becomes a block of
    lines. Off a terminal no cell is broken.

    Parameters
    ----------
    columns
        Cells by heading, as many in each.
    """
    from rich.console import Console

    said = {
        head: [NOTHING if one is None else str(one) for one in columns[head]] for head in columns
    }
    said = {head: cells for head, cells in said.items() if set(cells) - {NOTHING}}
    least = sum(_least_width(head, cells) + GAP for head, cells in said.items())
    longest = sum(max(map(len, [head, *cells])) + GAP for head, cells in said.items())
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(longest, 1)
    elif least > console.width:
        for row in zip(*said.values(), strict=True):
            console.print(_block(tuple(said), row))
        return
    console.print(_table(said))


def show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows that have the same keys: times as local ones, hashes by their first digits."""
    if not rows:
        return
    said = [{name: _cell(name, value) for name, value in row.items()} for row in rows]
    show_columns({head.removesuffix("_utc"): [row[head] for row in said] for head in said[0]})


def local_minute(utc: str) -> str:
    """Return a time of the registry as this PC's clock shows it, to the minute."""
    return datetime.fromisoformat(utc).astimezone().strftime(MINUTE)


def _cell(name: str, value: Any) -> Any:
    if name.endswith("_utc") and value:
        return local_minute(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, str):
        return HASH.sub(lambda found: found.group()[:HASH_DIGITS], value)
    return value


def _least_width(heading: str, cells: Sequence[str]) -> int:
    """Return how wide a column is at least: no word is broken, and only prose has several lines."""
    longest = max(map(len, [heading, *cells]))
    if heading not in PROSE:
        return longest
    words = (word for cell in cells for word in cell.split())
    return max(min(longest, LEAST_PROSE), *map(len, words))


def _table(columns: Mapping[str, Sequence[str]]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for heading, cells in columns.items():
        numbers = all(cell.isdecimal() or cell == NOTHING for cell in cells)
        table.add_column(
            heading,
            justify="right" if numbers else "left",
            no_wrap=heading not in PROSE,
            min_width=_least_width(heading, cells),
        )
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    return table


def _block(headings: Sequence[str], cells: Sequence[str]) -> "Table":
    """Return one row as lines of heading and cell, with an empty line after them."""
    from rich.table import Table

    block = Table.grid(padding=(0, GAP, 0, 0))
    block.add_column(no_wrap=True, style="bold")
    block.add_column(overflow="fold")
    for heading, cell in zip(headings, cells, strict=True):
        block.add_row(heading, cell)
    block.add_row()
    return block

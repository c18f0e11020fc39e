"""What the verbs have in common: options, access to the lab's registry, lists on the terminal.

Lists are columns with headings. Codes, ids and dates are never cut.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from participants.folder import DataFolder, LabFolder
    from participants.registry import Registry

Lab = Annotated[
    Path | None,
    typer.Option(
        "--lab",
        metavar="DIR",
        help="Lab folder. Default: PLAINSIGHT_LAB, or your user data folder.",
    ),
]
Data = Annotated[Path | None, typer.Option(metavar="DIR", help="Data folder instead of the lab's.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which data a verb reads: a data folder, or the lab's own."""

    data: Data = None
    lab: Lab = None

    def folder(self) -> "DataFolder":
        """Return the data folder; UserError if the lab's own is asked for and there is no lab."""
        from participants.folder import DataFolder, LabFolder

        return (
            LabFolder.open(self.lab).data if self.data is None else DataFolder(self.data.absolute())
        )


@contextmanager
def opened_lab(lab: Path | None) -> "Iterator[tuple[LabFolder, Registry]]":
    """Yield a lab folder and its registry, which first catches up with the sessions' journals.

    The data folder gets the tombstones of people who withdrew, on this PC or another one.

    Parameters
    ----------
    lab
        The lab folder; the usual one if None.

    Raises
    ------
    UserError
        If there is no such lab, or its registry can't be reached.
    """
    from participants.folder import LabFolder
    from participants.registry import Registry, outbox
    from participants.registry.records import tombstones
    from participants.tombstones import add_tombstones

    folder = LabFolder.open(lab)
    with closing(Registry.of(folder)) as registry:
        for session, reason in outbox.catch_up(folder.data, registry).items():
            line = f"The registry missed something of session {session}: {reason}"
            print(line, file=sys.stderr)
        add_tombstones(folder.data, registry.transact(tombstones))
        yield folder, registry


NOTHING: Final = "–"
HASH: Final = re.compile(r"[0-9a-f]{32,}")
HASH_DIGITS: Final = 12
MINUTE: Final = "%Y-%m-%d %H:%M"
PROSE: Final = frozenset({"text", "result", "reason"})
"""Columns whose cells may be wrapped between words."""
LEAST_PROSE: Final = 24
"""Smallest width of a line in a wrapped cell, in characters."""
GAP: Final = 2


def show_columns(columns: Mapping[str, Sequence[Any]]) -> None:
    """Print columns by heading; None is a dash, and a column of dashes alone is left out.

    On a terminal that is too narrow for whole codes, ids and dates, each row becomes a block of
    lines. If the output isn't a terminal, no cell is wrapped.

    Parameters
    ----------
    columns
        Cells by heading, as many in each.
    """
    from stimuli.rich_terminal import Console

    texts = {
        head: [NOTHING if cell is None else str(cell) for cell in columns[head]] for head in columns
    }
    texts = {head: cells for head, cells in texts.items() if set(cells) - {NOTHING}}
    least = sum(_least_width(head, cells) + GAP for head, cells in texts.items())
    longest = sum(max(map(len, [head, *cells])) + GAP for head, cells in texts.items())
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(longest, 1)
    elif least > console.width:
        for row in zip(*texts.values(), strict=True):
            console.print(_block(tuple(texts), row))
        return
    console.print(_table(texts))


def show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows that have the same keys: times as local ones, hashes by their first digits."""
    if not rows:
        return
    texts = [{name: _cell(name, value) for name, value in row.items()} for row in rows]
    show_columns({head.removesuffix("_utc"): [row[head] for row in texts] for head in texts[0]})


def local_minute(utc: str) -> str:
    """Return a time of the registry as this PC's clock shows it, to the minute."""
    return datetime.fromisoformat(utc).astimezone().strftime(MINUTE)


def whole_minute_from(utc: str) -> str:
    """Return the first whole minute from a time on, as this PC's clock shows it.

    Who comes at that minute isn't too early.
    """
    begun = datetime.fromisoformat(utc) + timedelta(minutes=1) - timedelta(microseconds=1)
    return begun.astimezone().strftime(MINUTE)


def _cell(name: str, value: Any) -> Any:
    if name.endswith("_utc") and value:
        return local_minute(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, str):
        return HASH.sub(lambda match: match.group()[:HASH_DIGITS], value)
    return value


def _least_width(heading: str, cells: Sequence[str]) -> int:
    """Return a column's least width: no word is broken, and only prose is wrapped."""
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

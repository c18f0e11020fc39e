"""Labelled rows of a table: Adult, or any CSV; their values, classes and splits."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.given_tables import numbered_rows
from stimuli.studies.simulatability.stimulus import TableInput
from xai_backend.studies.simulatability import table_columns
from xai_backend.studies.simulatability.table_columns import readable
from xai_backend.studies.simulatability.trained import Labelled, Split

LABEL, ID = "label", "id"
HELD_OUT: Final = 0.2
"""Share of the rows that isn't used for training; half of it, rounded up, is the test split."""
LEAST_OF_A_CLASS: Final = 100
"""Fewest rows of a class: fewer aren't enough for 20 prototypes of a class and three splits."""


@dataclass(frozen=True, slots=True)
class TableData:
    """A table whose cells are values that people can read.

    Attributes
    ----------
    levels
        All values of each column, in order.
    classes
        Of two, the negative one first.
    rows
        In the file's order.
    cells
        The file's cells, by column and row.
    adult
        Whether it is the Adult data set.
    """

    levels: Mapping[str, tuple[str, ...]]
    classes: tuple[str, ...]
    rows: tuple[Labelled, ...]
    cells: Mapping[str, Sequence[str]]
    adult: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.levels)

    def value_shown(self, column: str, cell: str) -> str:
        """Return the value that people see for a cell; the cell may also be that value itself.

        A number that isn't in the file belongs to the bin of the next higher number in the file:
        the bins' edges are numbers of the file.

        Raises
        ------
        ValueError
            If there is no such column, or no such value.
        """
        if column not in self.levels:
            raise ValueError(f"{column!r} isn't a column")
        levels, place = self.levels[column], self.columns.index(column)
        by_cell = {
            file_cell: row.instance.parts[place]
            for file_cell, row in zip(self.cells[column], self.rows, strict=True)
        }
        if cell in levels:
            return cell
        if cell not in by_cell and by_cell.keys().isdisjoint(levels):
            cell = _next_number(cell, by_cell)
        if cell not in by_cell:
            examples = ", ".join(levels)
            raise ValueError(f"{column}: people see no value {cell!r}, but {examples}")
        return by_cell[cell]


def _next_number(cell: str, texts: Collection[str]) -> str:
    """Return the smallest known number that isn't below a cell's; the cell if it isn't a number."""
    try:
        number, numbers = float(cell), {float(text): text for text in texts}
    except ValueError:
        return cell
    if not math.isfinite(number):
        return cell
    return numbers[min((value for value in numbers if value >= number), default=max(numbers))]


def table_file(source: Path) -> Path:
    """Return the file that is read: the source, or Adult's in a folder."""
    return source / table_columns.ADULT_FILE if source.is_dir() else source


def read_table(source: Path, positive: Collection[str] = (), *, trains: bool = True) -> TableData:
    """Return the rows of a table.

    Parameters
    ----------
    source
        UCI's ``adult.data``, known by its name, or the folder that holds it; else a table
        with a column ``label`` of two classes and optionally ``id``. Without ids, rows are numbered
        from 1. Every other column is an input.
    positive
        Names the positive class of two; by default it is the last alphabetically.
    trains
        Whether a model is to be trained on it; a lab's own model may have more than two classes.

    Raises
    ------
    UserError
        If the file can't be read or lacks a label; a cell is empty; an id occurs twice; a column
        carries no information; there is only one class. For training also if there aren't two
        classes, or one has
        fewer than 100 rows.
    """
    path = table_file(source)
    data = _adult(path) if path.name == table_columns.ADULT_FILE else _csv(path)
    _check(data, path, trains=trains)
    if len(data.classes) == 2 and data.classes[0] in positive:
        return replace(data, classes=data.classes[::-1])
    return data


def split_table(
    data: TableData,
    resample: Literal["balanced", "none"],
    seed: int,
    tested: Collection[str] = (),
) -> dict[Split, tuple[Labelled, ...]]:
    """Return the splits: 80 % training, 10 % validation, 10 % test.

    With ``balanced``, the more frequent class is sampled down to the other's size, without
    replacement.
    Adult's balanced rows are the published study's own (`published_splits`); there a row's id is
    its place in its split, as in the published sheets.

    Parameters
    ----------
    data, resample, seed
        The rows, whether classes are sampled to the same size, and the seed of the order.
    tested
        Ids of rows that are the first in the test split: those whose edits are given. The published
        splits stay as they are.
    """
    if resample == "balanced" and data.adult:
        published = table_columns.published_splits([row.label for row in data.rows])
        return {
            split: tuple(replace(data.rows[k], source_id=str(n)) for n, k in enumerate(places))
            for split, places in published.items()
        }
    by_id = {row.source_id: row for row in data.rows}
    kept = _balanced(data, seed, tested) if resample == "balanced" else by_id
    order = [by_id[name] for name in _first(tested, keyed_order(kept, "split", seed))]
    held_out = math.ceil(HELD_OUT * len(order))
    test = math.ceil(held_out / 2)
    return {
        "train": tuple(order[held_out:]),
        "validation": tuple(order[test:held_out]),
        "test": tuple(order[:test]),
    }


def _first(tested: Collection[str], order: Sequence[str]) -> list[str]:
    return sorted(order, key=lambda name: name not in tested)


def _balanced(data: TableData, seed: int, tested: Collection[str]) -> list[str]:
    ids = {
        label: [row.source_id for row in data.rows if row.label == label] for label in data.classes
    }
    fewest = min(map(len, ids.values()))
    drawn = (
        _first(tested, keyed_order(class_ids, "balance", seed))[:fewest]
        for class_ids in ids.values()
    )
    return [name for class_ids in drawn for name in class_ids]


def _adult(path: Path) -> TableData:
    lines = table_columns.adult_lines(path)
    cells = {name: [line[at] for line in lines] for name, at in table_columns.ADULT_COLUMNS.items()}
    by_column = {
        name: table_columns.adult_column(name, column_cells) for name, column_cells in cells.items()
    }
    labels = [table_columns.ADULT_LABELS[line[table_columns.ADULT_LABEL_CELL]] for line in lines]
    ids = [str(number) for number in range(1, len(lines) + 1)]
    return replace(
        _table(by_column, table_columns.ADULT_CLASSES, ids, labels), cells=cells, adult=True
    )


def _csv(path: Path) -> TableData:
    numbered = numbered_rows(path, (LABEL,))
    rows = [row for _, row in numbered]
    if "" in (names := list(rows[0] if rows else ())):
        raise UserError(f"{path}: column {names.index('') + 1} has no name in the header")
    names = [name for name in names if name not in (LABEL, ID)]
    if not names:
        raise UserError(f"{path}: has no rows, or no column besides {LABEL}")
    _check_filled(numbered, path)
    labels = [row[LABEL] for row in rows]
    cells = {name: [row[name] for row in rows] for name in names}
    try:
        by_column = {name: readable(name, column_cells) for name, column_cells in cells.items()}
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    ids = [row.get(ID, str(number)) for number, row in enumerate(rows, start=1)]
    return replace(_table(by_column, tuple(sorted(set(labels))), ids, labels), cells=cells)


def _table(
    by_column: Mapping[str, tuple[Sequence[str], tuple[str, ...]]],
    classes: tuple[str, ...],
    ids: Sequence[str],
    labels: Sequence[str],
) -> TableData:
    columns = tuple(by_column)
    values = zip(*(values for values, _ in by_column.values()), strict=True)
    rows = tuple(
        Labelled(name, TableInput(columns=columns, values=row), label)
        for name, row, label in zip(ids, values, labels, strict=True)
    )
    return TableData({name: levels for name, (_, levels) in by_column.items()}, classes, rows, {})


def _check_filled(rows: Sequence[tuple[int, Mapping[str, str]]], path: Path) -> None:
    for number, row in rows:
        empty = [name for name, cell in row.items() if not cell]
        if empty:
            raise UserError(
                f"{path}, row {number}: {empty[0]} is empty; write a value for what isn't known, "
                "such as ?"
            )


def _check(data: TableData, path: Path, *, trains: bool) -> None:
    count = len(data.classes)
    if count < 2 or (trains and count > 2):
        examples = ", ".join(data.classes[:5])
        raise UserError(f"{path}: has {count} classes ({examples}); two are needed")
    ids = Counter(row.source_id for row in data.rows)
    twice = [name for name, count in ids.items() if count > 1]
    if twice:
        raise UserError(f"{path}: the id {twice[0]} occurs twice")
    counts = Counter(dict.fromkeys(data.classes, 0))
    counts.update(row.label for row in data.rows)
    label, count = min(counts.items(), key=lambda pair: pair[1])
    if trains and count < LEAST_OF_A_CLASS:
        raise UserError(f"{path}: has {count} rows of class {label}; {LEAST_OF_A_CLASS} are needed")

"""What tests give to commands: tables, with and without faults, and real data; what is said."""

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from xai_backend.progress import Silent

Rows = Sequence[Mapping[str, object]]


def write_rows(path: Path, rows: Rows) -> Path:
    """Write rows as a CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def first(**cells: object) -> Callable[[Rows], Rows]:
    """Return what changes cells of the first row."""
    return lambda rows: [{**rows[0], **cells}, *rows[1:]]


def every_row(**cells: object) -> Callable[[Rows], Rows]:
    """Return what changes cells of every row."""
    return lambda rows: [{**row, **cells} for row in rows]


def real_data(inside: str) -> Path:
    """Return the folder of real data that has a file or folder; a test skips where none has.

    It is named by PLAINSIGHT_TEST_DATA, or lies as `shared/data` beside the checkout.
    """
    named = os.environ.get("PLAINSIGHT_TEST_DATA")
    beside = [parent / "shared" / "data" for parent in Path(__file__).resolve().parents]
    for data in [Path(named)] if named else beside:
        if (data / inside).exists():
            return data
    pytest.skip(f"needs {inside}; name its folder by PLAINSIGHT_TEST_DATA")


class Told(Silent):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep a line."""
        self.lines.append(line)

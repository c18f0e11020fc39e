"""Data that come with the suite, for trying things: written as files that the readers take."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from stimuli.io.files import naming
from xai_backend.studies.simulatability.embedded_loans import COLUMNS, loans
from xai_backend.studies.simulatability.embedded_reviews import reviews


def write_reviews(folder: Path) -> Path:
    """Write the made-up reviews as a CSV ``text,label``, and return its path."""
    return _written(folder / "reviews.csv", ("text", "label"), reviews())


def write_loans(folder: Path) -> Path:
    """Write the made-up loans as a CSV with a column ``label``, and return its path."""
    return _written(folder / "loans.csv", COLUMNS, loans())


def _written(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with naming(path), path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return path

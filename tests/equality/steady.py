"""What differs between two runs of the same code, made the same: dates, versions, durations."""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

VOLATILE = (
    # Simulated sessions begin in the year 2000: their dates are results.
    (re.compile(r"\b(?!2000)20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z?)?"), "DATE"),
    (
        re.compile(r"\b([A-Za-z][\w-]*) v?\d+\.\d+(?:\.\d+)+(?:[-+.]?(?:post|dev|rc|cpu)\w*)?"),
        r"\1 VERSION",
    ),
)
VERSION_KEYS = frozenset(("versions", "packages"))
DIGEST_KEYS = frozenset(("documents",))
"""Hashes of pages that hold a date."""
DURATION_KEYS = frozenset(("median_run_s",))
DURATION_HEADS = frozenset(("Times, median",))
"""How long this machine took, by the key in files and by the heading and unit on pages."""
DURATION = "DURATION"


def steady_text(text: str) -> str:
    """Return text without dates and versions."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def steady_value(value: Any) -> Any:
    """Return a JSON value without dates, versions, durations, and hashes of what holds dates."""
    if isinstance(value, str):
        return steady_text(value)
    if isinstance(value, list):
        return [steady_value(part) for part in value]
    if isinstance(value, dict):
        return {key: _of_key(key, part) for key, part in value.items()}
    return value


def steady_csv(text: str) -> str:
    """Return a table without durations, by the same bytes where it has none."""
    names = next(csv.reader(io.StringIO(text, newline="")), [])
    places = {place for place, name in enumerate(names) if name in DURATION_KEYS}
    if not places:
        return text
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows(
        [head, *(_masked(row, places) for row in rows)]
    )
    return stream.getvalue()


def steady_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines of a page without the durations in its tables."""
    kept: list[str] = []
    places: set[int] = set()
    before = ""
    for line in lines:
        kind, _, text = line.partition(": ")
        cells = text.split(" | ")
        if kind == "row" and before != "row":
            places = {place for place, head in enumerate(cells) if head in DURATION_HEADS}
        elif kind == "row" and places:
            line = f"row: {' | '.join(_masked(cells, places))}"
        kept.append(line)
        before = kind
    return kept


def _masked(cells: Iterable[str], places: set[int]) -> list[str]:
    return [DURATION if place in places else cell for place, cell in enumerate(cells)]


def _of_key(key: str, value: Any) -> Any:
    if key in DURATION_KEYS:
        return DURATION
    if key in VERSION_KEYS | DIGEST_KEYS and isinstance(value, dict):
        return dict.fromkeys(value, "VERSION" if key in VERSION_KEYS else "SHA-256")
    return steady_value(value)

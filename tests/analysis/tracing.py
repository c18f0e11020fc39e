"""Find what a report's sentences say that no row of its results says.

An interval in a sentence, with the number before it, must be the rounded limits and estimate of one
row; any other number must be the rounded value of something in the results.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from math import isfinite

from analysis.report.parts import Bullets, Paragraph
from tests.analysis.agreement import rows_of

SPACES = "\u202f\u00a0"
VALUE = rf"[+−-]?(?:\d[\d{SPACES}]*)?\.?\d+"
INTERVAL = re.compile(rf"\[({VALUE}), ({VALUE})\]")
LEVEL = re.compile(r",? 9[05] % interval $")
BEFORE = re.compile(rf"({VALUE})(?: %| points| log odds a second)? ?$")
LIMITS = (("ci_low", "ci_high"), ("adjusted_low", "adjusted_high"), ("low_90", "high_90"))
NOT_VALUES = re.compile(
    r"[A-Z]\w+[^.;,)]* (?:19|20)\d\d|section [\w.–-]+|(?:Table|Figure)s? [\dIVX]+(?: and \d+)?"
    r"|9[05] %|5 %|[<>] \.\d+"
)
NUMBER = re.compile(rf"(?<![\w.,′]){VALUE}(?![\w.]*\d)")


def untraced(found: Mapping) -> Callable[[str], list[str]]:
    """Return what finds the intervals and numbers of a sentence that the results don't have."""
    rows, values = [row for _, row in rows_of(dict(found))], set(_values(found))
    return partial(_untraced, rows, values)


def _untraced(rows: list[Mapping], values: set[float], sentence: str) -> list[str]:
    gone = []
    for match in INTERVAL.finditer(sentence):
        before = BEFORE.search(LEVEL.sub("", sentence[: match.start()]))
        told = (before.group(1) if before else None, *match.groups())
        if not any(_is_row(told, row) for row in rows):
            gone.append(f"{told[0]} {match.group()}")
    told = NOT_VALUES.sub("", INTERVAL.sub("", sentence))
    numbers = (match.group() for match in NUMBER.finditer(told))
    return [*gone, *(one for one in numbers if not any(_rounds(value, one) for value in values))]


def _is_row(told: tuple[str | None, str, str], row: Mapping) -> bool:
    estimate, *ends = told
    if estimate is not None and not _rounds(row.get("estimate"), estimate):
        return False
    return any(
        all(_rounds(row.get(name), end) for name, end in zip(names, ends, strict=True))
        for names in LIMITS
    )


def _rounds(value: float | None, told: str) -> bool:
    """Whether a number is a value, or a hundred times it, as it is printed; of either sign."""
    if value is None or not isfinite(value):
        return False
    printed, reach = _printed(told)
    return any(abs(factor * abs(value) - printed) <= reach for factor in (1, 100))


@cache
def _printed(told: str) -> tuple[float, float]:
    """Return a printed number without its sign, and how far off rounding may have put it."""
    plain = re.sub(rf"[{SPACES}+−-]", "", told)
    return float(plain), 0.5000001 * 10.0 ** -len(plain.partition(".")[2])


def _values(found) -> Iterator[float]:
    """Yield every number of results, also those in words, and how many rows a list has."""
    if isinstance(found, int | float):
        yield float(found)
    elif isinstance(found, str):
        yield from map(float, re.findall(r"\d+(?:\.\d+)?", found))
    elif isinstance(found, Mapping):
        for name, one in found.items():
            if name != "headline":
                yield from _values(one)
    elif found is not None:
        yield float(len(found))
        for one in found:
            yield from _values(one)


def sentences_of(report) -> Iterator[str]:
    """Yield the headline, and the sentences of the sections that a study has of its own."""
    yield from report.headline
    for section in report.sections:
        if section.title == "Methods":
            return
        for part in section.parts:
            if isinstance(part, Paragraph) and part.kind == "plain":
                yield part.text
            elif isinstance(part, Bullets):
                yield from part.items

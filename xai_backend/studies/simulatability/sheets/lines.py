"""A cell's lines, read from the first to the last by how they are written."""

import re
from collections import deque
from collections.abc import Mapping
from functools import cache
from typing import Final

_FIELDS: Final[Mapping[str, str]] = {
    "text": r"(.+?)",
    "number": r"([+-]?\d+\.\d+)",
    "count": r"(\d+)",
}


class Lines:
    """Lines that are still to be read; empty ones, and blanks around them, don't count.

    A line's form is written with the fields ``{text}``, ``{number}`` (such as -0.25) and
    ``{count}``, as in ``{text} | {number}``; one blank in it stands for any number of them.
    """

    def __init__(self, text: str) -> None:
        self._left = deque(line.strip() for line in text.splitlines() if line.strip())

    def __bool__(self) -> bool:
        return bool(self._left)

    def next(self, *forms: str) -> tuple[str, ...]:
        """Read the next line, and return its fields by the first form that it has.

        Raises
        ------
        ValueError
            If no line is left, or it has none of the forms.
        """
        for form in forms:
            found = self._fields(form)
            if found is not None:
                self._left.popleft()
                return found
        said = repr(self._left[0]) if self._left else "nothing"
        raise ValueError(f"{said} instead of {' or '.join(map(repr, forms))}")

    def all_of(self, form: str) -> list[tuple[str, ...]]:
        """Read lines as long as they have a form, and return the fields of each."""
        found = []
        while (fields := self._fields(form)) is not None:
            self._left.popleft()
            found.append(fields)
        return found

    def end(self) -> None:
        """Check that all lines are read.

        Raises
        ------
        ValueError
            If one is left.
        """
        if self._left:
            raise ValueError(f"{self._left[0]!r} after the end of the explanation")

    def _fields(self, form: str) -> tuple[str, ...] | None:
        found = _pattern(form).fullmatch(self._left[0]) if self._left else None
        return found.groups() if found else None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    written, *rest = re.split(r"\{(\w+)\}", form)
    parts = [_literal(written)]
    for field, then in zip(rest[::2], rest[1::2], strict=True):
        parts += [_FIELDS[field], _literal(then)]
    return re.compile("".join(parts))


def _literal(written: str) -> str:
    return r"\s+".join(re.escape(word) for word in written.split(" "))

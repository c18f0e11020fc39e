"""A paper's values beside the same here: what it reports is a TOML file of the study."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from analysis.report.frame import Beside, PaperBeside
from analysis.report.wording import NOTHING

TITLE: Final = "Published values beside ours"
MINUS: Final = re.compile(r"-(?=\d)")
Named = Mapping[str, Callable[[Any], str]]
"""How the entries of a column are written."""


@dataclass(frozen=True, slots=True)
class Ours:
    """What a report has beside a published value: its words, and the number if it is one."""

    words: str = NOTHING
    value: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """Values of one kind that a paper reports.

    Attributes
    ----------
    id
        What finds the same here.
    what, published
        What a value is, and what the paper gives; names of columns in braces stand for a row's
        entries, ``{per_cent}`` for its value as per cent.
    place
        Section, table or figure of the paper; may name columns, too.
    columns, rows
        Whose each value is, and the value.
    value
        The column of the number; empty if the paper gives none.
    of
        What it is divided by: a number or a column.
    """

    id: str
    what: str
    published: str
    place: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ((),)
    value: str = ""
    of: float | str = 1

    def beside(self, ours: Callable[[Mapping[str, Any]], Ours], named: Named) -> Iterator[Beside]:
        """Yield each published value with ours."""
        for row in self.rows:
            entries = dict(zip(self.columns, row, strict=True))
            value = self._value(entries)
            words = {name: named[name](entry) if name in named else entry
                     for name, entry in entries.items()}  # fmt: skip
            if value is not None:
                words["per_cent"] = 100 * value
            here = ours(entries)
            yield Beside(
                self.what.format(**words),
                MINUS.sub("−", self.published.format(**words)),
                self.place.format(**words),
                here.words,
                value,
                here.value,
            )

    def _value(self, entries: Mapping[str, Any]) -> float | None:
        if not self.value:
            return None
        whole = entries[self.of] if isinstance(self.of, str) else self.of
        value = entries[self.value]
        return value if whole == 1 else value / whole


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper reports: its reference, a remark on its values, and these."""

    reference: str
    remark: str
    tables: tuple[PaperTable, ...]

    @classmethod
    def read(cls, study: Path) -> "Paper":
        """Return what ``published.toml`` in a study's folder says."""
        parts = tomllib.loads((study / "published.toml").read_text(encoding="utf-8"))
        tables = tuple(PaperTable(**table) for table in parts["table"])
        return cls(parts["reference"], parts["remark"], tables)

    def beside(
        self, ours: Mapping[str, Callable[[Mapping[str, Any]], Ours]], named: Named | None = None
    ) -> PaperBeside:
        """Return the paper's values with ours.

        Parameters
        ----------
        ours
            By a table's id, what a report has beside an entry; the paper's tables without one are
            left out.
        named
            How the entries of a column are written; others as they are.
        """
        rows = (
            row
            for table in self.tables
            if table.id in ours
            for row in table.beside(ours[table.id], named or {})
        )
        return PaperBeside(self.reference, self.remark, tuple(rows))

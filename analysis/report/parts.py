"""What a report is made of, before it becomes a page."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ``quiet`` for remarks, ``paste`` for text to take over into a paper."""

    text: str
    kind: Literal["plain", "quiet", "paste", "formula"] = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: its heading, its unit, and whether it holds numbers."""

    heading: str
    unit: str = ""
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A numbered table; cells are text already.

    Attributes
    ----------
    caption, columns, rows, note
        What it says; a note stands below.
    strong
        Rows that are set off by a rule above.
    row_headers
        How many leading columns name their row.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    strong: frozenset[int] = field(default_factory=frozenset)
    row_headers: int = 1


@dataclass(frozen=True, slots=True)
class Picture:
    """A numbered figure; ``name`` is its file's stem, ``alt`` says what it shows."""

    name: str
    caption: str
    alt: str
    drawing: Drawing = field(repr=False)


Part = Paragraph | Bullets | Table | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """A titled run of parts."""

    title: str
    parts: tuple[Part, ...]

    @property
    def anchor(self) -> str:
        """The section's id in the page."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.lower()).split())


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the strip at the top."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report."""

    title: str
    subtitle: str
    headline: tuple[str, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]


def table(
    caption: str,
    columns: Sequence[tuple[str, str, bool]],
    rows: Sequence[Sequence[str]],
    note: str = "",
    strong: Sequence[int] = (),
    row_headers: int = 1,
) -> Table:
    """Return a table from plain tuples (heading, unit, numeric)."""
    return Table(
        caption,
        tuple(Column(*column) for column in columns),
        tuple(tuple(row) for row in rows),
        note,
        frozenset(strong),
        row_headers,
    )

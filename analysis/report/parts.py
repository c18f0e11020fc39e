"""The parts of a report, such as paragraphs, tables and sections, before it becomes a page.

A study's sentences are written once. If its protocol shows something else than usual, such as texts
instead of images, `reworded` changes the words of the finished report or preregistration. Numbers,
files and ids stay.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal, TypeVar, cast

from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text

from analysis.report.wording import (
    NOTHING,
    alike,
    bare_percent,
    bayes_factor,
    estimated,
    estimated_alike,
    interval,
    listed,
    no_finer,
    number,
    p_value,
    percent,
    rounded,
)

Row = Any
"""A row of a table: a mapping, or a dataclass."""
Rows = Sequence[Row]
RESULTS_BESIDE: Final = (
    "Every number of this page is in results.json beside it; tables and figures are in "
    "tables/ and figures/."
)
REFIT_BESIDE: Final = (
    "If a mixed model was fitted, refit/ has its data and an R script that fits it again: "
    "Rscript refit.R."
)

BAYES: Final = (
    "BF₁₀: how many times better a difference than none explains the data (JZS, with pingouin’s "
    "usual scale); not corrected."
)
STANDARDISED: Final = (
    "d: the difference by means, divided by the standard deviation of a single answer, which is "
    "pooled over the compared cells."
)
Say = Callable[[str], str]
Value = TypeVar("Value")
KEPT: Final = frozenset({"id", "name", "kind", "formula", "files", "subtitle", "of", "role"})
"""Fields that aren't read as sentences: ids, names of files and columns, paths."""
AS_SHOWN: Final = "as shown"
"""Marks a figure's text (its gid) that quotes what participants saw."""
QUOTED: Final = frozenset({"Published", "Image", "Label", "System’s label", "Data set’s label"})
"""Headings of columns that quote a paper, or a lab's names of what was judged."""


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
class Bounds:
    """Where the limits of an estimate are in a row, and the function that writes them."""

    low: str | Callable[[Any], Any]
    high: str | Callable[[Any], Any]
    write: Callable[[float], str]

    def of(self, row: Row) -> tuple[float | None, float | None]:
        """Return the limits in a row."""
        return _value(row, self.low), _value(row, self.high)


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column.

    Attributes
    ----------
    heading, unit
        The text above it.
    of
        Its value in a row: a key, or a function of the row.
    write
        How a number is printed; None for a column of words.
    once
        Whether a cell that repeats the one above it is left blank.
    note
        A note below the table if the column is shown.
    bounds
        The limits of the column before it, if it is the column of their interval.
    within
        The limits that stand in its own cells, after the estimate.
    family
        Returns how many tests a row's p is corrected over; the table's note says so.
    """

    heading: str
    of: str | Callable[[Any], Any]
    write: Callable[[Any], str] | None = None
    unit: str = ""
    once: bool = False
    note: str = ""
    bounds: Bounds | None = None
    within: Bounds | None = None
    family: Callable[[Any], int | None] | None = None

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.write is not None

    def value(self, row: Row) -> Any:
        """Return its value in a row."""
        return _value(row, self.of)

    def text(self, row: Row) -> str:
        """Return the cell of a row."""
        value = self.value(row)
        if self.write is not None and self.within is not None:
            return estimated(self.write, value, *self.within.of(row))
        if self.write is not None:
            return self.write(value)
        return NOTHING if value is None else str(value)


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


@dataclass(frozen=True, slots=True)
class Fold:
    """The beginning of a folded run of a section's parts; without a title, its end.

    It opens when its title is chosen, when the browser finds a word in it, and in print.
    """

    title: str = ""


Part = Paragraph | Bullets | Table | Picture | Fold


@dataclass(frozen=True, slots=True)
class Section:
    """A titled run of parts; a ``folded`` one opens as a `Fold` does."""

    title: str
    parts: tuple[Part, ...]
    id: str = ""
    folded: bool = False

    @property
    def anchor(self) -> str:
        """The section's id in the page and in preregistrations; made of the title by default."""
        return self.id or "-".join(
            "".join(c if c.isalnum() else " " for c in self.title.lower()).split()
        )


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the strip at the top."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report: its page, and ``files``, the rows of its tables by file stem.

    ``footer`` is the page's last sentence; ``warnings`` stand above the headline.
    """

    title: str
    subtitle: str
    headline: tuple[str, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    files: Mapping[str, Rows] = field(default_factory=dict)
    footer: str = RESULTS_BESIDE
    warnings: tuple[str, ...] = ()


def cell(row: Row, name: str) -> Any:
    """Return a value of a row by its name."""
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def _value(row: Row, of: str | Callable[[Any], Any]) -> Any:
    """Return a value of a row by its name, or by a function of the row."""
    return of(row) if callable(of) else cell(row, of)


def limits(
    write: Callable[[float], str] = number, low: str = "ci_low", high: str = "ci_high"
) -> Column:
    """Return the column of a 95 % interval."""
    bounds = Bounds(low, high, write)
    return Column("95 % interval", lambda row: interval(*bounds.of(row), write), str, bounds=bounds)


def holm_limits(
    write: Callable[[float], str] = number, low: str = "holm_low", high: str = "holm_high"
) -> Column:
    """Return the column of a 95 % interval that is corrected as the p beside it."""
    return replace(limits(write, low, high), unit="Holm")


def corrected_p(
    name: str | Callable[[Row], Any] = "p_adjusted",
    family: str | Callable[[Row], Any] = "family",
) -> Column:
    """Return the column of p after Holm's correction, with the size of its family."""
    of = Column("", family)
    return Column("p", name, p_value, "Holm", family=of.value)


def standardised_column(name: str | Callable[[Row], Any] = "d") -> Column:
    """Return the column of a difference in standard deviations of single answers."""
    return Column("d", name, rounded(number, 2), note=STANDARDISED)


def bayes_column(name: str | Callable[[Row], Any] = "bf10") -> Column:
    """Return the column of a Bayes factor of a difference against none."""
    return Column("BF₁₀", name, bayes_factor, note=BAYES)


def share_with_limits(heading: str, name: str = "rate") -> tuple[Column, Column]:
    """Return the columns of a share in per cent and of its 95 % interval.

    Neither has more decimals than the intervals support, and one at most.
    """
    return Column(heading, name, rounded(percent, 1)), limits(rounded(bare_percent, 1))


def between(name: str, write: Callable[[float], str]) -> Callable[[Row], str]:
    """Return a function that writes the 95 % interval of one of a row's values."""
    return lambda row: interval(cell(row, f"{name}_low"), cell(row, f"{name}_high"), write)


def with_limits(name: str) -> Callable[[Row], str]:
    """Return a function that writes one of a row's values with its 95 % interval."""
    bounds = Bounds(f"{name}_low", f"{name}_high", number)
    return lambda row: " ".join(_estimated(number, cell(row, name), bounds, row))


def _estimated(
    write: Callable[[Any], str], value: Any, bounds: Bounds, row: Row
) -> tuple[str, str]:
    """Return an estimate and its interval, with no more digits than the interval allows."""
    low, high, middle = _interval(value, bounds, row)
    limits_text = interval(low, high, no_finer(bounds.write, low, high, middle))
    return no_finer(write, low, high, middle)(value), limits_text


def _interval(value: Any, bounds: Bounds, row: Row) -> tuple[float | None, ...]:
    return (*bounds.of(row), value if isinstance(value, int | float) else None)


def _column_texts(columns: Sequence[Column], rows: Rows) -> list[list[str]]:
    """Return the cells by column; estimates and limits of a column have equally many decimals."""
    texts = [[column.text(row) for row in rows] for column in columns]
    for place, column in enumerate(columns):
        if column.within is not None and column.write is not None:
            cells = [(column.value(row), *column.within.of(row)) for row in rows]
            texts[place] = estimated_alike(column.write, cells)
    for place, (column, following) in enumerate(pairwise(columns)):
        write, bounds = column.write, following.bounds
        if bounds is None or write is None:
            continue
        values = [column.value(row) for row in rows]
        pairs = list(zip(values, rows, strict=True))
        intervals = [_interval(value, bounds, row) for value, row in pairs]
        writer, ends = alike(write, intervals), alike(bounds.write, intervals)
        if writer is None or ends is None:
            written = [_estimated(write, value, bounds, row) for value, row in pairs]
        else:
            written = [(writer(value), interval(*bounds.of(row), ends)) for value, row in pairs]
        texts[place], texts[place + 1] = (list(part) for part in zip(*written, strict=True))
    return texts


def _filled(columns: Sequence[Column], rows: Rows, headers: int) -> tuple[Column, ...]:
    return tuple(
        column
        for place, column in enumerate(columns)
        if place < headers or not rows or any(column.text(row) not in ("", NOTHING) for row in rows)
    )


def table(
    caption: str,
    columns: Sequence[Column],
    rows: Rows,
    note: str = "",
    strong: Iterable[int] = (),
    row_headers: int = 1,
) -> Table:
    """Return a table with the rows' values as its columns print them.

    A column that holds nothing in any row is left out.
    """
    columns = _filled(columns, rows, row_headers)
    texts = list(zip(*_column_texts(columns, rows), strict=True)) if rows else []
    families = (_family_words(column.family, rows) for column in columns if column.family)
    notes = [note, *dict.fromkeys(families), *(column.note for column in columns)]
    note = " ".join(filter(None, notes))
    cells = tuple(
        tuple(
            "" if column.once and above is not None and above[place] == cell else cell
            for place, (column, cell) in enumerate(zip(columns, text, strict=True))
        )
        for above, text in zip([None, *texts], texts, strict=False)
    )
    return Table(caption, tuple(columns), cells, note, frozenset(strong), row_headers)


def _family_words(family: Callable[[Any], int | None], rows: Rows) -> str:
    """Return how many tests p is corrected over, and how many of them the table shows."""
    sizes = [size for row in rows if (size := family(row)) is not None]
    largest = max(sizes, default=1)
    if largest == 1:
        return ""
    over = listed([str(size) for size in sorted(set(sizes))])
    of_which = f", of which {len(sizes)} are shown" if len(sizes) < largest else ""
    return f"Holm’s correction is over {over} tests{of_which}."


def reworded(value: Value, say: Say) -> Value:
    """Return a value with every sentence in it reworded; a figure's words are changed in place.

    Parameters
    ----------
    value
        A sentence, or a tuple or dataclass that holds some.
    say
        Returns a sentence in other words.
    """
    if isinstance(value, str):
        return cast(Value, say(value))
    if isinstance(value, tuple):
        return cast(Value, tuple(reworded(part, say) for part in value))
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {
        field.name: reworded(getattr(value, field.name), say)
        for field in fields(value)
        if field.init and field.name not in KEPT
    }
    if isinstance(value, Table):
        changed["rows"] = tuple(_cells(value, row, say) for row in value.rows)
    if isinstance(value, Picture):
        _reword_figure(value, say)
    return replace(value, **changed)


def _cells(table: Table, row: tuple[str, ...], say: Say) -> tuple[str, ...]:
    pairs = zip(table.columns, row, strict=True)
    return tuple(cell if column.heading in QUOTED else say(cell) for column, cell in pairs)


def _reword_figure(picture: Picture, say: Say) -> None:
    for text in picture.drawing.findobj(Text):
        assert isinstance(text, Text)
        if text.get_gid() != AS_SHOWN and (words := say(text.get_text())) != text.get_text():
            text.set_text(words)

"""Tables, figures and models of a report, declared once for the page and for the files.

A study declares them as constants, so the names of its files are known before the analysis. The
parts of the page and the rows of the files are made from results.json. One stated rule says how
many rows of a long table the page shows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

from matplotlib.figure import Figure

from analysis.report.model import CORRELATIONS, model_parts
from analysis.report.parts import Column, Fold, Paragraph, Part, Picture, Row, Rows, cell, table

Item = TypeVar("Item")

MOST_LISTED = 12
MOST_ROWS = 24
"""A page shows so many rows of a table that doesn't say which of them matter most."""

Results = Any
"""What is shown: a question's answer, or the whole results as a mapping."""
Source = str | Callable[[Any], Any]
"""Where a value is in the results: a path (``controls.kinds``), or a function of them."""
Text = str | Callable[[Results], str]
FOLDED: Final = "The model: formulas, fixed and random effects"


def cut(
    rows: Sequence[Item], noun: str, file: str, first: Callable[[Item], bool], why: str
) -> tuple[list[Item], str]:
    """Return the rows that a page shows, and a note that says which those are.

    Up to twelve rows all are shown. Beyond, those that matter most are, twelve at most; the
    table's file always holds all.

    Parameters
    ----------
    rows
        In the order of the page.
    noun
        What a row is, in the plural.
    file
        Name of the table that holds all of them.
    first
        Returns whether a row is shown in a long table.
    why
        Which those are, in words; if every row may be shown, their order, or nothing.
    """
    if len(rows) <= MOST_LISTED:
        return list(rows), ""
    chosen = [row for row in rows if first(row)]
    everything = f"tables/{file}.csv has all."
    if not chosen:
        return (
            [],
            f"Only {why} are listed here; there are none among the {len(rows)} {noun}. "
            f"{everything}",
        )
    listed = chosen[:MOST_LISTED]
    which = f"the first {len(listed)} of {len(chosen)} {why}" if len(listed) < len(chosen) else why
    text = (
        f"The first {len(listed)} of {len(rows)} {noun}{f', {why}' if why else ''}"
        if len(chosen) == len(rows)
        else f"{len(listed)} of {len(rows)} {noun}: {which}"
    )
    return listed, f"{text}; {everything}"


def taken(results: Results, source: Source) -> Any:
    """Return a value of the results: at a path, or as a function makes it of them."""
    if callable(source):
        return source(results)
    value: Any = results
    for name in source.split("."):
        value = cell(value, name)
    return value


def some(source: Source) -> Source:
    """Return the source of a table that has no file if it has no rows."""
    return lambda results: taken(results, source) or None


def changes(*keys: str | Callable[[Any], Any]) -> Callable[[Rows], list[int]]:
    """Return a function that finds rows that differ from the row above.

    They differ in the value of one of these keys, or of what a function returns of them.
    """

    def values(row: Row) -> list[Any]:
        return [key(row) if callable(key) else cell(row, key) for key in keys]

    return lambda rows: [
        place for place in range(1, len(rows)) if values(rows[place]) != values(rows[place - 1])
    ]


def spelled(key: str, words: Mapping[Any, str]) -> Callable[[Row], str]:
    """Return a function that looks up a row's value in a dictionary of words."""
    return lambda row: words[cell(row, key)]


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table: rows of the results, as a file and on the page.

    Attributes
    ----------
    name
        Stem of its file; empty for a table that is only on the page.
    rows
        Its rows. None (not an empty list) if the report has no such file.
    caption, columns, note
        What the page says; a table without columns is a file alone.
    shown
        The page's rows, if they aren't the file's.
    cut
        What shortens a long table on the page, and says so (see `cut`). A
        table with a file and more than `MOST_ROWS` rows is cut without it, too.
    whole
        Whether the page has all rows, however many there are.
    strong
        Which rows are set off by a rule above.
    row_headers
        How many leading columns name their row.
    otherwise
        The sentence in place of a table without rows, or whose columns hold nothing.
    """

    name: str
    rows: Source
    caption: Text = ""
    columns: Sequence[Column] | Callable[[Results], Sequence[Column]] = ()
    note: Text = ""
    shown: Source | None = None
    cut: Callable[[Rows], tuple[Rows, str]] | None = None
    whole: bool = False
    strong: Callable[[Rows], Iterable[int]] = lambda _: ()
    row_headers: int = 1
    otherwise: str = ""

    @property
    def tables(self) -> tuple[str, ...]:
        """Stems of its files."""
        return (self.name,) if self.name else ()

    def files(self, results: Results) -> dict[str, Rows]:
        """Return the rows of its file by stem."""
        rows = taken(results, self.rows) if self.name else None
        return {} if rows is None else {self.name: [as_mapping(row) for row in rows]}

    def parts(self, results: Results) -> tuple[Part, ...]:
        """Return the page's table; if it would say nothing, `otherwise` or nothing."""
        rows: Rows = taken(results, self.shown or self.rows) or ()
        columns: Sequence[Column] = (
            self.columns if isinstance(self.columns, Sequence) else self.columns(results)
        )
        nothing = (Paragraph(self.otherwise),) if self.otherwise else ()
        if not rows or not columns:
            return nothing
        rows, listed = self._cut(rows)
        if not rows:
            return (Paragraph(listed, "quiet"),)
        caption, note = _resolve_text(results, self.caption), _resolve_text(results, self.note)
        note = f"{listed} {note}".strip()
        page_table = table(caption, columns, rows, note, self.strong(rows), self.row_headers)
        if len(page_table.columns) <= self.row_headers < len(columns):
            return nothing  # The rows have names, but no known values.
        return (page_table,)

    def _cut(self, rows: Rows) -> tuple[Rows, str]:
        if self.cut:
            return self.cut(rows)
        if self.whole or not self.name or len(rows) <= MOST_ROWS:
            return rows, ""
        return cut(rows, "rows", self.name, lambda _: True, "")


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """A figure.

    Attributes
    ----------
    name
        Stem of its files.
    caption, alt
        What the page says, and what it shows in words.
    draw
        Draws it.
    when
        Whether there is anything to draw.
    """

    name: str
    caption: Text
    alt: Text
    draw: Callable[[Results], Figure]
    when: Source = lambda _: True

    def parts(self, results: Results) -> tuple[Part, ...]:
        """Return the figure; nothing if there is nothing to draw."""
        if not taken(results, self.when):
            return ()
        caption, alt = _resolve_text(results, self.caption), _resolve_text(results, self.alt)
        return (Picture(self.name, caption, alt, self.draw(results)),)


@dataclass(frozen=True, slots=True)
class ReportModel:
    """A mixed model: its parts of the page, and its coefficients as files.

    Attributes
    ----------
    name
        Its files are ``name_fixed`` and ``name_random``, and ``name_correlations`` if it has any.
    model
        Where its outcome is in the results.
    title
        A sentence before it.
    kinds
        Which files it has.
    """

    name: str
    model: Source
    title: str = ""
    kinds: tuple[str, ...] = ("fixed", "random")

    @property
    def tables(self) -> tuple[str, ...]:
        """Stems of its files."""
        return tuple(f"{self.name}_{kind}" for kind in (*self.kinds, *self._further))

    @property
    def _further(self) -> tuple[str, ...]:
        return (CORRELATIONS,) if "random" in self.kinds else ()

    def files(self, results: Results) -> dict[str, Rows]:
        """Return the rows of its files by stem; none if no model was fitted."""
        model = _whole(taken(results, self.model))
        if not model.get("fitted"):
            return {}
        kinds = (*self.kinds, *(kind for kind in self._further if model.get(kind)))
        return {f"{self.name}_{kind}": model[kind] for kind in kinds}

    def parts(self, results: Results) -> tuple[Part, ...]:
        """Return what the page says of the model; nothing if there is none."""
        model = _whole(taken(results, self.model))
        if not model:
            return ()
        title = (Paragraph(self.title),) if self.title else ()
        if not model["fitted"]:
            return (*title, *model_parts(model))
        parts = model_parts(model, (model["coding"], model["rule"]), self.name)
        return (*title, Fold(FOLDED), *parts, Fold())


def as_mapping(row: Row) -> Mapping[str, Any]:
    """Return a row by its columns."""
    if isinstance(row, Mapping):
        return row
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _whole(model: Any) -> Mapping[str, Any]:
    """Return a model's outcome with its rows as mappings; an empty one if there is none."""
    return model or {} if isinstance(model, Mapping | None) else asdict(model)


def _resolve_text(results: Results, text: Text) -> str:
    return text if isinstance(text, str) else text(results)

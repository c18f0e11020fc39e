"""What the sheets' rows contain: inputs, their changes, and explanations by method.

A row knows its file and number. A cell's lines are read in order, each by the form in which it is
written. Explanations become typed values, with their places in an input.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeVar

from openpyxl import load_workbook

from stimuli.errors import UserError, first_line
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Boundary,
    BoundaryStep,
    Composite,
    Condition,
    Edit,
    Lime,
    Omission,
    Prototype,
    TableInput,
    TextInput,
    Weighted,
    edits_between,
)
from xai_backend.studies.simulatability.trained import AnyInput

_FIELDS: Final[Mapping[str, str]] = {
    "text": r"(.+?)",
    "number": r"([+-]?\d+\.\d+)",
    "count": r"(\d+)",
}
T = TypeVar("T")
_MARKED: Final = re.compile(r"\*\*(.+)\*\*")


class Lines:
    """Lines still to be read, without empty lines and surrounding blanks.

    A line's form is written with the fields ``{text}``, ``{number}`` (such as -0.25) and
    ``{count}``, as in ``{text} | {number}``; one blank in it stands for any number of them.
    """

    def __init__(self, text: str) -> None:
        self._left = deque(line.strip() for line in text.splitlines() if line.strip())

    def __bool__(self) -> bool:
        return bool(self._left)

    def next(self, *forms: str) -> tuple[str, ...]:
        """Read the next line, and return its fields by the first form that fits.

        Raises
        ------
        ValueError
            If no line is left, or it has none of the forms.
        """
        for form in forms:
            fields = self._fields(form)
            if fields is not None:
                self._left.popleft()
                return fields
        line = repr(self._left[0]) if self._left else "nothing"
        raise ValueError(f"{line} instead of {' or '.join(map(repr, forms))}")

    def all_of(self, form: str) -> list[tuple[str, ...]]:
        """Read lines as long as they fit a form, and return the fields of each."""
        all_fields = []
        while (fields := self._fields(form)) is not None:
            self._left.popleft()
            all_fields.append(fields)
        return all_fields

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
        match = _pattern(form).fullmatch(self._left[0]) if self._left else None
        return match.groups() if match else None


@cache
def _pattern(form: str) -> re.Pattern[str]:
    written, *rest = re.split(r"\{(\w+)\}", form)
    parts = [_literal(written)]
    for field, then in zip(rest[::2], rest[1::2], strict=True):
        parts += [_FIELDS[field], _literal(then)]
    return re.compile("".join(parts))


def _literal(written: str) -> str:
    return r"\s+".join(re.escape(word) for word in written.split(" "))


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a sheet.

    Attributes
    ----------
    place
        File and row, for messages.
    cells
        Texts by column, without surrounding blanks.
    """

    place: str
    cells: Mapping[str, str]

    @property
    def source_id(self) -> str:
        """The item's id in the data."""
        return self.cells["id"]

    def read(self, columns: Sequence[str], how: Callable[..., T]) -> T:
        """Read and return the content of cells.

        Parameters
        ----------
        columns
            The cells' columns.
        how
            Reads the cells from their lines; raises ValueError if it can't.

        Raises
        ------
        UserError
            If ``how`` can't read them, or lines are left.
        """
        cells = [Lines(self.cells[column]) for column in columns]
        try:
            content = how(*cells)
            for lines in cells:
                lines.end()
        except ValueError as fault:
            reason = first_line(fault)
            raise UserError(f"{self.place}, {' and '.join(columns)}: {reason}") from None
        return content


def read_rows(path: Path, columns: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows of a file's first sheet.

    Parameters
    ----------
    path
        An xlsx file whose first row names the columns.
    columns
        Columns to read; ``id`` is one of them. Others are left out.

    Raises
    ------
    UserError
        If the file is missing or damaged, a column is missing, a cell is empty, or an id comes
        twice.
    """
    header, *lines = _cells(path) or [()]
    missing = [name for name in columns if name not in header]
    if missing:
        raise UserError(f"{path}: column missing: {', '.join(missing)}")
    places = [header.index(name) for name in columns]
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines, start=2):
        if not any(line):
            continue
        cells = {name: line[place] for name, place in zip(columns, places, strict=True)}
        empty = [name for name, cell in cells.items() if not cell]
        if empty:
            raise UserError(f"{path}, row {number}: {empty[0]} is empty")
        if cells["id"] in rows:
            raise UserError(f"{path}, row {number}: id {cells['id']} occurs twice")
        rows[cells["id"]] = Row(f"{path}, row {number}", cells)
    return tuple(rows.values())


def _cells(path: Path) -> list[tuple[str, ...]]:
    if not path.is_file():
        raise UserError(f"{path}: there is no such file; copy all published sheets")
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            lines = list(book.worksheets[0].iter_rows(values_only=True))
        finally:
            book.close()
    except PermissionError:
        raise UserError(f"{path}: can't be read; change its permissions") from None
    except Exception:  # openpyxl may raise anything on a damaged part
        raise UserError(f"{path}: isn't an xlsx file, or is damaged; copy it again") from None
    return [tuple("" if cell is None else str(cell).strip() for cell in line) for line in lines]


def read_sentence(lines: Lines) -> TextInput:
    """Read a sentence: a line whose tokens have blanks between them.

    Raises
    ------
    ValueError
        If there is no line.
    """
    return TextInput(tokens=tuple(lines.next("{text}")[0].split()))


def read_row(lines: Lines) -> TableInput:
    """Read a table's row: a line for each column, with its value.

    Raises
    ------
    ValueError
        If there is none.
    """
    pairs = [lines.next("{text} = {text}"), *lines.all_of("{text} = {text}")]
    columns, values = zip(*pairs, strict=True)
    return TableInput(columns=columns, values=values)


def read_edits(lines: Lines, original: AnyInput) -> tuple[Edit, ...]:
    """Read the changes of an input; return them by place.

    A changed sentence is a line that marks its new words, as in ``a **new** film``. For a table's
    row, each changed column has a line with its old and new value.

    Raises
    ------
    ValueError
        If a changed sentence doesn't have as many tokens as the original; if an unmarked word
        differs or a marked one doesn't; if the original doesn't hold a column's old value; if a
        column comes twice; if nothing is changed.
    """
    if isinstance(original, TextInput):
        edits = _marked_edits(lines, original)
    else:
        edits = _listed_edits(lines, original)
    if not edits:
        raise ValueError("no change is marked")
    return edits


def _marked_edits(lines: Lines, original: TextInput) -> tuple[Edit, ...]:
    marked_tokens = lines.next("{text}")[0].split()
    marks = [_MARKED.fullmatch(token) for token in marked_tokens]
    tokens = [mark[1] if mark else token for mark, token in zip(marks, marked_tokens, strict=True)]
    if len(tokens) != len(original.tokens):
        raise ValueError(
            f"the changed sentence has {len(tokens)} tokens, the original {len(original.tokens)}"
        )
    edits = edits_between(original, original.replaced(tokens))
    marked = {place for place, mark in enumerate(marks) if mark}
    for place in sorted(marked ^ {edit.place for edit in edits}):
        raise ValueError(
            f"token {place + 1}, {tokens[place]!r}, is marked or changed, but not both"
        )
    return edits


def _listed_edits(lines: Lines, original: TableInput) -> tuple[Edit, ...]:
    values = dict(zip(original.columns, original.values, strict=True))
    edits: dict[int, Edit] = {}
    for column, old, new in lines.all_of("{text} : {text} --> {text}"):
        if values.get(column) != old:
            raise ValueError(f"the row doesn't contain {column} = {old}")
        place = original.columns.index(column)
        if place in edits or old == new:
            raise ValueError(f"{column} is changed twice, or to its old value")
        edits[place] = Edit(place=place, old=old, new=new)
    return tuple(edits[place] for place in sorted(edits))


_TERM: Final = "{text} | {number}"
_RULE: Final = "----"
_ORIGINAL: Final = "Original evidence margin: {number}"

_NUMBERED = re.compile(r"(.+) \((\d+)(?:st|nd|rd|th)\)")


def lime(lines: Lines, instance: AnyInput) -> Lime:
    """Read a local linear model: features with weights, the baseline, the sum, and the total."""
    lines.next("Features:")
    features = [
        Weighted(name=name, places=everywhere(name, instance), weight=float(weight))
        for name, weight in lines.all_of(_TERM)
    ]
    return Lime(
        features=tuple(features),
        baseline=_number(lines, "Baseline: {number}", "Baseline evidence: {number}"),
        weights_sum=_number(lines, "Sum of weights: {number}"),
        total=_number(lines, "Total evidence: {number}"),
    )


def anchor(lines: Lines, instance: AnyInput) -> Anchor:
    """Read a rule, whose conditions are numbered."""
    (outcome,) = lines.next(
        "Conditions for model predicting '{text}':", "Conditions for the model predicting '{text}':"
    )
    conditions = lines.all_of("{count}. {text}")
    if [int(number) for number, _ in conditions] != list(range(1, len(conditions) + 1)):
        raise ValueError("the rule's conditions aren't numbered from 1")
    names = [name for _, name in conditions]
    pairs = zip(names, places_of_each(names, instance), strict=True)
    rule = tuple(Condition(name=name, places=places) for name, places in pairs)
    return Anchor(outcome=outcome, conditions=rule)


def prototype(lines: Lines, instance: AnyInput) -> Prototype:
    """Read a prototype, its label and evidence, and the input's parts that make it similar."""
    label, evidence = lines.next("Most activated prototype (label: {text}) | evidence: {number}")
    alike = (
        _row_beside(lines, instance) if isinstance(instance, TableInput) else read_sentence(lines)
    )
    lines.next(_RULE)
    lines.next("Informative words in input:", "Informative values in input:")
    return Prototype(
        prototype=alike, label=label, evidence=float(evidence), terms=_terms(lines, instance)
    )


def omission(lines: Lines, instance: AnyInput) -> Omission:
    """Read how much the evidence margin changes without a word or value."""
    margin = _number(lines, "Evidence margin: {number}", _ORIGINAL)
    lines.next("Informative values in input:", "Informative values in the input:")
    return Omission(margin=margin, terms=_terms(lines, instance))


def boundary(lines: Lines, instance: AnyInput) -> Boundary:
    """Read a path to the decision boundary, with the margin at each step."""
    margin = _number(lines, _ORIGINAL)
    target = _target(lines)
    steps = [_step(lines, instance, 1)]
    while lines:
        steps.append(_step(lines, instance, len(steps) + 1))
    return Boundary(target=target, margin=margin, steps=tuple(steps))


def composite(first: Lines, second: Lines, instance: AnyInput) -> Composite:
    """Read four methods together, from two cells."""
    linear = lime(first, instance)
    first.next(_RULE)
    rule = anchor(first, instance)
    target = _target(second)
    step = BoundaryStep(edits=read_edits(second, instance), margin=None)
    second.next(_RULE)
    return Composite(
        lime=linear,
        anchor=rule,
        boundary=Boundary(target=target, margin=None, steps=(step,)),
        prototype=prototype(second, instance),
    )


def _number(lines: Lines, *forms: str) -> float:
    return float(lines.next(*forms)[0])


def _terms(lines: Lines, instance: AnyInput) -> tuple[Weighted, ...]:
    terms = lines.all_of(_TERM)
    term_places = places_of_each([name for name, _ in terms], instance)
    return tuple(
        Weighted(name=name, places=places, weight=float(weight))
        for (name, weight), places in zip(terms, term_places, strict=True)
    )


def _row_beside(lines: Lines, row: TableInput) -> TableInput:
    """Read a prototype that is written beside the input."""
    lines.next("Variable | Prototype --- Original Input")
    lines.next(_RULE)
    rows = lines.all_of("{text} | {text} --- {text}")
    beside = [(column, value) for column, _, value in rows]
    if beside != list(zip(row.columns, row.values, strict=True)):
        raise ValueError("the input beside the prototype isn't the item's input")
    return TableInput(columns=row.columns, values=tuple(its for _, its, _ in rows))


def _target(lines: Lines) -> str:
    return lines.next("Edits for changing prediction to '{text}':")[0]


def _step(lines: Lines, instance: AnyInput, number: int) -> BoundaryStep:
    if isinstance(instance, TextInput):
        margin = _number(lines, f"Step {number}. Evidence margin: {{number}}")
        lines.next(_RULE)
    else:
        lines.next(f"Step {number}.")
        margin = _number(lines, "Evidence margin: {number}")
    return BoundaryStep(edits=read_edits(lines, instance), margin=margin)


@dataclass(frozen=True, slots=True)
class SheetMethod:
    """A method's form in the sheets.

    Attributes
    ----------
    file_part
        The method's name in file names.
    columns
        The columns of its explanations.
    read
        Reads an explanation from the lines of these columns and the input.
    """

    file_part: str
    columns: tuple[str, ...]
    read: Callable[..., AnyExplanation]


_ONE = ("explanation",)
METHODS: Final[Mapping[str, SheetMethod]] = {
    "lime": SheetMethod("LIME", _ONE, lime),
    "anchor": SheetMethod("Anchor", _ONE, anchor),
    "prototype": SheetMethod("prototype", _ONE, prototype),
    "decision_boundary": SheetMethod("decision_boundary", _ONE, boundary),
    "composite": SheetMethod("composite", ("explanation_a", "explanation_b"), composite),
    "omission": SheetMethod("omission", _ONE, omission),
}


def read_explanation(method: str, row: Row, instance: AnyInput) -> AnyExplanation:
    """Return a row's explanation.

    Parameters
    ----------
    method
        One of `METHODS`.
    row
        The row, with the method's columns.
    instance
        The input that it explains.

    Raises
    ------
    UserError
        If it doesn't have the form of the method's explanations, or names a part that the input
        doesn't have.
    """
    how = METHODS[method]
    return row.read(how.columns, partial(how.read, instance=instance))


def everywhere(name: str, instance: AnyInput) -> tuple[int, ...]:
    """Return all places of a word or value, by LIME's tokens.

    LIME cuts a sentence at every character that isn't a letter, digit or underscore, and has one
    weight for all occurrences: its ``t`` is a part of each ``n't``.

    Raises
    ------
    ValueError
        If the input doesn't have it.
    """
    if isinstance(instance, TableInput):
        return _somewhere(_whole(name, instance), name)
    tokens = enumerate(instance.tokens)
    places = [place for place, token in tokens if name in (token, *re.findall(r"\w+", token))]
    return _somewhere(places, name)


def places_of_each(names: Sequence[str], instance: AnyInput) -> tuple[tuple[int, ...], ...]:
    """Return the places of each of several words or values.

    Parameters
    ----------
    names
        Words, values, or ``column = value``. ``if (2nd)`` is the second ``if`` of the sentence. A
        name that is listed as often as it occurs stands for one place each time, else for all
        places.
    instance
        The input to which they belong.

    Raises
    ------
    ValueError
        If the input doesn't have one of them, or not as often.
    """
    listed, taken = Counter(names), {place for name in names for place in _whole(name, instance)}
    seen: Counter[str] = Counter()
    all_places = []
    for name in names:
        numbered = _NUMBERED.fullmatch(name)
        places = _of_name(numbered[1] if numbered else name, instance, taken)
        number = int(numbered[2]) if numbered else seen[name] + 1
        seen[name] += 1
        if number > len(places):
            raise ValueError(f"the input doesn't contain {name!r} as often")
        stands_for_one = numbered or listed[name] == len(places)
        all_places.append((places[number - 1],) if stands_for_one else places)
    return tuple(all_places)


def _of_name(name: str, instance: AnyInput, places: Collection[int]) -> tuple[int, ...]:
    """Return the places of a name; if no whole word matches, of a part of a word.

    Anchor's tokens are spaCy's: they split ``'ve`` into ``'`` and ``ve``. The ``'`` of a token that
    the list names as a whole is excluded.
    """
    whole = _whole(name, instance)
    if whole or isinstance(instance, TableInput):
        return _somewhere(whole, name)
    cut = ((place, re.findall(r"\w+|\W", token)) for place, token in enumerate(instance.tokens))
    return _somewhere([at for at, parts in cut if name in parts and at not in places], name)


def _whole(name: str, instance: AnyInput) -> list[int]:
    if isinstance(instance, TextInput):
        return [place for place, token in enumerate(instance.tokens) if token == name]
    pairs = enumerate(zip(instance.columns, instance.values, strict=True))
    return [at for at, (column, value) in pairs if name in (value, f"{column} = {value}")]


def _somewhere(places: Sequence[int], name: str) -> tuple[int, ...]:
    if not places:
        raise ValueError(f"the input doesn't contain {name!r}")
    return tuple(places)

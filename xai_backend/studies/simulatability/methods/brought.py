"""A lab's own explanations, made elsewhere: weights, rules, examples or texts, from a table."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    AnyExplanation,
    Condition,
    Prototype,
    Rationale,
    TableInput,
    TextInput,
    Weighted,
    Weights,
)
from xai_backend.packs.lab_tables import BETWEEN, Line, lines_of, number_in, values_in
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.methods.around import names_of
from xai_backend.studies.simulatability.text_data import sentence_in
from xai_backend.studies.simulatability.trained import AnyInput, Labelled, Trained

ID: Final = "id"
DOMAIN: Final = "domain"
PLACES: Final = "places"
WORDS: Final = "words"
ATTENTION: Final = "attention"
"""The column of weights that don't count for any class."""


class Brought(Protocol):
    """Explanations that are read from a file."""

    def has(self, item: Labelled, domain: str) -> bool:
        """Tell whether there is an explanation of an input."""

    def explain(self, item: Labelled, trained: Trained) -> AnyExplanation | None:
        """Return an input's explanation, or None."""


Form = Callable[[Sequence[Line], Labelled, Trained], AnyExplanation]
"""Makes an explanation from an input's lines; ValueError says briefly what is wrong."""


@dataclass(frozen=True, slots=True)
class OwnExplanations:
    """The lines of a table by domain (empty for any) and source id, and their form."""

    path: Path
    form: Form
    lines: Mapping[tuple[str, str], Sequence[Line]]

    def has(self, item: Labelled, domain: str) -> bool:
        """Tell whether there is an explanation of an input."""
        return self._lines_of(item, domain) is not None

    def explain(self, item: Labelled, trained: Trained) -> AnyExplanation | None:
        """Return an input's explanation; None if the table has none.

        Raises
        ------
        UserError
            If it doesn't fit the input; the message has the line, the fault and the input's id.
        """
        lines = self._lines_of(item, trained.domain)
        if lines is None:
            return None
        try:
            return self.form(lines, item, trained)
        except ValueError as error:
            where = f"{self.path}, row {lines[0].number}"
            raise UserError(f"{where}: {error} (id {item.source_id})") from None

    def check_ids(self, ids: Mapping[str, Collection[str]], reporter: Reporter) -> None:
        """Report how many of the table's ids no input has.

        Parameters
        ----------
        ids
            The inputs' ids, by domain.
        reporter
            Prints the report in one line.

        Raises
        ------
        UserError
            If no input has any of the ids.
        """
        strange = [
            lines[0]
            for (domain, name), lines in self.lines.items()
            if not any(name in known_ids for key, known_ids in ids.items() if domain in ("", key))
        ]
        if not strange:
            return
        such = f"such as {strange[0].cells[ID]}, row {strange[0].number}"
        if len(strange) == len(self.lines):
            raise UserError(
                f"{self.path}: no input has any of its ids ({such}); use the data's ids"
            )
        balanced = ", or their class was the more frequent one (models.resample)"
        why = f"the data lack them{balanced if 'tabular' in ids else ''}"
        reporter.say(
            f"caution: {self.path.name}: {len(strange)} of its {len(self.lines)} ids are left out "
            f"({such}): {why}"
        )

    def _lines_of(self, item: Labelled, domain: str) -> Sequence[Line] | None:
        return self.lines.get((domain, item.source_id)) or self.lines.get(("", item.source_id))


def read_explanations(path: Path) -> OwnExplanations:
    """Return a table's explanations.

    It is a table with a column ``id`` (as in the data), optionally ``domain``
    (``text`` or ``tabular``; empty for both), and the columns of one form:

    ``part``, ``weight``
        Weights: a line for each word, column or value. ``class`` is the class that weights above 0
        count for, if it isn't the positive class (of more than two classes: the output).
    ``weights``
        The same in one line: a JSON list with a number for each token or column.
    ``part``, ``attention``
        Shares of attention, which don't count for any class; ``attention`` alone is a list.
    ``rule``
        Words, columns or values with ``|`` between; ``says``, ``precision`` and ``coverage`` if
        known.
    ``example``, or ``example_id``
        A text (with ``example_label``), or the id of an input of the data.
    ``text``
        An explanation in words, with ``places`` and ``words`` that are marked.

    Raises
    ------
    UserError
        If it can't be read, has none of these columns, or has an id twice.
    """
    lines = lines_of(path, (ID,))
    columns = set(lines[0].cells) if lines else set()
    fitting = [form for needed, form in FORMS.items() if set(needed) <= columns]
    if not fitting:
        forms = "; ".join(" and ".join(needed) for needed in FORMS)
        raise UserError(f"{path}: has no explanations; beside {ID} it needs the columns {forms}")
    form, grouped = fitting[0], {}
    for line in lines:
        key = (line.cells.get(DOMAIN, ""), line.cells[ID])
        if key in grouped and form is not _weights:
            raise UserError(f"{path}, row {line.number}: id {line.cells[ID]} occurs twice")
        grouped.setdefault(key, []).append(line)
    return OwnExplanations(path, form, grouped)


def _weights(lines: Sequence[Line], item: Labelled, trained: Trained) -> Weights:
    terms = []
    for line in lines:
        part = line.cells["part"]
        places = tuple(places_of(part, item.instance))
        if not places:
            raise ValueError(f"part: {part!r} isn't in the input")
        name = names_of(item.instance)[places[0]] if len(places) == 1 else part
        weight = number_in(*_weight_in(line, "weight"))
        terms.append(Weighted(name=name, places=places, weight=weight))
    return _signed(terms, lines[0], item, trained)


def _weights_at_once(lines: Sequence[Line], item: Labelled, trained: Trained) -> Weights:
    (line,) = lines
    text, column = _weight_in(line, "weights")
    try:
        values = json.loads(text)
    except ValueError:
        raise ValueError(f"{column}: isn't a JSON list of numbers") from None
    names = names_of(item.instance)
    if not isinstance(values, list) or len(values) != len(names):
        count = len(values) if isinstance(values, list) else 1
        raise ValueError(f"{column}: {count} numbers for {len(names)} parts of the input")
    numbers = [0.0 if value is None else number_in(str(value), column) for value in values]
    terms = [
        Weighted(name=names[place], places=(place,), weight=weight)
        for place, weight in enumerate(numbers)
        if weight
    ]
    return _signed(terms, line, item, trained)


def _weight_in(line: Line, usual: str) -> tuple[str, str]:
    """Return the text of a cell with weights, and its column."""
    column = ATTENTION if ATTENTION in line.cells else usual
    return line.cells[column], column


def _signed(terms: list[Weighted], line: Line, item: Labelled, trained: Trained) -> Weights:
    """Return weights, from the highest to the lowest; of two classes for the positive one."""
    if ATTENTION in line.cells:
        if any(term.weight < 0 for term in terms):
            raise ValueError(f"{ATTENTION}: is below 0")
        return Weights(target=None, terms=tuple(sorted(terms, key=lambda term: -term.weight)))
    two = len(trained.classes) == 2
    usual = trained.classes[1] if two else item.output
    target = _class_in(line, "class", usual, trained)
    if two and target != usual:
        terms = [term.model_copy(update={"weight": -term.weight}) for term in terms]
        target = usual
    ordered = sorted(terms, key=lambda term: -term.weight)
    return Weights(target=target, terms=tuple(ordered))


def _rule(lines: Sequence[Line], item: Labelled, trained: Trained) -> Anchor:
    (line,) = lines
    conditions = []
    for name in filter(None, map(str.strip, line.cells["rule"].split(BETWEEN))):
        places = tuple(places_of(name, item.instance))
        if not places:
            raise ValueError(f"rule: {name!r} isn't in the input")
        whole_name = names_of(item.instance)[places[0]] if len(places) == 1 else name
        conditions.append(Condition(name=whole_name, places=places))
    if not conditions:
        raise ValueError("rule: has no condition")
    return Anchor(
        outcome=_class_in(line, "says", item.output, trained),
        conditions=tuple(conditions),
        precision=_share_in(line, "precision"),
        coverage=_share_in(line, "coverage"),
    )


def _example(lines: Sequence[Line], item: Labelled, trained: Trained) -> Prototype:
    (line,) = lines
    name = line.cells.get("example_id", "")
    if name:
        rows = (row for rows in trained.splits.values() for row in rows)
        example = next((row for row in rows if row.source_id == name), None)
        if example is None:
            raise ValueError(f"example_id: {name} isn't an id of the data")
        instance, usual = example.instance, example.label
    elif not line.cells.get("example"):
        raise ValueError("example: is empty")
    elif isinstance(item.instance, TextInput):
        instance, usual = sentence_in(line.cells, "example"), ""
    else:
        instance, usual = _row_like(item.instance, line.cells["example"]), ""
    label = _class_in(line, "example_label", usual, trained)
    return Prototype(prototype=instance, label=label, evidence=None, terms=())


def _row_like(row: TableInput, written: str) -> TableInput:
    """Return a row from ``Column = value`` with ``|`` between; other columns keep their values."""
    values = values_in(written, row.columns, "example")
    parts = zip(row.columns, row.values, strict=True)
    return row.model_copy(
        update={"values": tuple(values.get(name, value) for name, value in parts)}
    )


def _rationale(lines: Sequence[Line], item: Labelled, trained: Trained) -> Rationale:
    (line,) = lines
    places = {*_numbered(line.cells.get(PLACES, ""), item.instance)}
    places |= {*_named(line.cells.get(WORDS, ""), item.instance)}
    if not line.cells["text"]:
        raise ValueError("text: is empty")
    return Rationale(text=line.cells["text"], places=tuple(sorted(places)))


FORMS: Final[Mapping[tuple[str, ...], Form]] = {
    ("part", "weight"): _weights,
    ("weights",): _weights_at_once,
    ("part", "attention"): _weights,
    ("attention",): _weights_at_once,
    ("rule",): _rule,
    ("example_id",): _example,
    ("example",): _example,
    ("text",): _rationale,
}
"""Forms by the columns that identify them."""


def _class_in(line: Line, column: str, usual: str, trained: Trained) -> str:
    name = line.cells.get(column, "") or usual
    if name not in trained.classes:
        raise ValueError(f"{column}: {name!r} isn't one of {', '.join(trained.classes)}")
    return name


def _share_in(line: Line, column: str) -> float | None:
    text = line.cells.get(column, "")
    if not text:
        return None
    share = number_in(text, column)
    if not 0 <= share <= 1:
        raise ValueError(f"{column}: {text} isn't a share from 0 to 1")
    return share


def _numbered(text: str, instance: AnyInput) -> list[int]:
    for word in text.split():
        if not word.isdecimal() or int(word) >= len(instance.parts):
            raise ValueError(f"places: {word} isn't a place (0 to {len(instance.parts) - 1})")
    return [int(word) for word in text.split()]


def _named(text: str, instance: AnyInput) -> list[int]:
    places: list[int] = []
    for word in filter(None, map(str.strip, text.split(BETWEEN))):
        word_places = list(places_of(word, instance))
        if not word_places:
            raise ValueError(f"words: {word!r} isn't a part")
        places += word_places
    return places


def places_of(word: str, instance: AnyInput) -> Iterator[int]:
    """Yield the places of a word, several words, a column or a value in an input.

    It is written as people read it: ``if (2nd)``, ``Sex``, ``Male`` or ``Sex = Male``.
    """
    names = names_of(instance)
    if word in names:
        yield from (place for place, name in enumerate(names) if name == word)
    elif isinstance(instance, TableInput):
        pairs = enumerate(zip(instance.columns, instance.values, strict=True))
        for place, (column, value) in pairs:
            if word in (column, value, f"{column} = {value}"):
                yield place
    else:
        tokens = tuple(word.split())
        for place in range(len(instance.tokens)):
            if tokens and instance.tokens[place : place + len(tokens)] == tokens:
                yield from range(place, place + len(tokens))

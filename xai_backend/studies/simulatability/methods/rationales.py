"""A lab's own explanations, made elsewhere and brought as a CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.images.sets import rows_of
from stimuli.studies.simulatability.explanations import Rationale
from stimuli.studies.simulatability.inputs import TableInput
from xai_backend.studies.simulatability.methods.naming import names_of
from xai_backend.studies.simulatability.trained import AnyInput, Labelled

ID: Final = "id"
TEXT: Final = "text"
DOMAIN: Final = "domain"
PLACES: Final = "places"
WORDS: Final = "words"
BETWEEN: Final = "|"


@dataclass(frozen=True, slots=True)
class Rationales:
    """The rows of a CSV by domain (empty for any) and source id, with their line there."""

    path: Path
    rows: Mapping[tuple[str, str], tuple[int, Mapping[str, str]]]

    def of(self, item: Labelled, domain: str) -> Rationale | None:
        """Return an input's explanation, None where the CSV has none.

        Raises
        ------
        UserError
            If a place or a word isn't in the input: line, what, and the input's id.
        """
        own = (domain, item.source_id)
        found = self.rows.get(own) or self.rows.get(("", item.source_id))
        if found is None:
            return None
        line, row = found
        try:
            places = {*_numbered(row.get(PLACES, ""), item.given)}
            places |= {*_named(row.get(WORDS, ""), item.given)}
        except ValueError as error:
            raise UserError(f"{self.path}, line {line}: {error} of {item.source_id}") from None
        return Rationale(text=row[TEXT], places=tuple(sorted(places)))


def read_rationales(path: Path) -> Rationales:
    """Return a CSV's explanations.

    It has the columns ``id`` (as in the data) and ``text``. It may have ``domain`` (``text`` or
    ``tabular``; empty for both), ``places`` (tokens or columns, counted from 0, with blanks
    between), and ``words``, with ``|`` between. A word is one or several tokens, ``if (2nd)``, a
    column, a value or ``Sex = Male``.

    Raises
    ------
    UserError
        If it can't be read, lacks a column, or has an id twice.
    """
    rows: dict[tuple[str, str], tuple[int, Mapping[str, str]]] = {}
    for line, row in enumerate(rows_of(path, (ID, TEXT)), start=2):
        key = (row.get(DOMAIN, ""), row[ID])
        if key in rows:
            raise UserError(f"{path}, line {line}: id {row[ID]} occurs twice")
        rows[key] = (line, row)
    return Rationales(path, rows)


def _numbered(text: str, given: AnyInput) -> list[int]:
    for word in text.split():
        if not word.isdecimal() or int(word) >= len(given.parts):
            raise ValueError(f"places: {word} isn't a place (0 to {len(given.parts) - 1})")
    return [int(word) for word in text.split()]


def _named(text: str, given: AnyInput) -> list[int]:
    places: list[int] = []
    for word in filter(None, map(str.strip, text.split(BETWEEN))):
        found = _places_of(word, given)
        if not found:
            raise ValueError(f"words: {word!r} isn't a part")
        places += found
    return places


def _places_of(word: str, given: AnyInput) -> list[int]:
    names = names_of(given)
    if word in names:
        return [place for place, name in enumerate(names) if name == word]
    if isinstance(given, TableInput):
        pairs = enumerate(zip(given.columns, given.values, strict=True))
        return [place for place, pair in pairs if word in pair]
    tokens = tuple(word.split())
    return [
        place + step
        for place in range(len(given.tokens))
        if given.tokens[place : place + len(tokens)] == tokens
        for step in range(len(tokens))
    ]

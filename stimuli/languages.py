"""In which language a pack's stimuli are, where that isn't the session's."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from stimuli.io.tables import Row

NAMES: Final = {"en": "English", "de": "German"}
# Frequent words that the other language doesn't have.
FREQUENT: Final = {
    "en": frozenset(
        ["the", "of", "and", "to", "is", "that", "for", "with", "are", "this", "from", "have", "it"]
    ),
    "de": frozenset(
        ["der", "und", "ist", "nicht", "mit", "den", "dem", "ein", "eine", "auf", "von", "zu"]
    ),
}
LEAST_WORDS: Final = 5
CLEARLY: Final = 4


@dataclass(frozen=True, slots=True)
class ShownText:
    """Text that stimuli show, whose language the pack doesn't state.

    Attributes
    ----------
    what
        What it is, in words.
    text
        All of it.
    language
        The language that it counts as; empty for what its words tell (`language_of`).
    """

    what: str
    text: str
    language: str = ""


def language_of(text: str) -> str:
    """Return ``en`` or ``de`` by a text's frequent words; empty if they don't tell."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {tag: sum(word in known for word in words) for tag, known in FREQUENT.items()}
    first, second = sorted(counts, key=lambda tag: -counts[tag])[:2]
    clear = counts[first] >= max(LEAST_WORDS, CLEARLY * counts[second])
    return first if clear else ""


def untranslated(
    rows: Iterable[Row], keys: Sequence[str], column: str, language: str
) -> tuple[str, ...]:
    """Return the texts of a table that a session shows for want of any in its language.

    Parameters
    ----------
    rows
        Of a table with a column ``language``, empty for all other languages.
    keys, column
        The columns that say what a text is of, and the one that holds the text.
    language
        Of the session.
    """
    there = [row for row in rows if row[column]]
    own = {tuple(row[key] for key in keys) for row in there if row["language"] == language}
    general = (row for row in there if not row["language"])
    return tuple(str(row[column]) for row in general if tuple(row[key] for key in keys) not in own)


def untranslated_names(
    what: str, rows: Iterable[Row], keys: Sequence[str], column: str, language: str, usual: str
) -> ShownText:
    """Return names as `untranslated` gives them; they count as of the protocol's first language."""
    names = untranslated(rows, keys, column, language)
    worded = [name for name in names if any(map(str.isalpha, name))]
    return ShownText(what, " ".join(worded), usual if worded else "")

"""Names of labels and methods in each language, and texts of a pack that lack a translation.

The name of a label is the words that a lead reads in place of a class's id. An explanation method
of the suite has the same name in the tables and reports of every study. If a pack has no name or
text in a session's language, the session shows the one for any language.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.given_files import read_text
from stimuli.io.given_tables import numbered_rows
from stimuli.io.tables import Row
from stimuli.languages import ENGLISH, LANGUAGES

ANY_LANGUAGE = ""
WNID: Final = re.compile(r"n[0-9]{8}")
"""A WordNet id, as ImageNet writes it."""
WORD_GAP: Final = ", "
"""Separator between the words that WordNet has for one class."""
Names = Mapping[tuple[str, str], str]
"""The word of a label in a language (IETF tag); `ANY_LANGUAGE` for all others."""


def read_names(path: Path) -> dict[tuple[str, str], str]:
    """Return the names of labels.

    Parameters
    ----------
    path
        A CSV with columns ``label`` and ``name``, and one more for each language that has
        words of its own (headed by its IETF tag); ImageNet's class index in JSON
        (``{"0": ["n01440764", "tench"], …}``); or its ``LOC_synset_mapping.txt`` or
        ``synset_words.txt`` (a line is ``n01440764 tench, Tinca tinca``; the first word is
        taken, or all words if two labels have the same first).

    Raises
    ------
    UserError
        If it is none of these, or names a label twice.
    """
    if path.suffix.lower() == ".json":
        return _of_class_index(path)
    if path.suffix.lower() == ".txt":
        return _of_synset_words(path)
    names: dict[tuple[str, str], str] = {}
    for number, row in numbered_rows(path, ("label", "name")):
        label = row["label"]
        if (label, ANY_LANGUAGE) in names:
            raise UserError(f"{path}, row {number}: the label {label} occurs twice")
        names[label, ANY_LANGUAGE] = row["name"]
        translations = {
            tag: word for tag, word in row.items() if tag not in ("label", "name") and word
        }
        names |= {(label, tag): word for tag, word in translations.items()}
    return names


def name_rows(labels: Collection[str], names: Names) -> list[Row]:
    """Return the rows of ``labels.csv``; a label without a word is named by its id.

    Raises
    ------
    UserError
        If two labels have the same word: a lead couldn't tell them apart.
    """
    rows: list[Row] = []
    for label in sorted(set(labels) - {NO_SOLUTION}):
        word = names.get((label, ANY_LANGUAGE), _spaced(label))
        rows.append({"label": label, "language": None, "name": word})
        rows += [
            {"label": label, "language": tag, "name": word}
            for (other, tag), word in sorted(names.items())
            if other == label and tag != ANY_LANGUAGE
        ]
    _refuse_twins(rows)
    return rows


def words_of(rows: Iterable[Row], language: str) -> dict[str, str]:
    """Return the word of each label in a language, from the rows of ``labels.csv``."""
    return {label: str(row["name"]) for label, row in rows_in(language, rows).items()}


def rows_in(language: str, rows: Iterable[Row], column: str = "label") -> dict[str, Row]:
    """Return the rows in a language, by a column; rows for any language fill the gaps."""
    by_name: dict[str, Row] = {}
    for row in rows:
        name = str(row[column])
        if row["language"] == language or (row["language"] is None and name not in by_name):
            by_name[name] = row
    return by_name


def _of_class_index(path: Path) -> dict[tuple[str, str], str]:
    text = read_text(path)
    try:
        index = json.loads(text)
        pairs = [(str(wnid), str(name)) for wnid, name in index.values()]
    except (ValueError, AttributeError, TypeError):
        raise UserError(f'{path}: is no class index ({{"0": ["n01440764", "tench"], …}})') from None
    return {(wnid, ANY_LANGUAGE): _spaced(name) for wnid, name in pairs}


def _of_synset_words(path: Path) -> dict[tuple[str, str], str]:
    names: dict[tuple[str, str], str] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        wnid, _, words = line.strip().partition(" ")
        if not WNID.fullmatch(wnid) or not words.strip():
            raise UserError(
                f"{path}, line {number}: must be a WordNet id and its words, such as "
                "n01440764 tench, Tinca tinca"
            )
        if (wnid, ANY_LANGUAGE) in names:
            raise UserError(f"{path}, line {number}: the label {wnid} occurs twice")
        names[wnid, ANY_LANGUAGE] = words.strip()
    return first_words(names)


def first_words(names: Names) -> dict[tuple[str, str], str]:
    """Return the first of each label's words; all of them if another label has the same first."""
    first = {key: words.partition(WORD_GAP)[0] for key, words in names.items()}
    counts = Counter((tag, word.casefold()) for (_, tag), word in first.items())
    return {
        (label, tag): word if counts[tag, word.casefold()] == 1 else names[label, tag]
        for (label, tag), word in first.items()
    }


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _refuse_twins(rows: Sequence[Row]) -> None:
    """Refuse two labels that have the same word in any language, as a lead would read them."""
    for language in sorted({str(row["language"] or ANY_LANGUAGE) for row in rows}):
        seen: dict[str, str] = {}
        for label, word in words_of(rows, language).items():
            other = seen.setdefault(word.casefold(), label)
            if other != label:
                raise UserError(
                    f"labels {other} and {label} are both called {word!r}; give them different "
                    "names with --names FILE (a CSV label,name)"
                )


# Letters that Unicode doesn't decompose into a plain letter and an accent.
_UNACCENTED: Final = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def folded(text: str) -> str:
    """Return a key that is equal for all spellings of a word: no case, no accents, plain spaces.

    Hyphens, apostrophes and underscores between words count as spaces; spaces around the text and
    repeated spaces are dropped. ä becomes a, ß becomes ss.
    """
    apart = unicodedata.normalize("NFKD", text.casefold()).translate(_UNACCENTED)
    plain = "".join(sign for sign in apart if not unicodedata.combining(sign)).casefold()
    return " ".join("".join(sign if sign.isalnum() else " " for sign in plain).split())


METHOD_NAMES: Final[Names] = {
    (method, ANY_LANGUAGE if tag == ENGLISH else tag): name
    for tag, language in LANGUAGES.items()
    for method, name in language.methods.items()
}
"""Names by method and language (IETF tag); `ANY_LANGUAGE` for languages without a name."""


def method_name(method: str, language: str = ANY_LANGUAGE) -> str:
    """Return a method's name within a sentence; a lab's own method has its own name."""
    usual = METHOD_NAMES.get((method, ANY_LANGUAGE), method)
    return METHOD_NAMES.get((method, language), usual)


def method_title(method: str, language: str = ANY_LANGUAGE) -> str:
    """Return a method's name as a label or heading: capitalised, except for a lab's own method."""
    name = method_name(method, language)
    of_lab = (method, ANY_LANGUAGE) not in METHOD_NAMES
    is_symbol = name[1:2] == "-"  # the k of k-NN stands for a number
    return name if of_lab or is_symbol else name[:1].upper() + name[1:]


LEAST_WORDS: Final = 5
CLEARLY: Final = 4


@dataclass(frozen=True, slots=True)
class ShownText:
    """Texts of one kind that a session shows.

    Attributes
    ----------
    what
        What they are, in words.
    texts
        All of them.
    language
        The language that they are in, or count as; empty to detect it from their words
        (`language_of`).
    """

    what: str
    texts: tuple[str, ...]
    language: str = ""


def language_of(text: str) -> str:
    """Return a text's language, judged by its frequent words; empty if they don't tell."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {
        tag: sum(word in language.frequent for word in words) for tag, language in LANGUAGES.items()
    }
    first, second = sorted(counts, key=lambda tag: -counts[tag])[:2]
    clear = counts[first] >= max(LEAST_WORDS, CLEARLY * counts[second])
    return first if clear else ""


def shown_texts(
    noun: str, rows: Iterable[Row], keys: Sequence[str], column: str, language: str, usual: str = ""
) -> tuple[ShownText, ...]:
    """Return a table's texts as a session shows them: in its language, else for any language.

    Parameters
    ----------
    noun
        What the texts are, in words.
    rows
        Of a table with a column ``language``, empty for all other languages.
    keys, column
        The columns that identify a text's subject, and the column with the text.
    language
        Of the session.
    usual
        Language that texts for any language count as; empty to detect it. Texts without letters
        are in no language.
    """
    there = [row for row in rows if row[column]]
    in_language = {tuple(row[key] for key in keys) for row in there if row["language"] == language}
    general = tuple(
        str(row[column])
        for row in there
        if not row["language"] and tuple(row[key] for key in keys) not in in_language
    )
    worded = any(map(str.isalpha, "".join(general)))
    return (
        ShownText(noun, tuple(str(row[column]) for row in there if row["language"] == language),
                  language),
        ShownText(noun, general, usual if worded else ""),
    )  # fmt: skip

"""What labels are called: the words that a lead reads in place of a class's id."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.images.predictions import NO_SOLUTION
from stimuli.images.sets import rows_of
from stimuli.io.tables import Row

ANY_LANGUAGE = ""
WNID: Final = re.compile(r"n[0-9]{8}")
"""A WordNet id, as ImageNet writes it."""
WORD_GAP: Final = ", "
"""Between the words that WordNet has for one class."""
Names = Mapping[tuple[str, str], str]
"""The word of a label in a language (IETF tag); `ANY_LANGUAGE` for all others."""


def read_names(path: Path) -> dict[tuple[str, str], str]:
    """Return what labels are called.

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
        If it is neither, or names a label twice.
    """
    if path.suffix.lower() == ".json":
        return _of_class_index(path)
    if path.suffix.lower() == ".txt":
        return _of_synset_words(path)
    names: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows_of(path, ("label", "name")), start=2):
        label = row["label"]
        if (label, ANY_LANGUAGE) in names:
            raise UserError(f"{path}, line {number}: the label {label} occurs twice")
        names[label, ANY_LANGUAGE] = row["name"]
        own = {tag: word for tag, word in row.items() if tag not in ("label", "name") and word}
        names |= {(label, tag): word for tag, word in own.items()}
    return names


def name_rows(labels: Collection[str], names: Names) -> list[Row]:
    """Return the rows of ``labels.csv``; a label without a word is called by its id.

    Raises
    ------
    UserError
        If two labels have one word: a lead couldn't tell them apart.
    """
    rows: list[Row] = []
    for label in sorted(set(labels) - {NO_SOLUTION}):
        word = names.get((label, ANY_LANGUAGE), _spaced(label))
        rows.append({"label": label, "language": None, "name": word})
        rows += [
            {"label": label, "language": tag, "name": own}
            for (other, tag), own in sorted(names.items())
            if other == label and tag != ANY_LANGUAGE
        ]
    _refuse_twins(rows)
    return rows


def words_of(rows: Iterable[Row], language: str) -> dict[str, str]:
    """Return the word of each label in a language, from the rows of ``labels.csv``."""
    return {label: str(row["name"]) for label, row in rows_in(language, rows).items()}


def rows_in(language: str, rows: Iterable[Row], column: str = "label") -> dict[str, Row]:
    """Return the rows in a language by a column; those for any language where it has none."""
    own: dict[str, Row] = {}
    for row in rows:
        name = str(row[column])
        if row["language"] == language or (row["language"] is None and name not in own):
            own[name] = row
    return own


def _of_class_index(path: Path) -> dict[tuple[str, str], str]:
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        pairs = [(str(wnid), str(name)) for wnid, name in index.values()]
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except (ValueError, AttributeError, TypeError):
        raise UserError(f'{path}: is no class index ({{"0": ["n01440764", "tench"], …}})') from None
    return {(wnid, ANY_LANGUAGE): _spaced(name) for wnid, name in pairs}


def _of_synset_words(path: Path) -> dict[tuple[str, str], str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text") from None
    names: dict[tuple[str, str], str] = {}
    for number, line in enumerate(lines, start=1):
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
    """Refuse two labels of one word in any language, as a lead would read them there."""
    for language in sorted({str(row["language"] or ANY_LANGUAGE) for row in rows}):
        seen: dict[str, str] = {}
        for label, word in words_of(rows, language).items():
            other = seen.setdefault(word.casefold(), label)
            if other != label:
                raise UserError(
                    f"labels {other} and {label} are both called {word!r}; give them different "
                    "names with --names FILE (a CSV label,name)"
                )

"""What labels are called: the words that a lead reads in place of a class's id."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.predictions import NO_SOLUTION
from stimuli.images.sets import rows_of
from stimuli.io.tables import Row

ANY_LANGUAGE = ""
Names = Mapping[tuple[str, str], str]
"""The word of a label in a language (IETF tag); `ANY_LANGUAGE` for all others."""


def read_names(path: Path) -> dict[tuple[str, str], str]:
    """Return what labels are called.

    Parameters
    ----------
    path
        A CSV with columns ``label`` and ``name``, and one more for each language that has
        words of its own (headed by its IETF tag); or ImageNet's class index in JSON
        (``{"0": ["n01440764", "tench"], …}``).

    Raises
    ------
    UserError
        If it is neither, or names a label twice.
    """
    if path.suffix.lower() == ".json":
        return _of_class_index(path)
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

"""What labels are called, what they mean, and helps in words, by language."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from stimuli.images.names import ANY_LANGUAGE, name_rows, words_of
from stimuli.io.tables import Row
from stimuli.studies.human_ai_team.material import Words


@dataclass(frozen=True, slots=True)
class LabelWords:
    """A label's word and, where somebody wrote it, its definition."""

    name: str
    definition: str | None


def label_rows(labels: Collection[str], names: Words, definitions: Words) -> list[Row]:
    """Return the rows of ``labels.csv``.

    A label without a word is called by its id. A definition in a language without a word of its
    own has a row with the word for any language.

    Raises
    ------
    UserError
        If two labels have one word: nobody could tell them apart.
    """
    rows = {(row["label"], row["language"]): row for row in name_rows(labels, names)}
    for label, tag in sorted(definitions):
        if label in labels:
            word = rows[label, None]["name"]
            rows.setdefault((label, tag or None), {"label": label, "language": tag, "name": word})
    return [
        {**row, "definition": definitions.get((str(label), str(tag or ANY_LANGUAGE)))}
        for (label, tag), row in sorted(rows.items(), key=lambda one: (one[0][0], one[0][1] or ""))
    ]


def labels_in(rows: Collection[Row], language: str) -> dict[str, LabelWords]:
    """Return what each label is called and means in a language, from rows of ``labels.csv``."""
    meanings = _in_language(
        ((row["label"], row["language"], row["definition"]) for row in rows), language
    )
    return {
        label: LabelWords(name, meanings.get(label))
        for label, name in words_of(rows, language).items()
    }


def texts_in(rows: Iterable[Row], language: str) -> dict[str, str]:
    """Return each presentation's help in words in a language, from rows of ``helps.csv``."""
    return _in_language(
        ((row["presentation"], row["language"], row["help_text"]) for row in rows), language
    )


def _in_language(cells: Iterable[tuple[object, object, object]], language: str) -> dict[str, str]:
    """Return texts of a language by what they are of, or else those of any language."""
    found: dict[str, str] = {}
    for of, tag, text in cells:
        if text and (tag == language or (tag is None and of not in found)):
            found[str(of)] = str(text)
    return found

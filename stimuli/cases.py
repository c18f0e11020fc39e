"""Images or texts: what people judge, and how sentences speak of them.

Sentences are written about images, as in the published studies. `of_cases` rewrites them for a
study in which people judge texts. Only reports, a builder's messages and a protocol's deviations
use it. What participants read has separate texts.

A pack has a table of the texts that people judge. It has only texts that fit on a screen.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from stimuli.errors import UserError
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.names import ANY_LANGUAGE, Names, ShownText, rows_in, shown_texts

if TYPE_CHECKING:
    from stimuli.pack import Pack

Cases = Literal["images", "texts"]

_OF_TEXTS: Final = (
    (r"\b([Aa])n image\b", r"\1 text"),
    (r"\bimage(s?)\b", r"text\1"),
    (r"\bImage(s?)\b", r"Text\1"),
)


def of_cases(cases: Cases, sentence: str) -> str:
    """Return a sentence about images, reworded for the cases that people judge."""
    if cases == "images":
        return sentence
    for pattern, words in _OF_TEXTS:
        sentence = re.sub(pattern, words, sentence)
    return sentence


TextCase = Mapping[str, str]
"""A text by language; `ANY_LANGUAGE` for all others."""

LONGEST: Final = 700
"""Characters of a text that fit on every screen, beside an equally long help in words."""
LONGEST_LABEL: Final = 80
"""Characters of a text's label that fit above it; images have words for labels."""

TEXTS = TableSchema(
    "texts",
    "The texts that are judged: one row for each presentation and language. Packs of images don't "
    "have this table.",
    (
        Column("presentation", "text", "What is judged, as in items.csv."),
        Column("case_text", "text", "The text."),
        Column(
            "language",
            "text",
            "IETF tag of the text; empty for all other languages.",
            optional=True,
        ),
    ),
)


def texts_file(cases: Mapping[str, TextCase], languages: Collection[str]) -> dict[str, bytes]:
    """Return a pack's table of texts, by the file's name.

    Parameters
    ----------
    cases
        Texts by presentation, in the order of the table.
    languages
        The protocol's languages; texts in other languages aren't kept.
    """
    rows = (
        {"presentation": name, "case_text": text, "language": language or None}
        for name, case in cases.items()
        for language, text in sorted(case.items())
        if language in (ANY_LANGUAGE, *languages)
    )
    return {f"{TEXTS.name}.csv": TEXTS.to_csv(rows)}


def rows_of_texts(pack: "Pack") -> tuple[Row, ...]:
    """Return the texts to judge in a pack; a pack of images has none."""
    there = f"{TEXTS.name}.csv" in pack.manifest.files
    return tuple(pack.table(TEXTS)) if there else ()


def texts_in(pack: "Pack", language: str) -> dict[str, str]:
    """Return the texts to judge in a pack, in a language, by presentation."""
    judged = rows_in(language, rows_of_texts(pack), "presentation")
    return {name: str(row["case_text"]) for name, row in judged.items()}


def judged_texts(pack: "Pack", language: str) -> tuple[ShownText, ...]:
    """Return the texts that are judged in a session; see `stimuli.study.Study.texts`."""
    what, rows = "the texts that are judged", rows_of_texts(pack)
    return shown_texts(what, rows, ("presentation",), "case_text", language)


def check_text(item: str, case: TextCase, languages: Collection[str]) -> None:
    """Refuse a text that lacks a language or doesn't fit on a screen.

    Raises
    ------
    UserError
        In one line that names the item.
    """
    if not case.get(ANY_LANGUAGE) and not all(map(case.get, languages)):
        raise UserError(f"{item}: has no text in {' or '.join(languages)}")
    longest = max(map(len, case.values()))
    if longest > LONGEST:
        raise UserError(
            f"{item}: the text has {longest} characters; {LONGEST} at most fit on a screen: "
            "shorten it"
        )


def check_labels(labelled: Iterable[tuple[str, str]], names: Names) -> None:
    """Refuse a text's label that doesn't fit on a screen; errors as `check_text`.

    Parameters
    ----------
    labelled
        Items, each with a label that is shown with it.
    names
        The labels' names.
    """
    for item, label in labelled:
        words = [word for (named, _), word in names.items() if named == label] or [label]
        if len(word := max(words, key=len)) > LONGEST_LABEL:
            raise UserError(
                f"{item}: its label has {len(word)} characters; {LONGEST_LABEL} at most fit "
                "on a screen: shorten the answer, or give it a name with --names"
            )

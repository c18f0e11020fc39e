"""What the experimenter reads, by language: tables of words that belong to no study.

One of them is the checklist: what is confirmed before a session.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from participants.texts.folders import RIG, languages
from participants.texts.load import fill, load_tables, placeholders_in
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.languages import ENGLISH


@dataclass(frozen=True, slots=True)
class RigTables:
    """A file of words in one language.

    Attributes
    ----------
    language
        The language that was found.
    document
        All that the file holds.
    parts
        The tables that were asked for, with the keys of the reference in its order.
    """

    language: str
    document: Mapping[str, Any]
    parts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class RigWords:
    """Words for the experimenter in one language, by name; some have placeholders.

    ``lab_texts`` is the lab's folder of texts; None for none.
    """

    language: str
    words: Mapping[str, str]
    lab_texts: Path | None = None

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    def filled(self, name: str, **values: str) -> str:
        """Return words with their placeholders filled; KeyError for a missing value."""
        return fill(self.words[name], values)


def rig_languages(lab_texts: Path | None = None) -> tuple[str, ...]:
    """Return the languages that the experimenter can read, sorted; a lab's own included."""
    return languages(RIG, lab_texts)


def load_rig_words(file: str, language: str, lab_texts: Path | None = None) -> RigWords:
    """Return the table ``[words]`` of a file for the experimenter; as `load_rig_tables`."""
    tables = load_rig_tables(file, ("words",), language, lab_texts)
    return RigWords(tables.language, tables.parts["words"], lab_texts)


def load_rig_tables(
    file: str, parts: tuple[str, ...], language: str, lab_texts: Path | None = None
) -> RigTables:
    """Return tables of a file for the experimenter, in English where it lacks the language.

    Parameters
    ----------
    file
        Its name, such as ``checklist.toml``.
    parts
        The tables that it must have; all that the file in English has if there are none.
    language
        By IETF tag.
    lab_texts
        A lab's folder of texts: ``own/rig/<language>/<file>`` replaces the shipped file.

    Raises
    ------
    UserError
        If a table lacks words of the reference, has others, or uses other placeholders.
    """
    spoken = language if language in rig_languages(lab_texts) else ENGLISH
    table, where = load_tables(RIG, spoken, file, lab_texts)[0]
    reference, _ = load_tables(RIG, ENGLISH, file)[0]
    read: dict[str, dict[str, str]] = {}
    for part in parts or tuple(reference):
        texts, wanted = table.get(part), reference[part]
        if not isinstance(texts, Mapping) or set(texts) != set(wanted):
            raise UserError(f"{where}: [{part}] must contain exactly: {', '.join(wanted)}")
        read[part] = {name: str(texts[name]) for name in wanted}
        for name, text in read[part].items():
            if odd := placeholders_in(text) - placeholders_in(str(wanted[name])):
                raise UserError(f"{where}: [{part}] {name}: {{{min(odd)}}} has no value")
    return RigTables(spoken, table, read)


@dataclass(frozen=True, slots=True)
class CheckWords:
    """The sentences of the checks of a rig, and of refusals: by table, then by name."""

    language: str
    tables: Mapping[str, Mapping[str, str]]


def load_check_words(language: str = ENGLISH, lab_texts: Path | None = None) -> CheckWords:
    """Return the sentences of checks and refusals in a language; see `load_rig_tables`."""
    checks, refusals = (
        load_rig_tables(file, (), language, lab_texts) for file in ("checks.toml", "refusals.toml")
    )
    return CheckWords(checks.language, {**checks.parts, **refusals.parts})


FILE: Final = "checklist.toml"


@dataclass(frozen=True, slots=True)
class ChecklistText:
    """The checklist in one language.

    Attributes
    ----------
    language, version, sha256
        Of the text; the hash is that of items and words.
    items
        The items to confirm, by name, in order.
    words
        The words around the items, by name, some with a placeholder.
    """

    language: str
    version: str
    sha256: str
    items: Mapping[str, str]
    words: Mapping[str, str]

    def word(self, name: str, **values: str) -> str:
        """Return a word with its placeholders filled; KeyError for a missing value."""
        return fill(self.words[name], values)


def load_checklist(language: str, lab_texts: Path | None = None) -> ChecklistText:
    """Return the checklist in a language, or in English where it lacks that language.

    Parameters
    ----------
    language
        IETF tag of the lab's language, since the experimenter reads the checklist.
    lab_texts
        A lab's folder of texts: ``own/rig/<language>/checklist.toml`` replaces the text that
        ships.

    Raises
    ------
    UserError
        If a file lacks an item or a word, or has an item of its own.
    """
    tables = load_rig_tables(FILE, ("items", "words"), language, lab_texts)
    items, words = tables.parts["items"], tables.parts["words"]
    return ChecklistText(
        tables.language,
        str(tables.document.get("version", "")),
        hash_of({"items": items, "words": words}),
        items,
        words,
    )

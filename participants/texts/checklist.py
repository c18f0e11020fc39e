"""The experimenter's checklist: what is confirmed before a session, by language."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from participants.texts.load import fill
from participants.texts.rig import load_rig_tables
from stimuli.io.canonical import hash_of

FILE: Final = "checklist.toml"


@dataclass(frozen=True, slots=True)
class ChecklistText:
    """The checklist in one language.

    Attributes
    ----------
    language, version, sha256
        Of the text; the hash is that of items and words.
    items
        What is to be confirmed, by the item's name, in order.
    words
        What is said around it, by name, some with a placeholder.
    """

    language: str
    version: str
    sha256: str
    items: Mapping[str, str]
    words: Mapping[str, str]

    def word(self, name: str, **values: str) -> str:
        """Return a word with its placeholders filled; KeyError for a missing value."""
        return fill(self.words[name], values)


def load_checklist(language: str, own: Path | None = None) -> ChecklistText:
    """Return the checklist in a language, or in English where it lacks that language.

    Parameters
    ----------
    language
        By IETF tag; the lab's, since it is the experimenter who reads it.
    own
        A lab's folder of texts: ``own/rig/<language>/checklist.toml`` replaces the text that
        ships.

    Raises
    ------
    UserError
        If a file lacks an item or a word, or has an item of its own.
    """
    found = load_rig_tables(FILE, ("items", "words"), language, own)
    items, words = found.parts["items"], found.parts["words"]
    return ChecklistText(
        found.language,
        str(found.document.get("version", "")),
        hash_of({"items": items, "words": words}),
        items,
        words,
    )

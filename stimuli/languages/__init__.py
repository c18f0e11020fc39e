"""What the suite itself says in each language: a file here, named by the language's IETF tag."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

ENGLISH: Final = "en"
"""The language of code and reports, and of whatever a language has no words for."""
SUFFIX: Final = ".toml"


@dataclass(frozen=True, slots=True)
class Language:
    """What the suite says in a language.

    Attributes
    ----------
    name
        The language's name in English.
    frequent
        Frequent words that other languages don't have.
    digits
        The words for 0 to 9.
    methods
        Names of explanation methods within a sentence.
    """

    name: str
    frequent: tuple[str, ...]
    digits: tuple[str, ...]
    methods: Mapping[str, str]


def _read() -> dict[str, Language]:
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(SUFFIX)]
    read = {
        file.name.removesuffix(SUFFIX): Language(**tomllib.loads(file.read_text(encoding="utf-8")))
        for file in files
    }
    return {tag: read[tag] for tag in sorted(read, key=lambda tag: (tag != ENGLISH, tag))}


LANGUAGES: Final[Mapping[str, Language]] = _read()
"""What there is, by IETF tag; English comes first."""


def language_name(tag: str) -> str:
    """Return what a language is called in English; its tag if there is no file of it."""
    return LANGUAGES[tag].name if tag in LANGUAGES else tag

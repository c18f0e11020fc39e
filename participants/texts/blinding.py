"""Words that would tell a participant too early who solved the tasks."""

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources

from participants.texts.folders import files_beside_languages

EVERY_LANGUAGE = "all"


def discloses(study: str, name: str) -> bool:
    """Return whether a text or question of a study may name sources.

    ``disclosing.toml`` lists those that may, by name or pattern with ``*``. It lies in the folder
    of the study's texts and in that of the shared texts.
    """
    return any(fnmatchcase(name, pattern) for pattern in _disclosing(study))


def named_sources(text: str, language: str) -> list[str]:
    """Return the words of a text that name machines, methods or this suite, in order.

    Parameters
    ----------
    text
        The text that is shown.
    language
        Its language by IETF tag; the general list applies to one without a list of its own.
    """
    return [match.group(0) for match in _pattern(language).finditer(text)]


@cache
def _disclosing(study: str) -> frozenset[str]:
    files = files_beside_languages("disclosing.toml", study)
    lists = [tomllib.loads(file.read_text(encoding="utf-8"))["names"] for file in files]
    return frozenset(name for names in lists for name in names)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    file = resources.files("participants.texts").joinpath("blinding.toml")
    stems = tomllib.loads(file.read_text(encoding="utf-8"))
    own = stems.get(language.partition("-")[0], [])
    parts = [_part(stem) for stem in [*stems[EVERY_LANGUAGE], *own]]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE)


def _part(stem: str) -> str:
    if stem.endswith("="):
        return re.escape(stem[:-1])
    return re.escape(stem) + r"\w*"

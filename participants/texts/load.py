"""Texts read from files: version, hash, placeholders, and numbers as a language writes them."""

import re
import tomllib
import unicodedata
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from participants.texts.folders import (
    COMMON,
    file_names,
    files_beside_languages,
    files_by_name,
    files_called,
    languages,
    reference_of,
)
from stimuli.devices import is_pointing
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.languages import ENGLISH

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
    of_language = stems.get(language.partition("-")[0], [])
    parts = [_part(stem) for stem in [*stems[EVERY_LANGUAGE], *of_language]]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE)


def _part(stem: str) -> str:
    if stem.endswith("="):
        return re.escape(stem[:-1])
    return re.escape(stem) + r"\w*"


WRITING: Final = "writing.toml"


def written_number(value: float, language: str) -> str:
    """Return a number as a text shows it, without needless zeros: 2.5, or 2,5 in German."""
    text = f"{value:g}"
    return text.replace(".", writing_of(language).decimal)


def written_decimal(value: float, places: int, language: str) -> str:
    """Return a number with so many decimals as a text shows it."""
    return f"{value:.{places}f}".replace(".", writing_of(language).decimal)


@dataclass(frozen=True, slots=True)
class Writing:
    """How a language writes.

    Attributes
    ----------
    decimal
        What stands before decimals.
    numbered
        Which of several equal words one is, with ``{number}`` and English's ``{suffix}``.
    date
        A date, as `strftime` reads it.
    """

    decimal: str
    numbered: str
    date: str


@cache
def writing_of(language: str) -> Writing:
    """Return how a language writes; one that isn't in the file writes as English does."""
    table = _table(resources.files("participants.texts").joinpath(WRITING))
    return Writing(**table.get(language.partition("-")[0], table[ENGLISH]))


PLACEHOLDER: Final = re.compile(r"\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}")
ONE: Final = "1"
SHARED: Final = "shared"
"""The table of ``words.toml`` by which a study replaces words that all studies share."""
OWN_IN_EVERY_STUDY: Final = frozenset({"title", "version"})
"""Words for which the shared ones are only a default."""
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
FRONT: Final = re.compile(r"---\nversion: (?P<version>\S+)\n---\n(?P<body>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in one language.

    Attributes
    ----------
    name, language
        The text's name, and its language by IETF tag.
    markdown
        Headings (``#``), paragraphs, ``**bold**`` and ``-`` lists; ``{name}`` stands for
        what `filled` puts there, ``{name:picture|pictures}`` for the first words where that is
        1, else for the second.
    version
        The version that the file states.
    sha256
        Hash of the Markdown as shown, after filling.
    """

    name: str
    language: str
    markdown: str
    version: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the Markdown in UTF-8, 64 hexadecimal digits."""
        return sha256_hex(self.markdown.encode("utf-8"))

    @property
    def placeholders(self) -> frozenset[str]:
        """Names that still stand in braces."""
        return placeholders_in(self.markdown)

    def filled(self, values: Mapping[str, str]) -> "Text":
        """Return the text with every placeholder filled; values it doesn't use are ignored.

        Raises
        ------
        UserError
            If a placeholder has no value.
        """
        missing = sorted(self.placeholders - set(values))
        if missing:
            known = ", ".join(sorted(values)) or "none"
            raise UserError(
                f"text {self.name} ({self.language}): {{{missing[0]}}} has no value; known: {known}"
            )
        return replace(self, markdown=fill(self.markdown, values))


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the words for its choices.

    Attributes
    ----------
    name, language
        Which question, and its language.
    text
        The question.
    choices
        The words by the choice's id, in the order in which they are shown.
    """

    name: str
    language: str
    text: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Words:
    """The short words of the screen, by id, and the names of keys.

    Attributes
    ----------
    language
        Their language.
    words
        By id, some with a placeholder.
    keys
        Names of keys and buttons; ``letter`` is the pattern for the others.
    caps
        Labels of keys with more than a letter or digit on them.
    """

    language: str
    words: Mapping[str, str]
    keys: Mapping[str, str]
    caps: Mapping[str, str]

    def __getitem__(self, word: str) -> str:
        return self.words[word]

    def filled(self, word: str, **values: str) -> str:
        """Return a word with its placeholders filled; KeyError for a missing value."""
        return fill(self.words[word], values)

    def key(self, key: str, device: str = "keyboard") -> str:
        """Return the name of a key or mouse button, e.g. ``the F key`` for ``f``.

        Its words are joined by no-break spaces. A line break between them would leave a letter
        alone, which nobody would read as a key.
        """
        name = f"mouse_{key}" if is_pointing(device) else key
        called = self.keys.get(name) or self.keys["letter"].replace("{letter}", key.upper())
        return called.replace(" ", NO_BREAK_SPACE)

    def cap(self, key: str) -> str:
        """Return the label of a key, e.g. ``F`` for ``f``."""
        return self.caps.get(key) or key.upper()


def load_text(study: str, language: str, name: str, lab_texts: Path | None = None) -> Text:
    """Return a text.

    Parameters
    ----------
    study, language, name
        Which text; the language by IETF tag.
    lab_texts
        A lab's folder of texts (`LabFolder.texts`). Its files come before those that ship:
        ``own/<study>/<language>/<name>.md``, then ``own/common/<language>/<name>.md``.

    Raises
    ------
    UserError
        If there is none, it has no version, or it names sources that only the debrief may name.
    """
    path = _first(study, language, f"{name}.md", lab_texts)
    match = FRONT.fullmatch(_decoded(path))
    if match is None:
        raise UserError(f"{path}: must begin with the lines ---, version: N, ---")
    body = match["body"].strip() + "\n"
    _refuse_naming(study, name, language, body, str(path))
    return Text(name, language, body, match["version"])


def load_question(study: str, language: str, name: str, lab_texts: Path | None = None) -> Question:
    """Return a question with the words for its choices; errors as `load_text`."""
    tables = load_tables(study, language, "questions.toml", lab_texts)
    table, where = next((pair for pair in tables if name in pair[0]), tables[0])
    if missing := sorted(question_names(study) - {name for table, _ in tables for name in table}):
        raise UserError(f"{where}: lacks the questions {', '.join(missing)}")
    entry = table.get(name)
    whole = isinstance(entry, Mapping) and set(entry) == {"text", "choices"}
    if not whole or not isinstance(entry["choices"], Mapping):
        raise UserError(f"{where}: needs a table [{name}] with text and choices")
    choices = {str(choice): str(words) for choice, words in entry["choices"].items()}
    text = str(entry["text"])
    _refuse_naming(study, name, language, " ".join([text, *choices.values()]), where)
    return Question(name, language, text, choices)


def question_names(study: str) -> frozenset[str]:
    """Return the names of a study's questions; those that all studies share included."""
    tables = load_tables(study, reference_of(study), "questions.toml")
    return frozenset(
        name for table, _ in tables for name, entry in table.items() if isinstance(entry, Mapping)
    )


def load_words(study: str, language: str, lab_texts: Path | None = None) -> Words:
    """Return the short words of the screen: the shared ones, overridden by a study's own.

    Raises
    ------
    UserError
        As `load_text`; or if a word of the reference is missing or has other placeholders.
    """
    usual = reference_of(study)
    shared = None if usual == ENGLISH else lab_texts  # others may be in the lab's folder alone
    reference = _over([words for words, _ in _words_by_file(study, usual, shared)])
    by_file = _words_by_file(study, language, lab_texts)
    for words, where in by_file:
        _refuse_odd_values(words, reference, where)
        read = " ".join([*words.words.values(), *words.keys.values()])
        _refuse_naming(study, "words", language, read, where)
    merged = _over([words for words, _ in by_file])
    _require_words(merged, reference, by_file[0][1])
    return merged


def all_that_is_read(study: str, language: str, lab_texts: Path | None = None) -> str:
    """Return a study's texts, questions and words in a language as one text; errors as `load_text`.

    A lab's own files come before those that ship.
    """
    _require_language(study, language, lab_texts)
    parts = []
    for file, paths in sorted(files_by_name(study, language, lab_texts).items()):
        if file.endswith(".md"):
            parts.append(_decoded(next(iter(paths.values()))))
        elif file.endswith(".toml"):
            parts += _strings([_table(path) for path in _in_order(study, paths)])
    return "\n".join(parts)


def _strings(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for entry in value.values() for text in _strings(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in _strings(entry)]
    return [value] if isinstance(value, str) else []


def load_tables(
    study: str, language: str, file: str, lab_texts: Path | None = None
) -> list[tuple[dict[str, Any], str]]:
    """Return the content and path of each TOML file of a name; errors as `load_text`.

    The study's file comes before the shared one, whether they are shipped or a lab's own.
    """
    files = _files(study, language, file, lab_texts)
    return [(_table(path), str(path)) for path in _in_order(study, files)]


def _in_order(study: str, files: Mapping[str, Traversable]) -> list[Traversable]:
    return [files[folder] for folder in (study, COMMON) if folder in files]


def placeholders_in(text: str) -> frozenset[str]:
    """Return the names in a text's placeholders."""
    return frozenset(match[1] for match in PLACEHOLDER.finditer(text))


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its placeholders filled; KeyError for a missing value."""
    return PLACEHOLDER.sub(lambda match: _filled_in(match, values[match[1]]), text)


def _filled_in(match: re.Match[str], value: str) -> str:
    _, singular, plural = match.groups()
    if singular is None:
        return value
    return singular if value == ONE else plural


def _words_by_file(study: str, language: str, lab_texts: Path | None) -> list[tuple[Words, str]]:
    by_file = []
    tables = load_tables(study, language, "words.toml", lab_texts)
    for number, (table, where) in enumerate(tables, start=1):
        words = {word: text for word, text in table.items() if isinstance(text, str)}
        _refuse_clash(words, tables[number:], where)
        words |= {word: str(text) for word, text in _names(table, SHARED, where).items()}
        keys, caps = _names(table, "keys", where), _names(table, "caps", where)
        by_file.append((Words(language, words, keys, caps), where))
    return by_file


def _refuse_clash(
    words: Iterable[str], shared: Sequence[tuple[Mapping[str, Any], str]], where: str
) -> None:
    """Refuse a study's own words that would silently replace shared ones."""
    taken = {word for table, _ in shared for word in table} - OWN_IN_EVERY_STUDY
    for word in sorted(taken & set(words)):
        raise UserError(
            f"{where}: {word} is a word that all studies share; give yours another name, or put it "
            f"into a table [{SHARED}] to replace that word"
        )


def _names(table: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    named = table.get(name, {})
    if not isinstance(named, Mapping):
        raise UserError(f"{where}: [{name}] must be a table")
    return {str(key): str(text) for key, text in named.items()}


def _over(layers: list[Words]) -> Words:
    """Return several `Words` merged into one; earlier ones override later ones."""
    words, keys, caps = (
        dict(ChainMap(*(dict(getattr(words, part)) for words in layers)))
        for part in ("words", "keys", "caps")
    )
    return Words(layers[0].language, words, keys, caps)


def _refuse_odd_values(words: Words, reference: Words, where: str) -> None:
    for word in words.words.keys() & reference.words.keys():
        odd = placeholders_in(words[word]) - placeholders_in(reference[word])
        if odd:
            raise UserError(f"{where}: {word}: {{{min(odd)}}} has no value")


def _require_words(words: Words, reference: Words, where: str) -> None:
    if missing := [word for word in reference.words if word not in words.words]:
        what = "word" if len(missing) == 1 else "words"
        raise UserError(f"{where}: lacks the {what} {', '.join(missing)}")
    if "letter" not in words.keys:
        raise UserError(f"{where}: [keys] lacks letter, the pattern for keys without a name")
    if not words.caps:
        raise UserError(f"{where}: needs a table [caps]")


def _files(study: str, language: str, file: str, lab_texts: Path | None) -> dict[str, Traversable]:
    _require_language(study, language, lab_texts)
    if files := files_called(file, study, language, lab_texts):
        return files
    # All that are missing are named, not the first one that is asked for.
    wanted = {file, *file_names(study, reference_of(study))}
    missing = sorted(wanted - set(file_names(study, language, lab_texts)))
    raise UserError(f"study {study}: the texts in {language!r} lack {', '.join(missing)}")


def _require_language(study: str, language: str, lab_texts: Path | None) -> None:
    there = languages(study, lab_texts)
    if language not in there:
        raise UserError(
            f"study {study} has no texts in {language!r}; it has: {', '.join(there)} (a new "
            f"language is two folders of texts: texts/{study}/{language}, texts/common/{language})"
        )


def _first(study: str, language: str, file: str, lab_texts: Path | None) -> Traversable:
    return next(iter(_files(study, language, file, lab_texts).values()))


def _table(path: Traversable) -> dict[str, Any]:
    try:
        return deepcopy(_parsed(_decoded(path)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: is not valid TOML: {error}") from None


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, Any]:
    """Parse an unchanged file only once, since parsing takes longer than everything else here."""
    return tomllib.loads(text)


def _decoded(path: Traversable) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    # The hash must not depend on an editor's line endings or composition of accents.
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


def _refuse_naming(study: str, name: str, language: str, text: str, where: str) -> None:
    named = [] if discloses(study, name) else named_sources(text, language)
    if named:
        raise UserError(
            f"{where}: {name} names {named[0]!r}, which participants must not know yet; use other "
            f'words, or add "{name}" to the names in texts/disclosing.toml'
        )

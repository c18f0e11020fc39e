"""Texts read from their files: version, hash, placeholders."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from participants.texts.blinding import DISCLOSING, named_sources
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex

PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
REFERENCE: Final = "en"
"""The language that is sure to have every text and word."""
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"
FRONT: Final = re.compile(r"---\nversion: (?P<version>\S+)\n---\n(?P<body>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """A text in one language.

    Attributes
    ----------
    name, language
        Which text, and its language by IETF tag.
    markdown
        Headings (``#``), paragraphs, ``**bold**`` and ``-`` lists; ``{name}`` stands for
        what `filled` puts there.
    version
        As the file states it.
    sha256
        Hash of the Markdown as it stands, after filling: of what is shown.
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
        return frozenset(PLACEHOLDER.findall(self.markdown))

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
                f"text {self.name} ({self.language}): nothing stands for {{{missing[0]}}} there; "
                f"known: {known}"
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
        What is printed on keys that bear more than a letter or digit.
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
        """Return what a key or mouse button is called, e.g. ``the F key`` for ``f``.

        Its words are joined by no-break spaces: the end of a line between them would leave a
        letter alone, which isn't read as a key any more.
        """
        name = f"mouse_{key}" if device == "mouse" else key
        called = self.keys.get(name) or self.keys["letter"].replace("{letter}", key.upper())
        return called.replace(" ", NO_BREAK_SPACE)

    def cap(self, key: str) -> str:
        """Return what is printed on a key, e.g. ``F`` for ``f``."""
        return self.caps.get(key) or key.upper()


def languages(study: str, own: Path | None = None) -> tuple[str, ...]:
    """Return the languages in which a study's texts exist, sorted; a lab's own included."""
    places = [_shipped(study), *([own / study] if own is not None else [])]
    return tuple(
        sorted({entry.name for place in places if place.is_dir() for entry in _folders(place)})
    )


def text_names(study: str) -> tuple[str, ...]:
    """Return the names of a study's texts, sorted."""
    files = _shipped(study).joinpath(REFERENCE).iterdir()
    return tuple(sorted(file.name[:-3] for file in files if file.name.endswith(".md")))


def load_text(study: str, language: str, name: str, own: Path | None = None) -> Text:
    """Return a text.

    Parameters
    ----------
    study, language, name
        Which text; the language by IETF tag.
    own
        A lab's folder of texts (`LabFolder.texts`): ``own/<study>/<language>/<name>.md``
        stands in for the text that ships.

    Raises
    ------
    UserError
        If there is none, it has no version, or names too early what the debrief discloses.
    """
    content, where = _content(study, language, f"{name}.md", own)
    match = FRONT.fullmatch(content)
    if match is None:
        raise UserError(f"{where}: must begin with the lines ---, version: N, ---")
    body = match["body"].strip() + "\n"
    _refuse_naming(name, language, body, where)
    return Text(name, language, body, match["version"])


def load_question(study: str, language: str, name: str, own: Path | None = None) -> Question:
    """Return a question with the words for its choices; errors as `load_text`."""
    table, where = load_table(study, language, "questions.toml", own)
    entry = table.get(name)
    whole = isinstance(entry, Mapping) and set(entry) == {"text", "choices"}
    if not whole or not isinstance(entry["choices"], Mapping):
        raise UserError(f"{where}: needs a table [{name}] with text and choices")
    choices = {str(choice): str(words) for choice, words in entry["choices"].items()}
    _refuse_naming(name, language, " ".join([str(entry["text"]), *choices.values()]), where)
    return Question(name, language, str(entry["text"]), choices)


def load_words(study: str, language: str, own: Path | None = None) -> Words:
    """Return the short words of the screen; errors as `load_text`."""
    table, where = load_table(study, language, "words.toml", own)
    keys, caps = _names(table, "keys", where), _names(table, "caps", where)
    words = {str(word): text for word, text in table.items() if isinstance(text, str)}
    _require_words(study, words, keys, where)
    _refuse_naming("words", language, " ".join([*words.values(), *keys.values()]), where)
    return Words(language, words, keys, caps)


def studies() -> tuple[str, ...]:
    """Return the names of the folders of texts that ship, sorted: the studies, and the rig's."""
    shipped = _folders(resources.files("participants.texts"))
    return tuple(sorted(place.name for place in shipped if place.joinpath(REFERENCE).is_dir()))


def all_that_is_read(study: str, language: str, own: Path | None = None) -> str:
    """Return all texts, questions and words of a study in a language as one; errors as `load_text`.

    A lab's own files stand in for those that ship.
    """
    places = [_shipped(study).joinpath(language)]
    if own is not None:
        places.append(own / study / language)
    files = {entry.name for place in places if place.is_dir() for entry in place.iterdir()}
    parts = []
    for file in sorted(files):
        if file.endswith(".md"):
            parts.append(_content(study, language, file, own)[0])
        elif file.endswith(".toml"):
            parts += _strings(load_table(study, language, file, own)[0])
    return "\n".join(parts)


def _strings(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for entry in value.values() for text in _strings(entry)]
    if isinstance(value, list):
        return [text for entry in value for text in _strings(entry)]
    return [value] if isinstance(value, str) else []


def load_table(
    study: str, language: str, file: str, own: Path | None = None
) -> tuple[dict[str, Any], str]:
    """Return what a TOML file of texts holds, and where it stands; errors as `load_text`."""
    content, where = _content(study, language, file, own)
    try:
        return tomllib.loads(content), where
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{where}: is not valid TOML: {error}") from None


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with its placeholders filled; KeyError for a missing value."""
    return PLACEHOLDER.sub(lambda match: values[match.group(1)], text)


def _names(table: Mapping[str, Any], name: str, where: str) -> dict[str, str]:
    named = table.get(name)
    if not isinstance(named, Mapping):
        raise UserError(f"{where}: needs a table [{name}]")
    return {str(key): str(text) for key, text in named.items()}


def _require_words(
    study: str, words: Mapping[str, str], keys: Mapping[str, str], where: str
) -> None:
    """Refuse words that lack one of the reference's, or a key's name, or ask for more values."""
    shipped = _decoded(_shipped(study).joinpath(REFERENCE, "words.toml"))
    reference = tomllib.loads(shipped)
    for word, text in reference.items():
        if isinstance(text, str):
            if word not in words:
                raise UserError(f"{where}: lacks the word {word}")
            odd = set(PLACEHOLDER.findall(words[word])) - set(PLACEHOLDER.findall(text))
            if odd:
                raise UserError(f"{where}: {word}: nothing stands for {{{min(odd)}}} there")
    if "letter" not in keys:
        raise UserError(f"{where}: [keys] lacks letter, the pattern for keys without a name")


def _content(study: str, language: str, file: str, own: Path | None) -> tuple[str, str]:
    there = languages(study, own)
    if language not in there:
        raise UserError(
            f"study {study} has no texts in {language!r}; it has: {', '.join(there)} "
            f"(a new language is a folder of texts: texts/{study}/{language})"
        )
    places = [own / study / language] if own is not None else []
    for place in [*places, _shipped(study).joinpath(language)]:
        path = place.joinpath(file)
        if path.is_file():
            return _decoded(path), str(path)
    raise UserError(f"study {study}: the texts in {language!r} lack {file}")


def _decoded(path: Traversable) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    # The hash must not depend on an editor's line ends or on how it composes accents.
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))


def _refuse_naming(name: str, language: str, text: str, where: str) -> None:
    named = [] if name in DISCLOSING else named_sources(text, language)
    if named:
        raise UserError(
            f"{where}: {name} names {named[0]!r} before the question about the source; "
            "participants must not know yet"
        )


def _shipped(study: str) -> Traversable:
    return resources.files("participants.texts").joinpath(study)


def _folders(place: Traversable) -> list[Traversable]:
    return [entry for entry in place.iterdir() if entry.is_dir() and entry.name[0] not in "._"]

"""Classes' names: how typed text finds them, and how a pack writes them down."""

import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.names import folded

ANY_LANGUAGE: Final = ""
ALIAS_MARK: Final = "|"
NO_NUMBER: Final = sys.maxsize
_SPELLED_OUT: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


@dataclass(frozen=True, slots=True)
class ClassName:
    """What a class is called in one language.

    Attributes
    ----------
    class_id
        The class.
    name
        Its word.
    aliases
        Further words for it.
    """

    class_id: str
    name: str
    aliases: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The name, then the aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class Classes:
    """All classes of a pack in one language, in the order in which people look for them.

    A class with a number for a word, such as the digit called *three* or *3*, comes by that
    number; all others follow by their names, with the numbers in them taken as such: *type 2*
    stands before *type 10*.
    """

    names: tuple[ClassName, ...]

    @classmethod
    def of(cls, rows: Iterable[Row], language: str, *, aliases: bool = True) -> "Classes":
        """Return the classes in a language.

        Parameters
        ----------
        rows
            Those of ``classes.csv``.
        language
            IETF tag; a class without words in it has those of no language in particular.
        aliases
            Whether classes have their further names.
        """
        chosen: dict[str, ClassName] = {}
        places: dict[str, _Place] = {}
        for row in rows:
            class_id, tag = str(row["class"]), row["language"] or ANY_LANGUAGE
            if tag == language or (tag == ANY_LANGUAGE and class_id not in chosen):
                further = tuple(filter(None, str(row["aliases"] or "").split(ALIAS_MARK)))
                class_name = ClassName(class_id, str(row["name"]), further)
                places[class_id] = _place(class_name)
                chosen[class_id] = class_name if aliases else replace(class_name, aliases=())
        return cls(
            tuple(sorted(chosen.values(), key=lambda class_name: places[class_name.class_id]))
        )

    def suggestions(self, typed: str, most: int) -> tuple[ClassName, ...]:
        """Return the classes with a word that begins as typed; none for blank text.

        First those whose name begins so, then those with a later word of the name, then
        those with an alias; among equals in the order of all.

        Parameters
        ----------
        typed
            The field's text; case and accents don't matter, ä may be typed ae.
        most
            Number of classes at most.
        """
        start = folded(typed)
        if not start:
            return ()
        ranked = [(self._rank(name, start), place) for place, name in enumerate(self.names)]
        matching = sorted(pair for pair in ranked if pair[0] is not None)
        return tuple(self.names[place] for _, place in matching[:most])

    def exact(self, typed: str) -> ClassName | None:
        """Return the class that a text is a whole name of, or else a whole alias; else None."""
        return self._by_spelling.get(folded(typed))

    @cached_property
    def _spelled(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        """Each class's spellings: of its name, of its aliases."""
        return {
            name.class_id: (_spellings((name.name,)), _spellings(name.aliases))
            for name in self.names
        }

    @cached_property
    def _by_spelling(self) -> dict[str, ClassName]:
        by_spelling: dict[str, ClassName] = {}
        for kind in (0, 1):
            for name in self.names:
                for spelling in self._spelled[name.class_id][kind]:
                    by_spelling.setdefault(spelling, name)
        return by_spelling

    def _rank(self, class_name: ClassName, start: str) -> int | None:
        names, aliases = self._spelled[class_name.class_id]
        if any(name.startswith(start) for name in names):
            return 0
        if any(_word_begins(name, start) for name in names):
            return 1
        return 2 if any(_word_begins(alias, start) for alias in aliases) else None


_Place = tuple[int, list[tuple[bool, int, str]], str]


def _place(class_name: ClassName) -> _Place:
    """Return the key by which classes are sorted."""
    numbers = [int(word) for word in class_name.words if word.isdecimal()]
    name = re.split(r"([0-9]+)", folded(class_name.name))
    digits = [part.isdecimal() for part in name]
    parts = [
        (not number, int(part) if number else 0, "" if number else part)
        for part, number in zip(name, digits, strict=True)
        if part
    ]
    # Two of one name stand by their ids.
    return (min(numbers) if numbers else NO_NUMBER, parts, class_name.class_id)


def matched(word: str, typed: str) -> tuple[int, int] | None:
    """Return the characters of a word that a typed beginning stands for: the first and the end.

    None if no part of the word begins so, or nothing but blanks was typed.
    """
    start = folded(typed)
    if not start:
        return None
    spans = (
        span
        for span, spellings in _beginnings(word)
        if any(spelling.startswith(start) for spelling in spellings)
    )
    return next(spans, None)


def class_rows(classes: Collection[str], names: Mapping[tuple[str, str], str]) -> list[Row]:
    """Return the rows of ``classes.csv``.

    Parameters
    ----------
    classes
        Ids of the classes.
    names
        A class's words by its id and language (`ANY_LANGUAGE` for all others), the name
        first, aliases after it, separated by ``|``. A class without words is called by its
        id, blanks for underscores.

    Raises
    ------
    UserError
        If a word is blank or two classes share one: nobody could tell them apart.
    """
    rows: list[Row] = []
    for class_id in sorted(set(classes)):
        by_language = {tag: words for (other, tag), words in names.items() if other == class_id}
        by_language.setdefault(ANY_LANGUAGE, class_id.replace("_", " "))
        for tag in sorted(by_language):
            name, *aliases = _words(by_language[tag], class_id)
            rows.append(
                {
                    "class": class_id,
                    "language": tag or None,
                    "name": name,
                    "aliases": ALIAS_MARK.join(aliases) or None,
                }
            )
    _refuse_twins(rows)
    return rows


def _words(text: str, class_id: str) -> list[str]:
    words = [word.strip() for word in text.split(ALIAS_MARK)]
    if not all(map(folded, words)):
        raise UserError(f"class {class_id}: {text!r} contains a blank name; write name|alias|alias")
    return list(dict.fromkeys(words))


def _refuse_twins(rows: Sequence[Row]) -> None:
    for language in sorted({str(row["language"] or ANY_LANGUAGE) for row in rows}):
        seen: dict[str, str] = {}
        for name in Classes.of(rows, language).names:
            for word in name.words:
                for spelling in _spellings((word,)):
                    other = seen.setdefault(spelling, name.class_id)
                    if other != name.class_id:
                        raise UserError(
                            f"classes {other} and {name.class_id} are both called {word!r}; give "
                            "them different names with --names FILE"
                        )


def _spellings(words: Iterable[str]) -> frozenset[str]:
    """Return the folded forms of words: as they stand, and with ä, ö, ü spelled out."""
    whole = [unicodedata.normalize("NFC", word.lower()) for word in words]
    return frozenset(
        folded(form) for word in whole for form in (word, word.translate(_SPELLED_OUT))
    )


@lru_cache(maxsize=4096)
def _beginnings(word: str) -> tuple[tuple[tuple[int, int], frozenset[str]], ...]:
    """Return the stretches of a word that begin with one of its parts, and their spellings."""
    signs = f" {word}"
    firsts = [at for at in range(len(word)) if signs[at + 1].isalnum() and not signs[at].isalnum()]
    return tuple(
        ((first, end), _spellings((word[first:end],)))
        for first in firsts
        for end in range(first + 1, len(word) + 1)
    )


def _word_begins(text: str, start: str) -> bool:
    return f" {text}".find(f" {start}") >= 0

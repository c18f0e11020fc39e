"""English lines of the suite in another language.

Records, terminals and other processes have a line in English. `translated` finds its sentence
again, with the values in it, and returns it in the language of the words.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from participants.texts.load import PLACEHOLDER, fill, writing_of
from participants.texts.rig import CheckWords, RigWords, load_check_words

REFUSALS: Final = "refusals"
"""The table of sentences that belong to no check."""
JOINED: Final = "joined"
"""The table of how a line joins others."""
MISTAKES: Final = "mistakes"
"""The table of what can be wrong with a key of a file, or with its TOML."""
OF_NO_CHECK: Final = frozenset({REFUSALS, JOINED, MISTAKES})
"""The tables that aren't named after a check."""
NUMBER: Final = re.compile(r"[+-]?\d+\.\d+%?")
VERSIONS: Final = frozenset({"version", "pinned"})
"""Names of values that look like decimals and are none."""
BETWEEN: Final = " | "
"""What stands between lines."""
TEXT, VALUE = ".+?", "(?:(?!; |, and ).)+?"
"""What stands for a placeholder: text, or a value, which has no sentence in it."""
TEXTS: Final = frozenset({"what", "why", "first", "second", "remedy", "again"})


def translated(line: str, words: CheckWords) -> str:
    """Return an English line in the language of the words; what isn't known of it stays."""
    if BETWEEN in line:
        return BETWEEN.join(translated(part, words) for part in line.split(BETWEEN))
    if mistake := _translated_key(line, words):
        return mistake
    name, values = recalled(line, REFUSALS)
    if name:
        return sentence_of(words, REFUSALS, name, values)
    return _translated_check(line, words) or _joined(line, words)


def translated_in(line: str, words: RigWords) -> str:
    """Return an English line in the language of a window's words."""
    return translated(line, load_check_words(words.language, words.lab_texts))


def _joined(line: str, words: CheckWords) -> str:
    """Return a line of which only parts are known."""
    name, values = recalled(line, JOINED)
    known = any(translated(value, words) != value for value in values.values())
    return sentence_of(words, JOINED, name, values) if known else line


def _translated_key(line: str, words: CheckWords) -> str:
    """Return a line whose end says what is wrong with a key; empty if it doesn't.

    The file and the key before it stay as they are.
    """
    for at in (0, *(between.end() for between in re.finditer(": ", line))):
        name, values = recalled(line[at:], MISTAKES)
        if name:
            return f"{line[:at]}{sentence_of(words, MISTAKES, name, values)}"
    return ""


def _translated_check(line: str, words: CheckWords) -> str:
    """Return a line with a check's name, finding and remedy; empty if it is no such line."""
    check, _, rest = line.partition(": ")
    if check in OF_NO_CHECK or check not in english().tables:
        return ""
    for between in re.finditer("; ", rest):
        parts = rest[: between.start()], rest[between.end() :]
        known = [recalled(part, check) for part in parts]
        if all(name for name, _ in known):
            spoken = [sentence_of(words, check, *sentence) for sentence in known]
            return f"{words.tables[check]['name']}: {'; '.join(spoken)}"
    return ""


def recalled(line: str, table: str) -> tuple[str, Mapping[str, str]]:
    """Return the name of a line's sentence in a table, and its values; the name may be empty."""
    for name, sentence in _sentences(table):
        # To compile a pattern takes long, and few lines have all the letters of a sentence.
        known = all(letters in line for letters in _letters_of(sentence))
        if known and (match := _pattern(sentence).fullmatch(line)):
            return name, match.groupdict()
    return "", {}


def sentence_of(words: CheckWords, table: str, name: str, values: Mapping[str, str]) -> str:
    """Return a sentence; its values are translated, and decimals written as in the language."""
    return fill(words.tables[table][name], {key: _value(key, values[key], words) for key in values})


def _value(name: str, text: str, words: CheckWords) -> str:
    if name not in VERSIONS and NUMBER.fullmatch(text):
        return text.replace(".", writing_of(words.language).decimal)
    return translated(text, words)


@cache
def english() -> CheckWords:
    """Return the sentences in English."""
    return load_check_words()


@cache
def _sentences(table: str) -> tuple[tuple[str, str], ...]:
    """Return the sentences of a table by name, those with most letters of their own first."""
    sentences = english().tables.get(table, {})
    return tuple(sorted(sentences.items(), key=lambda entry: -sum(map(len, _letters_of(entry[1])))))


@cache
def _letters_of(sentence: str) -> tuple[str, ...]:
    """Return what stands before, between and after a sentence's placeholders."""
    return tuple(PLACEHOLDER.sub("\0", sentence).split("\0"))


@cache
def _pattern(sentence: str) -> re.Pattern[str]:
    parts, at = [], 0
    for placeholder in PLACEHOLDER.finditer(sentence):
        parts.append(re.escape(sentence[at : placeholder.start()]))
        name, singular, plural = placeholder.groups()
        kind = TEXT if name in TEXTS else VALUE
        parts.append(f"(?P<{name}>{kind})" if singular is None else f"(?:{singular}|{plural})")
        at = placeholder.end()
    return re.compile("".join([*parts, re.escape(sentence[at:])]), re.DOTALL)

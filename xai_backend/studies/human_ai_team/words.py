"""What labels mean and helps in words, from tables or from WordNet."""

import importlib
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from stimuli.errors import UserError
from stimuli.images.names import ANY_LANGUAGE
from stimuli.images.sets import rows_of
from xai_backend.studies.human_ai_team.draw import Judged
from xai_backend.studies.human_ai_team.images import file_name

Words = Mapping[tuple[str, str], str]
_WNID = re.compile(r"n[0-9]{8}")


def read_words(path: Path, of: str, column: str) -> dict[tuple[str, str], str]:
    """Return texts by what they are of and language.

    Parameters
    ----------
    path
        A CSV with the columns ``of`` and ``column``, and one more for each language that
        has texts of its own (headed by its IETF tag).
    of, column
        Names of these columns.

    Raises
    ------
    UserError
        If it can't be read, or something occurs twice.
    """
    words: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows_of(path, (of, column)), start=2):
        key = row[of]
        if (key, ANY_LANGUAGE) in words:
            raise UserError(f"{path}, line {number}: {key} occurs twice")
        words[key, ANY_LANGUAGE] = row[column]
        words |= {(key, tag): text for tag, text in row.items() if tag not in (of, column) and text}
    return words


def help_texts(path: Path, judged: Sequence[Judged]) -> dict[tuple[str, str], str]:
    """Return helps in words by item and language, from a CSV ``image,text``.

    An image is named by its path within the set or by the name that ``--for-maps`` gives it.

    Raises
    ------
    UserError
        If the table can't be read.
    """
    words = read_words(path, "image", "text")
    items = {file_name(one.item): one.item for one in judged}
    items |= {one.item: one.item for one in judged}
    return {(items[key], tag): text for (key, tag), text in words.items() if key in items}


def definitions(
    path: Path | None, labels: Collection[str], names: Words
) -> dict[tuple[str, str], str]:
    """Return what labels mean: from a CSV ``label,definition``, else from WordNet if it's there.

    WordNet (nltk's corpus) is asked by the label's number, where it is a WordNet id, or by
    its name. A label that neither knows has none.

    Raises
    ------
    UserError
        If the table can't be read.
    """
    own = read_words(path, "label", "definition") if path else {}
    known = {key: text for key, text in own.items() if key[0] in labels}
    lacking = sorted(set(labels) - {label for label, _ in known})
    words = {label: names.get((label, ANY_LANGUAGE), label) for label in lacking}
    return {**known, **_of_wordnet(words)}


def _of_wordnet(words: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return definitions in English of labels and their words; {} without nltk or its corpus."""
    try:
        wordnet = importlib.import_module("nltk.corpus").wordnet
        wordnet.ensure_loaded()
    except (ImportError, LookupError, OSError):
        # Not installed, no corpus, or one that lacks a file.
        return {}
    found = {}
    for label, word in words.items():
        if _WNID.fullmatch(label):
            with warnings.catch_warnings(action="ignore"):
                # nltk warns of a number that it doesn't know.
                meaning = wordnet.synset_from_pos_and_offset("n", int(label[1:]))
        else:
            meaning = next(iter(wordnet.synsets(word.replace(" ", "_"), pos="n")), None)
        if meaning is not None:
            found[label, "en"] = str(meaning.definition())
    return found

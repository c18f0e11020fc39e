"""Labelled sentences: the folder of rt-polarity, or a CSV; their tokens and splits."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.io.given_files import read_bytes
from stimuli.io.given_tables import numbered_rows
from stimuli.studies.simulatability.stimulus import TextInput
from stimuli.typed_text import IDEOGRAPHS, signs_of
from xai_backend.studies.simulatability.trained import Labelled, Split

POLARITY_FILES: Final = {"negative": "rt-polarity.neg", "positive": "rt-polarity.pos"}
TEST_SHARE, VALIDATION_SHARE = 0.2, 0.1
TOKENS: Final = "_tokens"
"""End of the name of the column with a text's own tokens."""
LEAST_OF_A_CLASS = 100
"""Fewest sentences of a class: fewer aren't enough for 40 prototypes of a class and three
splits."""
CONTINUED: Final = "\ue000"
"""Stands for what belongs to the sign before it, while tokens are cut."""
_WORD = rf"[^\W{IDEOGRAPHS}]+"
_TOKEN = re.compile(
    rf"[{IDEOGRAPHS}]{CONTINUED}*|{_WORD}(?:(?:['’-]|(?<=\d)[.,](?=\d)){_WORD})*|[^\w\s]{CONTINUED}*"
)
_WORD_SIGN = re.compile(_WORD)


Splits = Mapping[Split, tuple[Labelled, ...]]


def read_texts(source: Path, *, trains: bool = True) -> tuple[Labelled, ...]:
    """Return the sentences of a data set.

    Parameters
    ----------
    source
        A folder with ``rt-polarity.neg`` and ``rt-polarity.pos`` (one sentence per line, with
        blanks between tokens; UTF-8 or Latin-1), or a table with columns ``text``, ``label``
        and optionally ``id`` and ``text_tokens`` (`sentence_in`). Without ids, rows are numbered
        from 1.
    trains
        Whether a model is to be trained on them; a lab's own model may have more than two classes.

    Raises
    ------
    UserError
        If there is no such data set, it can't be read, an id occurs twice, there is only one class,
        or a model can't be trained on them (`check_texts`).
    """
    if source.is_dir():
        texts = tuple(text for label in POLARITY_FILES for text in _lines(source, label))
    elif source.is_file():
        texts = tuple(_rows(source))
    else:
        raise UserError(
            f"{source}: there is no such data set; name a folder with {' and '.join(_names())}, "
            "or a CSV with columns text,label"
        )
    check_texts(texts, str(source), trains=trains)
    return texts


def check_texts(texts: Sequence[Labelled], where: str, *, trains: bool = True) -> None:
    """Refuse sentences that aren't suitable for training a model, or for asking it.

    Raises
    ------
    UserError
        If an id occurs twice or there is only one class; for training also if there aren't two
        classes,
        or one has fewer than 100 sentences.
    """
    twice = [name for name, count in Counter(text.source_id for text in texts).items() if count > 1]
    if twice:
        raise UserError(f"{where}: the id {twice[0]} occurs twice")
    counts = Counter(text.label for text in texts)
    if len(counts) < 2 or (trains and len(counts) > 2):
        examples = ", ".join(sorted(counts)[:5])
        raise UserError(f"{where}: has {len(counts)} classes ({examples}); two are needed")
    label, count = min(counts.items(), key=lambda pair: pair[1])
    if trains and count < LEAST_OF_A_CLASS:
        raise UserError(
            f"{where}: has {count} sentences of class {label}; {LEAST_OF_A_CLASS} are needed"
        )


def classes_of(texts: Sequence[Labelled], positive: Collection[str] = ()) -> tuple[str, str]:
    """Return the two classes: the second is the positive one.

    ``positive`` names it; by default it is the last alphabetically, as in ``negative`` and
    ``positive``, ``no`` and ``yes``, ``0`` and ``1``.
    """
    first, second = sorted({text.label for text in texts})
    return (second, first) if first in positive else (first, second)


def split_texts(texts: Sequence[Labelled], seed: int, tested: Collection[str] = ()) -> Splits:
    """Return the splits: 20 % test (rounded up), 10 % validation, the rest for training.

    A sentence's place in the order depends only on its tokens and the seed. Equal sentences are
    neighbours, so that they share a split.

    Parameters
    ----------
    texts, seed
        The sentences, and the seed of the order.
    tested
        Ids of sentences that are the first in the test split: those whose edits are given.
    """
    first = {text.instance for text in texts if text.source_id in tested}
    order = sorted(
        texts,
        key=lambda text: (
            text.instance not in first,
            hash_of(["split", seed, *text.instance.parts]),
            text.source_id,
        ),
    )
    test = math.ceil(TEST_SHARE * len(order))
    validation = test + round(VALIDATION_SHARE * len(order))
    return {
        "train": tuple(order[validation:]),
        "validation": tuple(order[test:validation]),
        "test": tuple(order[:test]),
    }


def sentence_in(cells: Mapping[str, str], column: str) -> TextInput:
    """Return a table's sentence with its tokens, which another column may name.

    Parameters
    ----------
    cells
        A line's cells; ``COLUMN_tokens`` may have the tokens of the text, with blanks between.
    column
        The text's column.

    Raises
    ------
    ValueError
        If the text has no words, or other signs than its tokens.
    """
    written = " ".join(unicodedata.normalize("NFC", cells[column]).split())
    named = cells.get(f"{column}{TOKENS}", "")
    tokens = tuple(unicodedata.normalize("NFC", named).split()) or tokens_of(written)
    if not tokens:
        raise ValueError(f"{column}: has no words")
    if "".join(tokens) != written.replace(" ", ""):
        raise ValueError(f"{column}{TOKENS}: has other signs than {column}")
    glued, end = [], 0
    for place, token in enumerate(tokens):
        blank = written.startswith(" ", end)
        if place and not blank:
            glued.append(place)
        end += blank + len(token)
        if not written[:end].endswith(token):
            raise ValueError(f"{column}{TOKENS}: {token!r} has a blank in {column}")
    return TextInput(tokens=tokens, glued=tuple(glued))


def tokens_of(text: str) -> tuple[str, ...]:
    """Cut a text into tokens: words, numbers, and single signs.

    Apostrophes and hyphens within a word belong to it (``don't``, ``well-made``), and so do points
    and commas between digits (``3.5``). Chinese and Japanese, which have no blanks between words,
    are cut into signs. A letter and its marks are one sign: files of macOS and PDFs often have them
    apart, so texts become NFC, and marks that stay apart count as letters. An emoji of several
    characters is one sign, too.
    """
    whole = unicodedata.normalize("NFC", text)
    shape = "".join(
        sign[0] + ("m" if _WORD_SIGN.match(sign) else CONTINUED) * (len(sign) - 1)
        for sign in signs_of(whole)
    )
    return tuple(whole[token.start() : token.end()] for token in _TOKEN.finditer(shape))


def _names() -> list[str]:
    return list(POLARITY_FILES.values())


def _lines(folder: Path, label: str) -> list[Labelled]:
    path = folder / POLARITY_FILES[label]
    data = read_bytes(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # the published file's encoding
    # Only line feeds end a sentence; other Unicode line breaks don't.
    lines = [line.split() for line in unicodedata.normalize("NFC", text).split("\n")]
    return [
        Labelled(f"{label}-{number}", TextInput(tokens=tuple(tokens)), label)
        for number, tokens in enumerate(lines, start=1)
        if tokens
    ]


def _rows(path: Path) -> list[Labelled]:
    texts = []
    rows = numbered_rows(path, ("text", "label"))
    for nth, (number, row) in enumerate(rows, start=1):
        name = row.get("id") or str(nth)
        try:
            texts.append(Labelled(name, sentence_in(row, "text"), row["label"]))
        except ValueError as error:
            raise UserError(f"{path}, row {number}: {error}") from None
    return texts

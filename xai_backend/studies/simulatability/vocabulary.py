"""The words that a text model knows: their codes, and their vectors.

Vectors come from a file, or from which words occur together in the training sentences.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd

PADDING: Final = 0
UNKNOWN: Final = 1
BLANK: Final = 2
"""Code of an empty word: its vector is zero, but it has a place in the sentence."""
RESERVED: Final = 3


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with their codes; words are compared in lower case.

    Attributes
    ----------
    words
        In the order of their codes, which begin at 3.
    """

    words: tuple[str, ...]
    _codes: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        codes = {word: code for code, word in enumerate(self.words, start=RESERVED)}
        object.__setattr__(self, "_codes", codes)

    def __len__(self) -> int:
        """Count all codes, the reserved ones too."""
        return len(self.words) + RESERVED

    def code(self, token: str) -> int:
        """Return a token's code; `UNKNOWN` if the word isn't known."""
        return self._codes.get(token.lower(), UNKNOWN)

    def coded(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Return codes, int64 (sentences, longest), filled up with `PADDING` on the right."""
        longest = max(map(len, sentences), default=0)
        codes = torch.full((len(sentences), longest), PADDING)
        for row, tokens in zip(codes, sentences, strict=True):
            row[: len(tokens)] = torch.tensor([self.code(token) for token in tokens])
        return codes


def counts_of(sentences: Iterable[Iterable[str]]) -> Counter[str]:
    """Count the words of sentences, in lower case."""
    return Counter(token.lower() for tokens in sentences for token in tokens)


def by_frequency(counts: Counter[str], least: int) -> tuple[str, ...]:
    """Return the words that occur at least ``least`` times, the most frequent first."""
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(word for word, count in order if count >= least)


Vector = NDArray[np.float32]
DIMENSIONS: Final = 100
"""Dimensions of vectors that are made here."""
WINDOW: Final = 2
"""Largest distance of words that count as occurring together. With a small window, words that can
replace each other become similar (Levy & Goldberg 2014)."""
SMOOTHING: Final = 0.75
"""Power of a context's frequency (Levy, Goldberg & Dagan 2015, section 3.2)."""
SPREAD: Final = 0.1
"""Standard deviation of the vectors' values, small enough as a network's initial values."""
OVERSAMPLED: Final = 20
ROUNDS: Final = 4


def read_vectors(path: Path, words: Collection[str]) -> dict[str, Vector]:
    """Return the vectors of the words that a file has, float32 (d,).

    Parameters
    ----------
    path
        In GloVe's text format, UTF-8: a word and d numbers a line, with blanks between. A first
        line with two numbers (word2vec's count and d) is left out. It is read line by line.
    words
        The wanted words; if a word occurs twice, the first vector is used.

    Raises
    ------
    UserError
        If the file can't be read, a line isn't a word and d numbers, or it has none of the words.
    """
    wanted = {word.encode("utf-8"): word for word in words}
    found: dict[str, Vector] = {}
    refuse_odd(path)
    try:
        with path.open("rb") as stream:
            dimensions = _dimensions(list(islice(stream, 2)))
            stream.seek(0)
            for number, line in enumerate(stream, start=1):
                word = wanted.get(line.split(b" ", 1)[0])
                if word is None or word in found or _is_head(number, line):
                    continue
                values = line.split()[1:]
                if len(values) <= dimensions:  # else the word continues: it contains blanks
                    found[word] = _vector(path, number, values, dimensions)
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    if not found:
        raise UserError(
            f"{path}: has a vector for none of the data's words; give a file in GloVe's text "
            "format (word v1 … vd)"
        )
    return found


def _dimensions(first: list[bytes]) -> int:
    """Return d from the first line that isn't word2vec's."""
    lines = [line for number, line in enumerate(first, start=1) if not _is_head(number, line)]
    return len(lines[0].split()) - 1 if lines else 0


def _is_head(number: int, line: bytes) -> bool:
    return number == 1 and len(line.split()) == 2


def _vector(path: Path, number: int, values: list[bytes], dimensions: int) -> Vector:
    try:
        vector = np.array([float(value) for value in values], dtype=np.float32)
    except ValueError:
        vector = np.full(dimensions, np.nan, dtype=np.float32)
    if len(vector) != dimensions or not dimensions or not np.isfinite(vector).all():
        raise UserError(
            f"{path}, line {number}: isn't a word and {dimensions} numbers, as in GloVe's text "
            "format"
        )
    return vector


def made_vectors(codes: Tensor, size: int) -> Tensor:
    """Return vectors of words, made from the sentences in which they occur; float32 (size, 100).

    Words that occur in the same contexts get similar vectors: a truncated singular value
    decomposition of the words' positive pointwise mutual information (Levy, Goldberg & Dagan 2015),
    with the square roots of the singular values. Labels aren't used. It draws from torch's
    generator.

    Parameters
    ----------
    codes
        The sentences, int64 (n, longest).
    size
        Number of codes. A code that never occurs gets zeros.
    """
    information = _information(codes, size)
    dimensions = min(DIMENSIONS, size)
    u, s, _ = torch.svd_lowrank(information, min(dimensions + OVERSAMPLED, size), niter=ROUNDS)
    vectors = u[:, :dimensions] * s[:dimensions].sqrt()
    vectors = torch.nn.functional.pad(vectors, (0, DIMENSIONS - dimensions))
    return (vectors * (SPREAD / vectors.std().clamp(min=1e-12))).float()


def _information(codes: Tensor, size: int) -> Tensor:
    """Return the positive pointwise mutual information of words, sparse float64 (size, size)."""
    together = _together(codes, size)
    words, contexts = together.indices()
    total = torch.zeros(size, dtype=torch.float64).index_add_(0, words, together.values())
    context = total.pow(SMOOTHING)
    context = context / context.sum()
    mutual = (together.values() / (total[words] * context[contexts])).log().clamp(min=0)
    return _sparse(together.indices(), mutual, size)


def _together(codes: Tensor, size: int) -> Tensor:
    """Count how often words occur together, weighted by 1 / distance; sparse, symmetric."""
    parts, weights = [], []
    for distance in range(1, WINDOW + 1):
        left, right = codes[:, :-distance].flatten(), codes[:, distance:].flatten()
        known = (left > UNKNOWN) & (right > UNKNOWN)
        pair = torch.stack([left[known], right[known]])
        parts += [pair, pair.flip(0)]
        weights += [torch.full((2 * pair.shape[1],), 1 / distance, dtype=torch.float64)]
    return _sparse(torch.cat(parts, 1), torch.cat(weights), size)


def _sparse(places: Tensor, values: Tensor, size: int) -> Tensor:
    matrix = torch.sparse_coo_tensor(places, values, (size, size), check_invariants=True)
    return matrix.coalesce()

"""What a text model knows before it is trained: its words, their vectors, and which are alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from xai_backend.determinism import deterministic
from xai_backend.studies.simulatability.text_data import Splits
from xai_backend.studies.simulatability.text_space import WordSpace
from xai_backend.studies.simulatability.vocabulary import (
    RESERVED,
    Vocabulary,
    by_frequency,
    counts_of,
)
from xai_backend.studies.simulatability.word_vectors import Vector, made_vectors, read_vectors

LEAST: Final = 2
"""A word must occur so often in the training split to be known without a vector from a file."""
LEAST_FOR_NEIGHBOURS: Final = 5
"""A made vector says little of a word that occurs less often."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words and their vectors.

    Attributes
    ----------
    vocabulary
        The words that the model knows.
    vectors
        With which training begins, float32 (codes, d).
    alike
        Codes of the words whose vectors say which words are alike, int64.
    """

    vocabulary: Vocabulary
    vectors: Tensor
    alike: Tensor

    def space(self) -> WordSpace:
        """Return what sentences can be changed to."""
        words = [self.vocabulary.words[code - RESERVED] for code in self.alike.tolist()]
        return WordSpace(words, self.vectors[self.alike].double().numpy())


def words_of(splits: Splits, vectors: Path | None, seed: int) -> Words:
    """Return words with vectors from a file, or without one, with vectors made here.

    From a file come the vectors of all words of the data, whose labels aren't looked at; words of
    the training split that it doesn't have get drawn ones. Vectors that are made here come from the
    training split alone.

    Raises
    ------
    UserError
        If the file can't be used.
    """
    counts = counts_of(one.given.parts for one in splits["train"])
    if vectors is None:
        return _with_own_vectors(splits, Vocabulary(by_frequency(counts, LEAST)), counts, seed)
    everywhere = counts_of(one.given.parts for split in splits.values() for one in split)
    found = read_vectors(vectors, everywhere)
    known = by_frequency(everywhere, 1)
    kept = tuple(word for word in known if word in found or counts[word] >= LEAST)
    return _from_file(Vocabulary(kept), found, seed)


def _with_own_vectors(
    splits: Splits, vocabulary: Vocabulary, counts: Mapping[str, int], seed: int
) -> Words:
    codes = vocabulary.coded([one.given.parts for one in splits["train"]])
    with deterministic(seed):
        vectors = made_vectors(codes, len(vocabulary))
    frequent = [word for word in vocabulary.words if counts[word] >= LEAST_FOR_NEIGHBOURS]
    return Words(vocabulary, vectors, _codes(vocabulary, frequent))


def _from_file(vocabulary: Vocabulary, found: Mapping[str, Vector], seed: int) -> Words:
    known = [word for word in vocabulary.words if word in found]
    codes = _codes(vocabulary, known)
    rows = np.stack([found[word] for word in known])
    drawn = np.random.default_rng(seed).normal(size=(len(vocabulary), rows.shape[1]))
    vectors = torch.from_numpy((rows.std() * drawn).astype(np.float32))
    vectors[codes] = torch.from_numpy(rows)
    return Words(vocabulary, vectors, codes)


def _codes(vocabulary: Vocabulary, words: list[str]) -> Tensor:
    return torch.tensor([vocabulary.code(word) for word in words], dtype=torch.int64)

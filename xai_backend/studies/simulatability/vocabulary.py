"""The words that a text model knows, and their codes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import torch
from torch import Tensor

PADDING: Final = 0
UNKNOWN: Final = 1
BLANK: Final = 2
"""A word that says nothing: its vector is zero, but it has a place in the sentence."""
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
        """Return a token's code, `UNKNOWN` where the word isn't known."""
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
    """Return words that occur at least so often, the most frequent first."""
    order = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(word for word, count in order if count >= least)

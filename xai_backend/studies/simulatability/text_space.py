"""What a sentence can be changed to: words that are alike, and changes made of them."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from stimuli.studies.simulatability.inputs import Edit, TextInput
from xai_backend.studies.simulatability.methods.around import (
    CHANGES,
    TRIES,
    change_chance,
    drawn_words,
    words_around,
)
from xai_backend.studies.simulatability.parts_of_speech import PartsOfSpeech, has_clitic, universal
from xai_backend.studies.simulatability.trained import Reals

NEIGHBOURS: Final = 50
CHANGEABLE: Final = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
"""Hase & Bansal 2020, appendix A.2."""
IN_PROPORTION: Final = 1.0
"""Temperature at which a word is drawn in proportion to its cosine."""
DECIMALS: Final = 6
"""Of cosines, so that equal ones are equal on every machine."""


class WordSpace:
    """A `TextSpace`: words with vectors, and a tagger.

    Parameters
    ----------
    words
        In lower case; frequent enough for their vectors to mean something. Those without a letter
        are left out.
    vectors
        Shape (words, d); a word whose vector is zero is left out too.
    """

    def __init__(self, words: Sequence[str], vectors: Reals) -> None:
        lengths = np.linalg.norm(vectors, axis=1)
        kept = np.flatnonzero([any(map(str.isalpha, word)) for word in words] & (lengths > 0))
        self._words = [words[row] for row in kept]
        self._units = vectors[kept] / lengths[kept, None]
        self._rows = {word: row for row, word in enumerate(self._words)}
        self._tagger = PartsOfSpeech()
        self._neighbours: dict[str, tuple[tuple[str, float], ...]] = {}
        self._likeliest: dict[str, str] = {}

    def neighbours(self, token: str) -> tuple[tuple[str, float], ...]:
        """Return the 50 words that are most alike, the nearest first, with cosines above 0.

        The token itself is not among them. A token without a vector has none.
        """
        word = token.lower()
        if word not in self._neighbours:
            self._neighbours[word] = self._found(word)
        return self._neighbours[word]

    def tags(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return each token's universal part of speech, such as ``NOUN``."""
        return self._tagger.universal(tokens)

    def substitutes(self, tokens: Sequence[str]) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Return what each token may become: neighbours of the same form, with cosines.

        Only nouns, verbs, adjectives, adverbs and adpositions have any. A neighbour has the same
        form if the tag that it has most often is the token's own in the sentence, in the tagger's
        fine tags: a plural noun for a plural noun. ``it's`` is two words, and has none.
        """
        return tuple(
            self._of_form(token, tag)
            if universal(tag) in CHANGEABLE and not has_clitic(token)
            else ()
            for token, tag in zip(tokens, self._tagger.fine(tokens), strict=True)
        )

    def changes(
        self, given: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of a sentence, all different within a try (published code; appendix A.2).

        A try has 10,000 draws. In each, a word is replaced with a chance that falls with the
        sentence's length and rises from try to try, by a substitute in proportion to its cosine.
        Those with at most ``most_edits`` new words come first, in random order, then those with the
        fewest. A sentence in which no word can be replaced has none.
        """
        around = words_around(given, self)
        for number in range(TRIES if len(around.changeable) else 0):
            chance = change_chance(len(given.tokens), number)
            codes = drawn_words(around, CHANGES, chance, IN_PROPORTION, rng)
            codes = rng.permutation(np.unique(codes[codes.any(axis=1)], axis=0))
            too_many = np.maximum((codes != 0).sum(axis=1), most_edits)
            for row in np.argsort(too_many, kind="stable"):
                yield around.edits(codes[row])

    def _found(self, word: str) -> tuple[tuple[str, float], ...]:
        row = self._rows.get(word)
        if row is None:
            return ()
        cosines = np.round(self._units @ self._units[row], DECIMALS)
        cosines[row] = 0
        order = np.argsort(-cosines, kind="stable")[:NEIGHBOURS]
        return tuple((self._words[k], float(cosines[k])) for k in order if cosines[k] > 0)

    def _of_form(self, token: str, tag: str) -> tuple[tuple[str, float], ...]:
        return tuple(
            (_cased_as(token, word), cosine)
            for word, cosine in self.neighbours(token)
            if self._tag_of(word) == tag
        )

    def _tag_of(self, word: str) -> str:
        if word not in self._likeliest:
            self._likeliest[word] = self._tagger.likeliest(word)
        return self._likeliest[word]


def _cased_as(token: str, word: str) -> str:
    """Return a word with a capital where the token has one."""
    return word.capitalize() if token[:1].isupper() else word

"""What a sentence can be changed to: words that are alike, and changes made of them."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from stimuli.studies.simulatability.inputs import Edit, TextInput
from xai_backend.studies.simulatability.parts_of_speech import PartsOfSpeech, has_clitic, universal
from xai_backend.studies.simulatability.trained import Reals

NEIGHBOURS: Final = 50
CHANGEABLE: Final = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
"""Hase & Bansal 2020, appendix A.2."""
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

    def counterfactual(
        self, given: TextInput, most_edits: int, rng: np.random.Generator
    ) -> tuple[Edit, ...]:
        """Draw a change: 1 to ``most_edits`` tokens become words that are alike.

        Their number and places are uniform; a word is drawn in proportion to its cosine (Hase &
        Bansal 2020, appendix A.2). There is none where no token can become another.
        """
        substitutes = self.substitutes(given.tokens)
        places = [place for place, words in enumerate(substitutes) if words]
        most = min(most_edits, len(places))
        if not most:
            return ()
        count = int(rng.integers(1, most, endpoint=True))
        chosen = sorted(rng.choice(places, count, replace=False))
        return tuple(_edit(given.tokens, int(place), substitutes[place], rng) for place in chosen)

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


def _edit(
    tokens: Sequence[str],
    place: int,
    words: Sequence[tuple[str, float]],
    rng: np.random.Generator,
) -> Edit:
    shares = np.array([cosine for _, cosine in words])
    number = int(rng.choice(len(words), p=shares / shares.sum()))
    return Edit(place=place, old=tokens[place], new=words[number][0])


def _cased_as(token: str, word: str) -> str:
    """Return a word with a capital where the token has one."""
    return word.capitalize() if token[:1].isupper() else word

"""What a text model knows before training: words, their vectors, and what they may change to.

Vectors come from a file, or from which words occur together in the training sentences. HanTa
(Wartena 2019) tags parts of speech by morphology and context, in the C5 tags of the British
National Corpus.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from HanTa.HanoverTagger import HanoverTagger
from numpy.typing import NDArray
from torch import Tensor

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from stimuli.studies.simulatability.stimulus import Edit, TextInput
from xai_backend.determinism import deterministic
from xai_backend.studies.simulatability.methods.around import changed_words
from xai_backend.studies.simulatability.text_data import Splits
from xai_backend.studies.simulatability.trained import Reals

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
    vectors: dict[str, Vector] = {}
    refuse_odd(path)
    try:
        with path.open("rb") as stream:
            dimensions = _dimensions(list(islice(stream, 2)))
            stream.seek(0)
            for number, line in enumerate(stream, start=1):
                word = wanted.get(line.split(b" ", 1)[0])
                if word is None or word in vectors or _is_head(number, line):
                    continue
                values = line.split()[1:]
                if len(values) <= dimensions:  # else the word continues: it contains blanks
                    vectors[word] = _vector(path, number, values, dimensions)
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    if not vectors:
        raise UserError(
            f"{path}: has a vector for none of the data's words; give a file in GloVe's text "
            "format (word v1 … vd)"
        )
    return vectors


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


LEAST: Final = 2
"""Occurrences in the training split that make a word known if no file has its vector."""
LEAST_FOR_NEIGHBOURS: Final = 5
"""The vector made for a word is meaningless if the word occurs less often."""

NEIGHBOURS: Final = 50

CHANGEABLE: Final = frozenset({"NOUN", "VERB", "ADJ", "ADV", "ADP"})
"""Parts of speech whose words can be replaced (Hase & Bansal 2020, appendix A.2)."""

DECIMALS: Final = 6
"""Decimals of cosines, so that equal ones are equal on every machine."""

MODEL: Final = "morphmodel_en.pgz"

OTHER: Final = "X"

UNIVERSAL: Final = {
    "AJ": "ADJ", "ORD": "ADJ", "AV": "ADV", "PR": "ADP", "NN": "NOUN", "NP": "PROPN",
    "VV": "VERB", "VB": "AUX", "VD": "AUX", "VH": "AUX", "VM": "AUX",
    "AT": "DET", "DT": "DET", "DP": "PRON", "PN": "PRON", "EX": "PRON",
    "CJC": "CCONJ", "CJS": "SCONJ", "CJT": "SCONJ", "CRD": "NUM", "ITJ": "INTJ",
    "TO": "PART", "XX": "PART", "POS": "PART", "PU": "PUNCT", "ZZ": "SYM",
}  # fmt: skip
"""Universal parts of speech by the start of a C5 tag."""

_CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|m|d|re|ve|ll))$", re.IGNORECASE)


class WordSpace:
    """A `TextSpace`: words with vectors, and a tagger.

    Parameters
    ----------
    words
        In lower case; frequent enough for meaningful vectors. Those without a letter
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
        """Return the 50 most similar words, the nearest first, with cosines above 0.

        The token itself is not among them. A token without a vector has none.
        """
        word = token.lower()
        if word not in self._neighbours:
            self._neighbours[word] = self._nearest(word)
        return self._neighbours[word]

    def tags(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return each token's universal part of speech, such as ``NOUN``."""
        return self._tagger.universal(tokens)

    def substitutes(self, sentence: TextInput) -> tuple[tuple[tuple[str, float], ...], ...]:
        """Return each token's possible replacements: neighbours of the same form, with cosines.

        Only nouns, verbs, adjectives, adverbs and adpositions have any. A neighbour has the same
        form if the tag that it has most often is the token's own in the sentence, in the tagger's
        fine tags: a plural noun for a plural noun. ``it's`` is two words, and has none.
        """
        return tuple(
            self._of_form(token, tag)
            if universal(tag) in CHANGEABLE and not has_clitic(token)
            else ()
            for token, tag in zip(sentence.tokens, self._tagger.fine(sentence.tokens), strict=True)
        )

    def changes(
        self, instance: TextInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw changes of a sentence, as `changed_words` does."""
        return changed_words(self, instance, most_edits, rng)

    def _nearest(self, word: str) -> tuple[tuple[str, float], ...]:
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


class PartsOfSpeech:
    """The tagger of parts of speech; loading it takes a fifth of a second."""

    def __init__(self) -> None:
        self._tagger: Any = HanoverTagger(MODEL)

    def fine(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return each token's C5 tag, such as ``NN2`` for a plural noun.

        A token with a clitic (``it's``, ``director's``, ``don't``) is read as two words, as the
        model learned them, and has the tag of the first.
        """
        words: list[str] = []
        places = []
        for token in tokens:
            places.append(len(words))
            words += [part for part in _CLITIC.split(token) if part]
        tags = [tag for _, _, tag in self._tagger.tag_sent(words)] if words else []
        return tuple(str(tags[place]) for place in places)

    def universal(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """Return each token's universal part of speech, such as ``NOUN``."""
        return tuple(map(universal, self.fine(tokens)))

    def likeliest(self, word: str) -> str:
        """Return the C5 tag that a word has most often; ``X`` of two words with a clitic."""
        if has_clitic(word):
            return OTHER
        tags = self._tagger.tag_word(word, casesensitive=False)
        return str(max(tags, key=lambda pair: pair[1])[0]) if tags else OTHER


def has_clitic(token: str) -> bool:
    """Tell whether a token is two words, such as ``it's``."""
    return _CLITIC.search(token) is not None


def universal(tag: str) -> str:
    """Return the universal part of speech of a C5 tag."""
    return next((UNIVERSAL[tag[:n]] for n in (3, 2) if tag[:n] in UNIVERSAL), OTHER)


@dataclass(frozen=True, slots=True)
class Words:
    """Words and their vectors.

    Attributes
    ----------
    vocabulary
        The words that the model knows.
    vectors
        Initial vectors for training, float32 (codes, d).
    alike
        int64: codes of the words whose vectors tell which words are similar.
    """

    vocabulary: Vocabulary
    vectors: Tensor
    alike: Tensor

    def space(self) -> WordSpace:
        """Return the possible changes of sentences."""
        words = [self.vocabulary.words[code - RESERVED] for code in self.alike.tolist()]
        return WordSpace(words, self.vectors[self.alike].double().numpy())


def words_of(splits: Splits, vectors: Path | None, seed: int) -> Words:
    """Return words with vectors from a file, or without one, with vectors made here.

    A file gives the vectors of all words in the data, whatever their labels; words of the training
    split that it doesn't have get random vectors. Vectors made here depend on the training split
    only.

    Raises
    ------
    UserError
        If the file can't be used.
    """
    counts = counts_of(text.instance.parts for text in splits["train"])
    if vectors is None:
        return _with_own_vectors(splits, Vocabulary(by_frequency(counts, LEAST)), counts, seed)
    everywhere = counts_of(text.instance.parts for split in splits.values() for text in split)
    file_vectors = read_vectors(vectors, everywhere)
    known = by_frequency(everywhere, 1)
    kept = tuple(word for word in known if word in file_vectors or counts[word] >= LEAST)
    return _from_file(Vocabulary(kept), file_vectors, seed)


def _with_own_vectors(
    splits: Splits, vocabulary: Vocabulary, counts: Mapping[str, int], seed: int
) -> Words:
    codes = vocabulary.coded([example.instance.parts for example in splits["train"]])
    with deterministic(seed):
        vectors = made_vectors(codes, len(vocabulary))
    frequent = [word for word in vocabulary.words if counts[word] >= LEAST_FOR_NEIGHBOURS]
    return Words(vocabulary, vectors, _codes(vocabulary, frequent))


def _from_file(vocabulary: Vocabulary, file_vectors: Mapping[str, Vector], seed: int) -> Words:
    known = [word for word in vocabulary.words if word in file_vectors]
    codes = _codes(vocabulary, known)
    rows = np.stack([file_vectors[word] for word in known])
    drawn = np.random.default_rng(seed).normal(size=(len(vocabulary), rows.shape[1]))
    vectors = torch.from_numpy((rows.std() * drawn).astype(np.float32))
    vectors[codes] = torch.from_numpy(rows)
    return Words(vocabulary, vectors, codes)


def _codes(vocabulary: Vocabulary, words: list[str]) -> Tensor:
    return torch.tensor([vocabulary.code(word) for word in words], dtype=torch.int64)

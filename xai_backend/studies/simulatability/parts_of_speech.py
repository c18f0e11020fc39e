"""Parts of speech of English sentences, by HanTa's model that comes inside its wheel.

HanTa (Wartena 2019) tags by morphology and context, in the C5 tags of the British National Corpus.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

from HanTa.HanoverTagger import HanoverTagger

MODEL: Final = "morphmodel_en.pgz"
OTHER: Final = "X"
UNIVERSAL: Final = {
    "AJ": "ADJ", "ORD": "ADJ", "AV": "ADV", "PR": "ADP", "NN": "NOUN", "NP": "PROPN",
    "VV": "VERB", "VB": "AUX", "VD": "AUX", "VH": "AUX", "VM": "AUX",
    "AT": "DET", "DT": "DET", "DP": "PRON", "PN": "PRON", "EX": "PRON",
    "CJC": "CCONJ", "CJS": "SCONJ", "CJT": "SCONJ", "CRD": "NUM", "ITJ": "INTJ",
    "TO": "PART", "XX": "PART", "POS": "PART", "PU": "PUNCT", "ZZ": "SYM",
}  # fmt: skip
"""Universal parts of speech, by what a C5 tag begins with."""
_CLITIC = re.compile(r"(?<=\w)(n['’]t|['’](?:s|m|d|re|ve|ll))$", re.IGNORECASE)


class PartsOfSpeech:
    """The tagger; it is loaded in a fifth of a second."""

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

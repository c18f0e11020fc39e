"""What is said of images, said of texts: where people judge texts, nothing speaks of images.

Sentences are written for images, as the published studies have them. Only reports, a builder's
lines and a protocol's deviations use this; what participants read has texts of its own.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

Cases = Literal["images", "texts"]

QUOTED: Final = frozenset({"field", "published"})
"""What a deviation says of the paper, and of which field it is."""
_OF_TEXTS: Final = (
    (r"\b([Aa])n image\b", r"\1 text"),
    (r"\bimage(s?)\b", r"text\1"),
    (r"\bImage(s?)\b", r"Text\1"),
)


def of_cases(cases: Cases, sentence: str) -> str:
    """Return a sentence about images as one about what people judge."""
    if cases == "images":
        return sentence
    for pattern, words in _OF_TEXTS:
        sentence = re.sub(pattern, words, sentence)
    return sentence


def deviations_in_words(
    deviations: Iterable[Mapping[str, Any]], say: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return a protocol's deviations, as plain values, in other words; the paper's stay."""
    return [
        {name: text if name in QUOTED else say(text) for name, text in one.items()}
        for one in deviations
    ]

"""What is said of images, said of texts: where people judge texts, nothing speaks of images.

Sentences are written for images, as the published study has them. Only a report and a protocol's
deviations use this; what participants read has texts of its own.
"""

import re
from typing import Final

from stimuli.studies.human_ai_team.protocol import Cases

_OF_TEXTS: Final = (
    (r", and separate ones for natural and for adversarial images", ""),
    (r", adversarial images separately", ""),
    (r"\bright, wrong or adversarial\b", "right or wrong"),
    (r"\bnatural (images?)\b", r"\1"),
    (r"\bNatural (images?)\b", lambda found: found[1].capitalize()),
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

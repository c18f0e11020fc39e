"""Rewrite sentences about this study's images as sentences about texts.

No text is natural or adversarial.
"""

import re
from typing import Final

from stimuli import cases as any_study
from stimuli.cases import Cases

_OF_ATTACKS: Final = (
    (r", and separate ones for natural and for adversarial images", ""),
    (r", adversarial images separately", ""),
    (r"\bright, wrong or adversarial\b", "right or wrong"),
    (r"\bnatural (images?)\b", r"\1"),
    (r"\bNatural (images?)\b", lambda match: match[1].capitalize()),
)


def of_cases(cases: Cases, sentence: str) -> str:
    """Return a sentence about images as one about what people judge."""
    if cases == "texts":
        for pattern, words in _OF_ATTACKS:
            sentence = re.sub(pattern, words, sentence)
    return any_study.of_cases(cases, sentence)

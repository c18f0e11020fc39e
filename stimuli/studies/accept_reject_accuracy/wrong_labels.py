"""Wrong labels for controls, from the set's classes and from those that only S knows.

A classifier may know more classes than a set has. Were all controls' labels the set's, a label
of another class would be S's for certain. So a control's label lies outside the set as often as
S's wrong answers do.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from stimuli.images.predictions import NO_SOLUTION, Answers
from stimuli.io.canonical import keyed_order, seed_of

_STEPS = 2**32


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Labels that wrong ones are drawn from.

    Attributes
    ----------
    classes
        Labels of the set's images.
    outside
        Further labels among all of S's answers, runners-up included.
    outside_share
        How many of S's wrong answers, as leads see them, lie outside the set.
    """

    classes: frozenset[str]
    outside: frozenset[str]
    outside_share: Fraction

    @classmethod
    def of(cls, labels: Mapping[str, str], answers: Answers) -> "Vocabulary":
        """Return the vocabulary of a set (labels by item) and of S's answers to it."""
        classes = frozenset(labels.values())
        known = {answer.label for ranked in answers.values() for answer in ranked}
        wrong = [
            item for item in labels if answers[item][0].label not in (labels[item], NO_SOLUTION)
        ]
        beyond = len(outside_answers(labels, answers))
        share = Fraction(beyond, len(wrong)) if wrong else Fraction(0)
        return cls(classes, frozenset(known - classes - {NO_SOLUTION}), share)

    def pools(self, item: str, key: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the labels to draw an item's wrong one from, and those to fall back on."""
        lot = Fraction(seed_of(key, "vocabulary", item) % _STEPS, _STEPS)
        pools = (self.classes, self.outside)
        return pools[::-1] if lot < self.outside_share else pools


def outside_answers(labels: Mapping[str, str], answers: Answers) -> list[str]:
    """Return the items to which S gives a label that no image of the set has."""
    inside = {*labels.values(), NO_SOLUTION}
    return [item for item in sorted(labels) if answers[item][0].label not in inside]


def wrong_label(
    item: str, labels: Mapping[str, str], answers: Answers, key: str, vocabulary: Vocabulary
) -> str:
    """Return a label drawn by key that neither E nor S gave an item.

    One that is none of S's answers at all, if there is one; else none of S's first (before
    it may have abstained). Where S knows no further class, of two classes the wrong one has to
    do, whoever gave it.
    """
    said = [answer.label for answer in answers[item] if answer.label != NO_SOLUTION]
    first, second = (pool - {labels[item]} for pool in vocabulary.pools(item, key))
    left: Collection[str] = (
        first - set(said)
        or second - set(said)
        or (first | second) - set(said[:1])
        or vocabulary.classes - {labels[item]}
    )
    return keyed_order(left, key, "wrong", item)[0]

"""Which images a lead judges, and with whose label: every image once, with S's or E's label.

Images are dealt into blocks, and each block has two lists. Where one list shows an image with S's
label, the other shows it with E's. So over a block's two lists every image is judged with both
labels, and no lead sees an image twice. A block's controls and practice trials are images of other
blocks, so that none of the set is lost to them.

Wrong labels for controls come from the set's classes and from classes that only S knows, because a
classifier may know more classes than a set has. If all controls had labels of the set, any label
from outside it would certainly be S's. So controls have labels from outside the set as often as S's
wrong answers do.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stimuli.cases import of_cases
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION, Answers
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.accept_reject.tables import PRACTICE_RUN
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.accept_reject_accuracy.tables import RUN

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
    """Return a label, drawn by key, that neither E nor S gave an item.

    It is a label that is none of S's answers, if there is one; else one that isn't S's first answer
    (before it may have abstained). If S knows no further class, as with two classes, the wrong
    class is used, whoever gave it.
    """
    answered = [answer.label for answer in answers[item] if answer.label != NO_SOLUTION]
    first, second = (pool - {labels[item]} for pool in vocabulary.pools(item, key))
    left: Collection[str] = (
        first - set(answered)
        or second - set(answered)
        or (first | second) - set(answered[:1])
        or vocabulary.classes - {labels[item]}
    )
    return keyed_order(left, key, "wrong", item)[0]


CONTROLS = ("wrong_label", "no_solution")


@dataclass(frozen=True, slots=True)
class Presentation:
    """An image with a label, before it gets its opaque id; as in key.csv."""

    item: str
    label: str
    solver: str
    control_kind: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What a list shows at a place of a run."""

    run: int
    position: int
    presentation: Presentation


def lists_of(
    protocol: AcceptRejectAccuracy, labels: Mapping[str, str], answers: Answers, key: str
) -> dict[str, list[Entry]]:
    """Return each list's entries by the list's id.

    Parameters
    ----------
    protocol
        Shares and sizes.
    labels
        The data set's label by item: E's answers.
    answers
        S's answers by item; the first is what S says.
    key
        Root of every keyed draw.

    Raises
    ------
    UserError
        If there are too few images for controls and practice.
    """
    items = keyed_order(labels, key, "items")
    blocks = _blocks(protocol, items)
    vocabulary = Vocabulary.of(labels, answers)
    # Feedback on practice would teach that a label from outside the set is always wrong.
    taught = replace(vocabulary, outside_share=Fraction(0))
    lists: dict[str, list[Entry]] = {}
    for number, block in enumerate(blocks):
        others = [item for item in items if item not in set(block)]
        drawn = keyed_order(others, key, "others", number)
        wanted = _control_counts(protocol, len(block))
        needed = sum(wanted.values()) + protocol.solutions.practice_trials
        if needed > len(drawn):
            line = (
                f"source: {len(items)} images are too few: a list needs {needed} for controls "
                f"and practice beside its {len(block)} main ones; add images, or lower "
                "solutions.practice_trials or the controls' shares"
            )
            raise UserError(of_cases(protocol.cases, line))
        controls, place = [], 0
        for kind, count in wanted.items():
            controls += [
                _control(kind, item, labels, answers, key, vocabulary)
                for item in drawn[place : place + count]
            ]
            place += count
        practised = _surest(drawn[place:], labels, answers)[: protocol.solutions.practice_trials]
        practice = [
            _practice(item, nth, labels, answers, key, taught) for nth, item in enumerate(practised)
        ]
        for half in (0, 1):
            name = f"l{2 * number + half + 1}"
            mains = [
                _main(item, (nth + half) % 2 == 0, labels, answers)
                for nth, item in enumerate(block)
            ]
            order = {presentation.item: presentation for presentation in [*mains, *controls]}
            run = [order[item] for item in keyed_order(order, key, name)]
            lists[name] = [*_entries(PRACTICE_RUN, practice), *_entries(RUN, run)]
    return lists


def _blocks(protocol: AcceptRejectAccuracy, items: Sequence[str]) -> list[list[str]]:
    """Deal items into as many blocks as lists of the allowed length need."""
    shares = protocol.solutions.shares
    most = max(1, math.floor(protocol.solutions.most_trials * (shares.S + shares.E)))
    extras = protocol.solutions.practice_trials or shares.wrong_label or shares.no_solution
    count = max(2 if extras else 1, math.ceil(len(items) / most))
    return [list(items[start::count]) for start in range(count)]


def _control_counts(protocol: AcceptRejectAccuracy, mains: int) -> dict[str, int]:
    shares = protocol.solutions.shares
    total = mains / (shares.S + shares.E)
    return {kind: round(total * getattr(shares, kind)) for kind in CONTROLS}


def _main(item: str, of_system: bool, labels: Mapping[str, str], answers: Answers) -> Presentation:
    if of_system:
        return Presentation(item, answers[item][0].label, "S", None)
    return Presentation(item, labels[item], "E", None)


def _control(
    kind: str,
    item: str,
    labels: Mapping[str, str],
    answers: Answers,
    key: str,
    vocabulary: Vocabulary,
) -> Presentation:
    if kind == "no_solution":
        return Presentation(item, NO_SOLUTION, "control", kind)
    return Presentation(item, wrong_label(item, labels, answers, key, vocabulary), "control", kind)


def _practice(
    item: str,
    nth: int,
    labels: Mapping[str, str],
    answers: Answers,
    key: str,
    vocabulary: Vocabulary,
) -> Presentation:
    """Return a practice trial: every second one has E's label, or no solution if S disagrees.

    Feedback calls decisions wrong, so what an image shows must be beyond doubt.
    """
    if nth % 2 == 0:
        if not _is_agreed(item, labels, answers):
            return Presentation(item, NO_SOLUTION, "control", "no_solution")
        return Presentation(item, labels[item], "E", None)
    return Presentation(
        item, wrong_label(item, labels, answers, key, vocabulary), "control", "wrong_label"
    )


def _is_agreed(item: str, labels: Mapping[str, str], answers: Answers) -> bool:
    return answers[item][0].label == labels[item]


def _surest(items: Sequence[str], labels: Mapping[str, str], answers: Answers) -> list[str]:
    """Return images in their order, but first those whose label S gives too."""
    return sorted(items, key=lambda item: not _is_agreed(item, labels, answers))


def _entries(run: int, presentations: Sequence[Presentation]) -> list[Entry]:
    return [
        Entry(run, position, presentation)
        for position, presentation in enumerate(presentations, start=1)
    ]

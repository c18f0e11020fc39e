"""Kinds of items that are equally frequent, and the half of a test that a short one shows.

With two classes a kind is a true or false positive or negative. With more it is an output and
whether it is right.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.simulatability.material import Item

OF_TWO: Final = ("true_positive", "false_positive", "true_negative", "false_negative")
DIAGONALS: Final = (
    ("true_positive", "false_negative"),
    ("false_positive", "true_negative"),
)
"""Where flips can't be halved again, one of these pairs has one more of them than the other: so
who follows the label, the output on the original or one class is right on half all the same."""


def outcome_of(true_label: str, output: str, classes: Sequence[str]) -> str:
    """Return which of `tables.OUTCOMES` a label and an output make.

    Parameters
    ----------
    classes
        Of the domain, the positive one last where there are two.
    """
    is_right = true_label == output
    if len(classes) > 2:
        return "right" if is_right else "wrong"
    says = "positive" if output == classes[1] else "negative"
    return f"{'true' if is_right else 'false'}_{says}"


def kinds_of(classes: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of items of a domain: two for each class."""
    if len(classes) == 2:
        return OF_TWO
    return tuple(f"{name} ({is_it})" for name in classes for is_it in ("right", "wrong"))


def kind_of(true_label: str, output: str, classes: Sequence[str]) -> str:
    """Return the kind of item that a label and an output make."""
    outcome = outcome_of(true_label, output, classes)
    return outcome if len(classes) == 2 else f"{output} ({outcome})"


def short_half(
    items: Sequence[Item], domain: str, classes: Sequence[str], key: str
) -> frozenset[str]:
    """Return the keys of the items that a short test shows: half of each kind.

    Half of them flip, in each kind where the numbers allow it, else over all.

    Parameters
    ----------
    items
        Of one test, balanced.
    domain, classes
        The items' domain, and its classes.
    key
        Root of every keyed draw.
    """
    use = items[0].use
    more = _with_more_flips(classes, seed_of(key, domain, use, "diagonal"))
    chosen: set[str] = set()
    for kind in kinds_of(classes):
        cell = [one for one in items if kind_of(one.true_label, one.output, classes) == kind]
        wanted = len(cell) // 2
        if use == "forward":
            chosen |= _first(wanted, cell, domain, key)
            continue
        flipping = (wanted + (kind in more)) // 2
        chosen |= _first(flipping, (one for one in cell if one.flips), domain, key)
        chosen |= _first(wanted - flipping, (one for one in cell if not one.flips), domain, key)
    return frozenset(chosen)


def _with_more_flips(classes: Sequence[str], seed: int) -> frozenset[str]:
    """Return half of the kinds: those with one more flip where flips can't be halved.

    With more than two classes most of them are kinds with a right output, so that the true label
    predicts no more than half.
    """
    if len(classes) == 2:
        return frozenset(DIAGONALS[seed % 2])
    kinds = kinds_of(classes)
    return frozenset(kinds[2 * at + at % 2] for at in range(len(classes)))


def _first(count: int, items: Iterable[Item], domain: str, key: str) -> set[str]:
    return set(keyed_order((one.key(domain) for one in items), key, "short")[:count])

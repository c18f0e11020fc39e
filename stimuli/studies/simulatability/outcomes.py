"""True and false positives and negatives, and the half of a test that a short one shows."""

from collections.abc import Iterable, Sequence
from typing import Final

from stimuli.io.canonical import keyed_order, seed_of
from stimuli.studies.simulatability.material import Item
from stimuli.studies.simulatability.tables import OUTCOMES

DIAGONALS: Final = (
    ("true_positive", "false_negative"),
    ("false_positive", "true_negative"),
)
"""Where flips can't be halved again, one of these pairs has one more of them than the other: so
who follows the label, the output on the original or one class is right on half all the same."""


def outcome_of(true_label: str, output: str, positive: str) -> str:
    """Return which of `OUTCOMES` a label and an output make."""
    says = "positive" if output == positive else "negative"
    return f"{'true' if true_label == output else 'false'}_{says}"


def short_half(items: Sequence[Item], domain: str, positive: str, key: str) -> frozenset[str]:
    """Return the keys of the items that a short test shows: half of each outcome.

    Half of them flip, in each outcome where the numbers allow it, else over all.

    Parameters
    ----------
    items
        Of one test, balanced.
    domain, positive
        The items' domain, and its positive class.
    key
        Root of every keyed draw.
    """
    use = items[0].use
    more = DIAGONALS[seed_of(key, domain, use, "diagonal") % 2]
    chosen: set[str] = set()
    for outcome in OUTCOMES:
        cell = [one for one in items if _outcome(one, positive) == outcome]
        wanted = len(cell) // 2
        if use == "forward":
            chosen |= _first(wanted, cell, domain, key)
            continue
        flipping = (wanted + (outcome in more)) // 2
        chosen |= _first(flipping, (one for one in cell if one.flips), domain, key)
        chosen |= _first(wanted - flipping, (one for one in cell if not one.flips), domain, key)
    return frozenset(chosen)


def _outcome(item: Item, positive: str) -> str:
    return outcome_of(item.true_label, item.output, positive)


def _first(count: int, items: Iterable[Item], domain: str, key: str) -> set[str]:
    return set(keyed_order((one.key(domain) for one in items), key, "short")[:count])

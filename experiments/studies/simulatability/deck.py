"""The leaves of a screen: a case's pages, answered once all were seen, and examples at hand.

Whoever answers has looked at all of a case: an answer before the last page would tell what
somebody thinks without the explanation. From then on one may leaf back, and answer on any page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from experiments.studies.simulatability.foot import BACK, NEXT, ON, Place
from experiments.studies.simulatability.pieces import Pieces

FORWARD: Final = (NEXT, "right")
BACKWARD: Final = (BACK, "left")
"""Keys that turn pages; where a mouse answers, the words left and right are its buttons."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page, and where one is.

    Attributes
    ----------
    pieces
        Of the case or of an example.
    place
        For the foot.
    at_hand
        Whether it belongs to the examples that are at hand.
    """

    pieces: Pieces
    place: Place
    at_hand: bool = False

    @property
    def name(self) -> str:
        """What the journal calls it."""
        return f"{'examples_' if self.at_hand else ''}page_{self.place.page + 1}"


@dataclass(frozen=True, slots=True)
class Deck:
    """Leaves, how they are turned, and on which an answer counts; see `engine.present.Leaves`."""

    leaves: tuple[Leaf, ...]
    turns: Mapping[tuple[int, str], int]
    answered: frozenset[int]


@dataclass(frozen=True, slots=True)
class AtHand:
    """The examples that can be looked at again, page by page, and the key for it."""

    leaves: tuple[Leaf, ...] = ()
    key: str = ""


def deck_of(pages: Sequence[Pieces], at_hand: AtHand = AtHand(), *, arrows: bool = True) -> Deck:
    """Return the leaves of a case.

    Parameters
    ----------
    pages
        Of the case.
    at_hand
        Examples beside it.
    arrows
        Whether the arrow keys turn pages too.
    """
    count = len(pages)
    places = [Place(page, count, ready=False) for page in range(count - 1)]
    places += [Place(page, count) for page in range(count)]
    case = [Leaf(pages[place.page], place) for place in places]
    first, examples = count - 1, len(case)
    turns = _Turns(arrows=arrows)
    turns.through(range(first), ends_at=len(case) - 1)
    turns.through(range(first, examples))
    turns.through(range(examples, examples + len(at_hand.leaves)))
    if at_hand.leaves:
        turns.by(at_hand.key, range(first, examples), examples)
        turns.by(at_hand.key, range(examples, examples + len(at_hand.leaves)), first)
    leaves = (*case, *at_hand.leaves)
    return Deck(leaves, turns.found, frozenset(range(first, examples)))


@dataclass
class _Turns:
    """Collects which leaf a key brings."""

    arrows: bool
    found: dict[tuple[int, str], int] = field(default_factory=dict)

    def through(self, leaves: range, ends_at: int | None = None) -> None:
        """Turn from leaf to leaf, and from the last of them to one more."""
        order = [*leaves, *([] if ends_at is None or not leaves else [ends_at])]
        shown = slice(None) if self.arrows else slice(1)
        for before, after in pairwise(order):
            onward = FORWARD[shown] if ends_at is None else (*FORWARD[shown], ON)
            self.found |= {(before, key): after for key in onward}
            if after in leaves:
                self.found |= {(after, key): before for key in BACKWARD[shown]}

    def by(self, key: str, leaves: range, to: int) -> None:
        """Turn from any of some leaves to another."""
        self.found |= {(leaf, key): to for leaf in leaves}

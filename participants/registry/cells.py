"""Which cell of the design a person is given, and which side: the emptiest, balanced."""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from stimuli.io.canonical import hash_of


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the design: a list in an order."""

    list: str
    order: str


@dataclass(frozen=True, slots=True)
class Held:
    """A place that somebody holds.

    Attributes
    ----------
    cell, rig
        The place, and where it was given.
    accept_side
        On which side acceptance lies; None where that was never given out.
    """

    cell: Cell
    rig: str
    accept_side: str | None = None


def emptiest(
    cells: Sequence[Cell],
    held: Sequence[Held],
    rig: str,
    seed: int,
    rotations: Mapping[str, str] | None = None,
) -> Cell:
    """Return the cell to fill next.

    Counted in turn: who holds the cell on this rig, so that the cells of every rig are filled
    evenly however its people come; who holds it everywhere; then everywhere and on this rig its
    rotation in its order, its order, its rotation, its list. What is still equal is settled by the
    seed and by how many places are held, so that the sequence is the same whoever asks.

    Parameters
    ----------
    cells
        The cells open to this person; at least one.
    held
        Places held by completed and running sessions, of these cells or not.
    rig
        Where the person is.
    seed
        The study's seed of assignment.
    rotations
        The rotation of each list (see `ListOffer`); one that isn't named is a rotation by itself.
    """
    known = rotations or {}

    def rotation(cell: Cell) -> str:
        return known.get(cell.list, cell.list)

    traits: tuple[Callable[[Cell], Hashable], ...] = (
        lambda cell: cell,
        lambda cell: (rotation(cell), cell.order),
        lambda cell: cell.order,
        rotation,
        lambda cell: cell.list,
    )
    everywhere = [place.cell for place in held]
    here = [place.cell for place in held if place.rig == rig]
    first, *others = ((trait, group) for trait in traits for group in (everywhere, here))
    ranked = (others[0], first, *others[1:])
    counts = [(trait, Counter(map(trait, group))) for trait, group in ranked]

    def fullness(cell: Cell) -> tuple[int | str, ...]:
        taken = (count[trait(cell)] for trait, count in counts)
        return (*taken, hash_of([seed, len(held), cell.list, cell.order]))

    return min(cells, key=fullness)


def rarest_side(sides: Sequence[str], held: Sequence[Held], cell: Cell, seed: int) -> str:
    """Return the side on which acceptance shall lie for the next holder of a cell.

    The one given less often in this cell; where that is equal in this order of runs, then in
    all; what is still equal is settled as in `emptiest`.

    Parameters
    ----------
    sides
        Those to choose from.
    held
        As for `emptiest`.
    cell
        The place that is given.
    seed
        The study's seed of assignment.
    """
    groups = (
        Counter(place.accept_side for place in held if place.cell == cell),
        Counter(place.accept_side for place in held if place.cell.order == cell.order),
        Counter(place.accept_side for place in held),
    )
    return min(
        sides,
        key=lambda side: (
            *(group[side] for group in groups),
            hash_of([seed, len(held), cell.list, cell.order, side]),
        ),
    )

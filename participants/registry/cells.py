"""Which cell of the design a person is given, and which side: the emptiest, balanced.

A place that its person freed, by failing for example, isn't given to the next person: people who
fail one after another would all be in one arm. It waits until every cell of the design was given
once more. Then the freed places are given again in random order, those of all arms together. Whose
replacement fails too, waits for the end of the next round.
"""

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
    """A place that was given to somebody.

    Attributes
    ----------
    cell, rig
        The place, and where it was given.
    accept_side
        On which side acceptance lies; None where that was never given out.
    freed
        Whether its person doesn't count any more, so that it is given again.
    """

    cell: Cell
    rig: str
    accept_side: str | None = None
    freed: bool = False


def next_place(
    cells: Sequence[Cell],
    given: Sequence[Held],
    rig: str,
    seed: int,
    sides: Sequence[str] = (),
    rotations: Mapping[str, str] | None = None,
) -> Held:
    """Return the place that somebody is given next.

    The emptiest cell; after each whole round of the design first the places that were freed,
    drawn by the seed. A round has as many places as the person has cells to choose from.

    Parameters
    ----------
    cells, rig, seed, rotations
        As for `emptiest`.
    given
        All places that were given before, in order.
    sides
        Where acceptance may lie; none is given where there are none.
    """
    known = rotations or {}

    def trait(cell: Cell) -> tuple[str, str]:
        return known.get(cell.list, cell.list), cell.order

    open_to = {trait(cell) for cell in cells}
    own = [place for place in given if trait(place.cell) in open_to]
    others = [place for place in given if trait(place.cell) not in open_to and not place.freed]
    filled, waiting = _filled(own, trait, len(open_to))
    if waiting and len(filled) % len(open_to) == 0:
        drawn = filled.pop(min(waiting, key=lambda nth: hash_of([seed, len(given), nth])))
        cells = [cell for cell in cells if trait(cell) == trait(drawn.cell)]
    held = [*filled.values(), *others]
    cell = emptiest(cells, held, rig, seed, rotations)
    return Held(cell, rig, rarest_side(sides, held, cell, seed) if sides else None)


def _filled(
    given: Sequence[Held], trait: Callable[[Cell], Hashable], round_size: int
) -> tuple[dict[int, Held], list[int]]:
    """Return the places that count as filled by number, and which of them are given again.

    A place that was given after whole rounds, and is like one freed before, replaced it.
    """
    filled: dict[int, Held] = {}
    waiting: list[int] = []
    failed_again: list[int] = []
    for number, place in enumerate(given):
        between_rounds = waiting and len(filled) % round_size == 0
        alike = (nth for nth in waiting if trait(filled[nth].cell) == trait(place.cell))
        replaced = next(alike, None) if between_rounds else None
        if replaced is None:
            waiting += failed_again
            failed_again = []
        else:
            del filled[replaced]
            waiting.remove(replaced)
        filled[number] = place
        if place.freed:
            (waiting if replaced is None else failed_again).append(number)
    return filled, waiting


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
        Places that count as filled, of these cells or not.
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

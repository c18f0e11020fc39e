"""Which cell of the design a person is given: the emptiest, balanced within the rig."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from stimuli.canonical import hash_of


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the design: a list in an order."""

    list: str
    order: str


@dataclass(frozen=True, slots=True)
class Held:
    """A place that somebody holds: the cell, and the rig on which it was given."""

    cell: Cell
    rig: str


def emptiest(cells: Sequence[Cell], held: Sequence[Held], rig: str, seed: int) -> Cell:
    """Return the cell to fill next.

    Compared in turn: how often the cell is held, how often on this rig, its order and its list
    over all cells, the same on this rig; what is still equal is settled by the seed and by
    how many places are held, so that the sequence is the same whoever asks.

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
    """
    here = [place.cell for place in held if place.rig == rig]
    everywhere = [place.cell for place in held]
    by_cell, by_cell_here = Counter(everywhere), Counter(here)
    margins = [Counter(cell.order for cell in group) for group in (everywhere, here)]
    margins += [Counter(cell.list for cell in group) for group in (everywhere, here)]

    def fullness(cell: Cell) -> tuple[int | str, ...]:
        order, order_here, list_, list_here = margins
        return (
            by_cell[cell],
            by_cell_here[cell],
            order[cell.order],
            order_here[cell.order],
            list_[cell.list],
            list_here[cell.list],
            hash_of([seed, len(held), cell.list, cell.order]),
        )

    return min(cells, key=fullness)

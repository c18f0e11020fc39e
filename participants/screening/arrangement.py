"""Caps that are put in a row by hand: what a move does, and whether the row is full."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from stimuli.screening.d15 import CAPS


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which caps lie in the row, from the pilot on; the others lie in the tray.

    Attributes
    ----------
    row
        Caps from 1 to 15, in order; the pilot before them never moves.
    """

    row: tuple[int, ...] = ()

    @property
    def full(self) -> bool:
        """Whether no cap is left in the tray."""
        return len(self.row) == CAPS

    def moved(self, cap: int, place: int | None) -> "Arrangement":
        """Return the arrangement after a cap was put somewhere.

        Parameters
        ----------
        cap
            1 to 15.
        place
            From 1: the place in the row that it has afterwards; a place beyond the row's end is
            its end. None puts it back into the tray.
        """
        others = tuple(other for other in self.row if other != cap)
        if place is None:
            return replace(self, row=others)
        before = others[: place - 1]
        return replace(self, row=(*before, cap, *others[len(before) :]))


def arranged(moves: Iterable[tuple[int, int | None]]) -> Arrangement:
    """Return the arrangement after moves, each a cap and its place."""
    arrangement = Arrangement()
    for cap, place in moves:
        arrangement = arrangement.moved(cap, place)
    return arrangement

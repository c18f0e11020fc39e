"""What pointer and keys do to the caps: drag a cap, or click it and then a place."""

from collections.abc import Callable
from typing import Final

from experiments.engine.input import Press
from experiments.engine.pointer import PointerEvent
from experiments.screening.caps_board import CapsBoard, Place, Spot
from experiments.screens.parts import Area, key_at
from participants.screening.arrangement import Arrangement

DONE_KEYS: Final = frozenset({"return", "num_enter"})
DRAGGED: Final = 0.25
"""A press that goes further than so many caps is a drag, else a click."""

Moved = Callable[[int, int | None], None]


class CapsWork:
    """Takes the pointer's events, and knows where the caps lie.

    Parameters
    ----------
    board
        Where places are.
    arrangement
        Which caps lie in the row already.
    done_area
        Where a click says that a full row is done.
    moved
        Is told of every move: the cap, and its place in the row from 1, None for the tray.

    Attributes
    ----------
    arrangement
        As it is now.
    held, held_at
        The cap that goes with the pointer, and where its middle is.
    chosen
        The cap that a click on a place will move.
    done
        Whether the full row was confirmed.
    changed
        Whether the caps have to be drawn again; whoever draws them sets it back.
    """

    def __init__(
        self, board: CapsBoard, arrangement: Arrangement, done_area: Area, moved: Moved
    ) -> None:
        self.arrangement = arrangement
        self.held: int | None = None
        self.held_at: Place = (0.0, 0.0)
        self.chosen: int | None = None
        self.done = False
        self.changed = True
        self._board, self._moved, self._done_area = board, moved, done_area
        self._down: tuple[Place, Spot | None] | None = None

    def press(self, press: Press) -> None:
        """Take a key."""
        if not press.chord and press.key in DONE_KEYS and self.arrangement.full:
            self.done = True

    def pointer(self, event: PointerEvent) -> None:
        """Take something that the pointer did."""
        at = (event.x_px, event.y_px)
        if event.kind == "down" and event.button == "left":
            self._press_down(at)
        elif event.kind == "move" and self._down is not None:
            self._drag(at)
        elif event.kind == "up" and event.button == "left" and self._down is not None:
            self._let_go(at)

    def drop(self) -> None:
        """Put a held cap back where it was: the board is taken away."""
        self._down, self.held, self.changed = None, None, True

    def _press_down(self, at: Place) -> None:
        if self.arrangement.full and key_at({"done": self._done_area}, at):
            self.done = True
            return
        self._down = (at, self._board.spot_at(at))

    def _drag(self, at: Place) -> None:
        assert self._down is not None
        (x, y), spot = self._down
        if self.held is None and spot is not None:
            way = max(abs(at[0] - x), abs(at[1] - y))
            cap = self._board.cap_at(spot, self.arrangement)
            if cap is not None and way > DRAGGED * self._board.cap_px:
                self.held, self.chosen, self.changed = cap, None, True
        self.held_at = at

    def _let_go(self, at: Place) -> None:
        assert self._down is not None
        (_, spot), held = self._down, self.held
        self._down, self.held, self.changed = None, None, True
        if held is not None:
            self._put(held, self._board.spot_at(at))
        elif spot is not None:
            self._click(spot)

    def _click(self, spot: Spot) -> None:
        cap = self._board.cap_at(spot, self.arrangement)
        chosen, self.chosen = self.chosen, None
        if chosen is None or (spot[0] == "tray" and cap not in (None, chosen)):
            self.chosen = cap
        elif cap != chosen:
            self._put(chosen, spot)

    def _put(self, cap: int, spot: Spot | None) -> None:
        """Move a cap to a spot, unless it lies there or the spot is the fixed cap's."""
        if spot is None or spot == ("row", 0):
            return
        place = spot[1] if spot[0] == "row" else None
        moved = self.arrangement.moved(cap, place)
        if moved != self.arrangement:
            self.arrangement = moved
            self._moved(cap, place)

"""What is still to be sent, by its time."""

import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from experiments.engine.input import Device
from experiments.robot_input.input_events import InputEvent, Move, Stroke

SPIN_S = 0.0004


@dataclass(order=True, slots=True)
class Due:
    """One event: a key or a button down or up, or the pointer at a place.

    Attributes
    ----------
    at_s
        When, monotonic seconds.
    number
        Of what came in; decides between events of one time.
    key, device, down
        What, of which device, and whether it goes down.
    reported
        Whether it is told that it was sent.
    place_px
        Of the pointer in our window, from its top left; None for keys and buttons.
    """

    at_s: float
    number: int
    key: str = field(compare=False)
    device: Device = field(compare=False)
    down: bool = field(compare=False)
    reported: bool = field(compare=False)
    place_px: tuple[int, int] | None = field(compare=False, default=None)

    @property
    def place(self) -> tuple[str, str]:
        """Which key of which device."""
        return self.device, self.key


class InputQueue:
    """What goes down and up and where the pointer goes, by its time."""

    def __init__(self) -> None:
        self._due: list[Due] = []
        self._down: set[tuple[str, str]] = set()
        self._prepared: tuple[InputEvent, ...] = ()
        self._number = 0

    def __bool__(self) -> bool:
        return bool(self._due)

    def add(self, stroke: Stroke, *, reported: bool = True) -> None:
        """Take a key or a button; what should have gone down already goes down now."""
        start_s = max(stroke.at_s, time.perf_counter())
        end_s = start_s + stroke.hold_s
        for modifier in stroke.modifiers:
            self._push(start_s - 0.02, modifier, "keyboard", down=True)
            self._push(end_s + 0.02, modifier, "keyboard", down=False)
        self._push(start_s, stroke.key, stroke.device, down=True, reported=reported)
        self._push(end_s, stroke.key, stroke.device, down=False)

    def add_moves(self, moves: Sequence[Move]) -> None:
        """Take moves of the pointer."""
        for move in moves:
            self._number += 1
            place = (move.x_px, move.y_px)
            due = Due(move.at_s, self._number, "move", "mouse", False, False, place)
            heapq.heappush(self._due, due)

    def prepare(self, events: tuple[InputEvent, ...]) -> None:
        """Keep events for an onset to come, in place of earlier ones; times in seconds since it."""
        self._prepared = events

    def begin(self, onset_s: float) -> None:
        """Take what was kept, from its onset (monotonic seconds) on; only refusals are reported."""
        for prepared in self._prepared:
            event = replace(prepared, at_s=onset_s + prepared.at_s)
            if isinstance(event, Move):
                self.add_moves([event])
            else:
                self.add(event, reported=False)
        self._prepared = ()

    def _push(
        self, at_s: float, key: str, device: Device, *, down: bool, reported: bool = False
    ) -> None:
        self._number += 1
        heapq.heappush(self._due, Due(at_s, self._number, key, device, down, reported))

    def wait_s(self, now_s: float) -> float | None:
        """Return how long to listen before the next event; None if there is none."""
        return max(0.0, self._due[0].at_s - SPIN_S - now_s) if self._due else None

    def pop(self) -> Due:
        """Return what is due next, and remove it."""
        due = heapq.heappop(self._due)
        if due.place_px is None:
            (self._down.add if due.down else self._down.discard)(due.place)
        return due

    def forget(self) -> None:
        """Keep nothing but the release of what is down."""
        self._prepared = ()
        first_release: dict[tuple[str, str], Due] = {}
        for due in sorted(self._due):
            if due.place_px is None and not due.down and due.place in self._down:
                first_release.setdefault(due.place, due)
        self._due = list(first_release.values())
        heapq.heapify(self._due)

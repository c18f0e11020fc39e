"""A robot's key presses, mouse buttons and pointer moves.

Events wait in a queue, ordered by time. The X keyboard's codes are looked up; a character without a
code gets an unused one for the time being.
"""

import heapq
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from stimuli.devices import DeviceName
from stimuli.errors import UserError

HOLD_S = 0.07
OVERLAP: Final = 0.6
"""A typed key is held at most for this share of the time to the next key."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key or a mouse button to press and release.

    Attributes
    ----------
    key
        PsychoPy's name of the key, or a character, whatever the keyboard's layout; ``left``,
        ``middle`` or ``right`` for a mouse button.
    at_s
        When it goes down, monotonic.
    hold_s
        How long it is held.
    modifiers
        Keys held meanwhile.
    device
        The device that it belongs to.
    """

    key: str
    at_s: float
    hold_s: float = HOLD_S
    modifiers: tuple[str, ...] = ()
    device: DeviceName = "keyboard"


@dataclass(frozen=True, slots=True)
class Move:
    """A move of the pointer to a position in our window (pixels) at a time (monotonic)."""

    x_px: int
    y_px: int
    at_s: float


InputEvent = Stroke | Move


APPROACH_S: Final = 0.15
"""Time before a click at which the pointer is at its place."""


def presses(
    key: str, at_s: float, areas: Mapping[str, tuple[int, int, int, int]], device: DeviceName
) -> Iterator[InputEvent]:
    """Yield a key's press at a time, or a click in the key's area of the screen if it has one."""
    if key not in areas:
        yield Stroke(key, at_s, device=device)
        return
    left, top, right, bottom = areas[key]
    yield Move((left + right) // 2, (top + bottom) // 2, at_s - APPROACH_S)
    yield Stroke("left", at_s, device="mouse")


def typing(text: Sequence[str], times_s: Sequence[float]) -> list[Stroke]:
    """Return the strokes that type characters (or named keys) at their times.

    Each key is released before the next goes down, so that a letter can be typed twice in a row.
    """
    gaps_s = [later - at for at, later in itertools.pairwise(times_s)]
    holds_s = [min(HOLD_S, OVERLAP * gap_s) for gap_s in gaps_s] + [HOLD_S]
    return [
        Stroke(key, at_s, hold_s) for key, at_s, hold_s in zip(text, times_s, holds_s, strict=False)
    ]


SPIN_S = 0.0004


@dataclass(order=True, slots=True)
class Due:
    """One event: a key or a button down or up, or the pointer at a place.

    Attributes
    ----------
    at_s
        Time, monotonic seconds.
    number
        Order of arrival; decides between events with the same time.
    key, device, down
        The key, its device, and whether it goes down.
    reported
        Whether sending it is reported.
    place_px
        Pointer position in our window, from its top left; None for keys and buttons.
    """

    at_s: float
    number: int
    key: str = field(compare=False)
    device: DeviceName = field(compare=False)
    down: bool = field(compare=False)
    reported: bool = field(compare=False)
    place_px: tuple[int, int] | None = field(compare=False, default=None)

    @property
    def place(self) -> tuple[str, str]:
        """The device and the key."""
        return self.device, self.key


class InputQueue:
    """Presses, releases and moves of the pointer, ordered by time."""

    def __init__(self) -> None:
        self._due: list[Due] = []
        self._down: set[tuple[str, str]] = set()
        self._prepared: tuple[InputEvent, ...] = ()
        self._number = 0

    def __bool__(self) -> bool:
        return bool(self._due)

    def add(self, stroke: Stroke, *, reported: bool = True) -> None:
        """Add a key or a button; if its time is past, it goes down now."""
        start_s = max(stroke.at_s, time.perf_counter())
        end_s = start_s + stroke.hold_s
        for modifier in stroke.modifiers:
            self._push(start_s - 0.02, modifier, "keyboard", down=True)
            self._push(end_s + 0.02, modifier, "keyboard", down=False)
        self._push(start_s, stroke.key, stroke.device, down=True, reported=reported)
        self._push(end_s, stroke.key, stroke.device, down=False)

    def add_moves(self, moves: Sequence[Move]) -> None:
        """Add moves of the pointer."""
        for move in moves:
            self._number += 1
            place = (move.x_px, move.y_px)
            due = Due(move.at_s, self._number, "move", "mouse", False, False, place)
            heapq.heappush(self._due, due)

    def prepare(self, events: tuple[InputEvent, ...]) -> None:
        """Keep events for a future onset, in place of earlier ones; times are seconds after it."""
        self._prepared = events

    def begin(self, onset_s: float) -> None:
        """Add the kept events from their onset (monotonic seconds); only refusals are reported."""
        for prepared in self._prepared:
            event = replace(prepared, at_s=onset_s + prepared.at_s)
            if isinstance(event, Move):
                self.add_moves([event])
            else:
                self.add(event, reported=False)
        self._prepared = ()

    def _push(
        self, at_s: float, key: str, device: DeviceName, *, down: bool, reported: bool = False
    ) -> None:
        self._number += 1
        heapq.heappush(self._due, Due(at_s, self._number, key, device, down, reported))

    def wait_s(self, now_s: float) -> float | None:
        """Return how long to wait for messages before the next event; None if there is none."""
        return max(0.0, self._due[0].at_s - SPIN_S - now_s) if self._due else None

    def pop(self) -> Due:
        """Remove and return the next event."""
        due = heapq.heappop(self._due)
        if due.place_px is None:
            (self._down.add if due.down else self._down.discard)(due.place)
        return due

    def forget(self) -> None:
        """Discard everything except the releases of keys and buttons that are down."""
        self._prepared = ()
        first_release: dict[tuple[str, str], Due] = {}
        for due in sorted(self._due):
            if due.place_px is None and not due.down and due.place in self._down:
                first_release.setdefault(due.place, due)
        self._due = list(first_release.values())
        heapq.heapify(self._due)


KEYSYMS: Final = {
    "space": "space",
    "return": "Return",
    "escape": "Escape",
    "backspace": "BackSpace",
    "left": "Left",
    "right": "Right",
    "up": "Up",
    "down": "Down",
    "delete": "Delete",
    "home": "Home",
    "end": "End",
    "tab": "Tab",
    "lctrl": "Control_L",
    "lshift": "Shift_L",
    "altgr": "ISO_Level3_Shift",
}
UNICODE_KEYSYMS: Final = 0x01000000
"""Offset of X's keysyms for characters beyond Latin-1."""


class KeyCodes:
    """Finds the code of a key, or makes one for a character that no key types without modifiers.

    Parameters
    ----------
    display
        The connection to the X server.
    """

    def __init__(self, display: Any) -> None:
        from Xlib import XK

        XK.load_keysym_group("xkb")
        self._display = display
        self._keysym_of_name = XK.string_to_keysym
        self._learned: dict[str, int] = {}
        self._spare: list[int] | None = None

    def code_of(self, key: str) -> int:
        """Return the code of a named key or of a character; same errors as `learn`."""
        if self._at_hand(key) is None:
            self.learn(key)
        return self._at_hand(key) or 0

    def learn(self, letters: Iterable[str]) -> None:
        """Make a key for each character that no key types without modifiers.

        Raises
        ------
        UserError
            If the keyboard has no unused code left.
        """
        for letter in letters:
            if self._at_hand(letter) is None:
                spare = self._spare_codes()
                if not spare:
                    raise UserError(f"robot: this keyboard has no key left for {letter!r}")
                code = self._learned[letter] = spare.pop()
                self._map(code, self._keysym(letter))
        self._display.sync()

    def unlearn(self) -> None:
        """Free the codes that were made."""
        for code in self._learned.values():
            self._map(code, 0)
        self._learned.clear()
        self._display.sync()

    def _at_hand(self, key: str) -> int | None:
        """Return the code of a key that needs no modifiers; None if a character has none."""
        if key in self._learned:
            return self._learned[key]
        codes = list(self._display.keysym_to_keycodes(self._keysym(key)))
        alone = next((code for code, level in codes if level == 0), None)
        if len(key) == 1:
            return alone
        return alone or (codes[0][0] if codes else 0)

    def _keysym(self, key: str) -> int:
        if key not in KEYSYMS and len(key) == 1:
            code = ord(key)
            return code if code < 0x100 else UNICODE_KEYSYMS + code
        return self._keysym_of_name(KEYSYMS.get(key, key))

    def _spare_codes(self) -> list[int]:
        if self._spare is None:
            info = self._display.display.info
            first, last = info.min_keycode, info.max_keycode
            rows = self._display.get_keyboard_mapping(first, last - first + 1)
            self._spare = [code for code, row in enumerate(rows, first) if not any(row)]
        return self._spare

    def _map(self, code: int, keysym: int) -> None:
        # On both levels: otherwise X takes a lone capital letter for the shifted one.
        self._display.change_keyboard_mapping(code, [(keysym, keysym)])

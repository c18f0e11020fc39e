"""A robot's hand: real keys and buttons into our own window, from a process of its own.

Only X11's XTest extension is used so far (Linux). Before each key goes down the window that
has the keyboard's focus is looked up, before each button the one under the pointer too, and
it is sent only if that is ours.
"""

import heapq
import itertools
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

from experiments.engine.input import Device
from experiments.key_codes import KeyCodes
from stimuli.errors import UserError

INJECTION: Final = "xtest"
HOLD_S = 0.07
SPIN_S = 0.0004
FOCUS_WAIT_S = 3.0
READY_WAIT_S = 20.0
STOP = "stop"
FORGET = "forget"
NO_REPEATS = "no repeats"
READY = "ready"

BUTTONS = {"left": 1, "middle": 2, "right": 3, "wheel_up": 4, "wheel_down": 5}
OVERLAP: Final = 0.6
"""A typed key is held at most for this part of the time to the next."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key or a mouse button to press and release.

    Attributes
    ----------
    key
        Its name, as PsychoPy names keys, or a character, whatever the keyboard's layout;
        ``left``, ``middle`` or ``right`` of a mouse.
    at_s
        When it is to go down, monotonic.
    hold_s
        How long it is held.
    modifiers
        Keys held around it.
    device
        What it belongs to.
    """

    key: str
    at_s: float
    hold_s: float = HOLD_S
    modifiers: tuple[str, ...] = ()
    device: Device = "keyboard"


@dataclass(frozen=True, slots=True)
class Move:
    """The pointer is to be at a place of our window at a time (monotonic), in its pixels."""

    x_px: int
    y_px: int
    at_s: float


@dataclass(frozen=True, slots=True)
class Letters:
    """Characters that will be pressed: keys are made for those that the layout lacks."""

    letters: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A key that was sent down: between which two instants (monotonic seconds)."""

    key: str
    before_s: float
    after_s: float


@dataclass(frozen=True, slots=True)
class Refused:
    """A key that was not sent, and why."""

    key: str
    reason: str


class Hand:
    """Presses keys through another process; strokes may be given in any order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def press(self, stroke: Stroke) -> None:
        """Have a key pressed at its time, or at once if that is past."""
        self._connection.send(stroke)

    def move(self, moves: Sequence[Move]) -> None:
        """Have the pointer moved to places at their times."""
        self._connection.send(tuple(moves))

    def learn(self, letters: Iterable[str]) -> None:
        """Make keys for characters now: in mid-trial every program would read the keys anew."""
        self._connection.send(Letters("".join(sorted(set(letters)))))

    def forget(self) -> None:
        """Let go of strokes that haven't begun."""
        self._connection.send(FORGET)

    def stop_repeats(self) -> None:
        """Let held keys repeat no letter any more: for a display of the robot's own.

        On a PC that is out of breath a key comes up late, and would be typed many times.
        """
        self._connection.send(NO_REPEATS)

    def reports(self) -> list[Sent | Refused]:
        """Return what was sent or refused since the last call."""
        found = []
        while self._connection.poll():
            found.append(self._connection.recv())
        return found


def typing(text: Sequence[str], times_s: Sequence[float]) -> list[Stroke]:
    """Return the strokes that type characters (or named keys) at their times.

    Each is let go before the next goes down, so that a letter may follow itself.
    """
    gaps_s = [later - at for at, later in itertools.pairwise(times_s)]
    holds_s = [min(HOLD_S, OVERLAP * gap_s) for gap_s in gaps_s] + [HOLD_S]
    return [
        Stroke(key, at_s, hold_s) for key, at_s, hold_s in zip(text, times_s, holds_s, strict=False)
    ]


@contextmanager
def robot_hand(window_id: int) -> Iterator[Hand]:
    """Give a hand that presses keys in a window of the display that DISPLAY names.

    Raises
    ------
    UserError
        If there is no way to inject keys here.
    """
    if sys.platform != "linux":
        raise UserError("robot: real key events can be made on Linux only so far")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=serve, args=(theirs, os.environ.get("DISPLAY", ""), window_id), daemon=True
    )
    process.start()
    theirs.close()
    try:
        if not ours.poll(READY_WAIT_S) or ours.recv() != READY:
            raise UserError("robot: this display takes no injected keys (XTest is missing)")
        yield Hand(ours)
    finally:
        _end(ours, process)


def _end(connection: Connection, process: Any) -> None:
    try:
        connection.send(STOP)
    except OSError:
        process.terminate()
    process.join(timeout=5)
    if process.is_alive():
        process.terminate()


def serve(connection: Connection, display_name: str, window_id: int) -> None:
    """Send the strokes that come through a connection, until told to stop or left alone."""
    hand = _XHand(display_name, window_id)
    connection.send(READY)
    agenda = _Agenda()
    while True:
        wait_s = agenda.wait_s(time.perf_counter())
        if connection.poll(wait_s):
            try:
                message = connection.recv()
            except EOFError:
                return
            if message == STOP:
                hand.codes.unlearn()
                return
            if message == FORGET:
                agenda.forget()
            elif message == NO_REPEATS:
                hand.stop_repeats()
            elif isinstance(message, Letters):
                hand.codes.learn(message.letters)
            elif isinstance(message, tuple):
                agenda.add_moves(message)
            else:
                agenda.add(message)
        elif agenda:
            report = hand.send(agenda.pop())
            if report is not None:
                connection.send(report)


@dataclass(order=True, slots=True)
class _Act:
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


class _Agenda:
    """What goes down and up, by its time."""

    def __init__(self) -> None:
        self._acts: list[_Act] = []
        self._down: set[tuple[str, str]] = set()
        self._number = 0

    def __bool__(self) -> bool:
        return bool(self._acts)

    def add(self, stroke: Stroke) -> None:
        start_s = max(stroke.at_s, time.perf_counter())
        end_s = start_s + stroke.hold_s
        for modifier in stroke.modifiers:
            self._push(start_s - 0.02, modifier, "keyboard", down=True)
            self._push(end_s + 0.02, modifier, "keyboard", down=False)
        self._push(start_s, stroke.key, stroke.device, down=True, reported=True)
        self._push(end_s, stroke.key, stroke.device, down=False)

    def add_moves(self, moves: Sequence[Move]) -> None:
        for move in moves:
            self._number += 1
            place = (move.x_px, move.y_px)
            act = _Act(move.at_s, self._number, "move", "mouse", False, False, place)
            heapq.heappush(self._acts, act)

    def _push(
        self, at_s: float, key: str, device: Device, *, down: bool, reported: bool = False
    ) -> None:
        self._number += 1
        heapq.heappush(self._acts, _Act(at_s, self._number, key, device, down, reported))

    def wait_s(self, now_s: float) -> float | None:
        """Return how long to listen before the next act; None if there is none."""
        return max(0.0, self._acts[0].at_s - SPIN_S - now_s) if self._acts else None

    def pop(self) -> _Act:
        act = heapq.heappop(self._acts)
        if act.place_px is not None:
            return act
        (self._down.add if act.down else self._down.discard)(act.place)
        return act

    def forget(self) -> None:
        """Keep nothing but the release of what is down."""
        first_release: dict[tuple[str, str], _Act] = {}
        for act in sorted(self._acts):
            if act.place_px is None and not act.down and act.place in self._down:
                first_release.setdefault(act.place, act)
        self._acts = list(first_release.values())
        heapq.heapify(self._acts)


class _XHand:
    """Keys and buttons of an X display, through XTest."""

    def __init__(self, display_name: str, window_id: int) -> None:
        from Xlib import X, display
        from Xlib.ext import xtest

        self._display = display.Display(display_name)
        self._no_repeats = X.AutoRepeatModeOff
        self._window_id = window_id
        self._fake_input = xtest.fake_input
        self._events = {
            ("keyboard", True): X.KeyPress,
            ("keyboard", False): X.KeyRelease,
            ("mouse", True): X.ButtonPress,
            ("mouse", False): X.ButtonRelease,
        }
        self.codes = KeyCodes(self._display)
        self._refused: set[tuple[str, str]] = set()

    def stop_repeats(self) -> None:
        """Have the display repeat no held key."""
        self._display.change_keyboard_control(auto_repeat_mode=self._no_repeats)
        self._display.sync()

    def send(self, act: _Act) -> Sent | Refused | None:
        """Send one event at its time; return a report where one is wanted."""
        if act.place_px is not None:
            self._move(act)
            return None
        reason = self._why_not(act) if act.down else ""
        if reason:
            self._refused.add(act.place)
            return Refused(act.key, reason)
        if not act.down and act.place in self._refused:
            self._refused.discard(act.place)
            return None
        code = self._code(act)
        _spin_until(act.at_s)
        before_s = time.perf_counter()
        self._fake_input(self._display, self._events[act.device, act.down], code)
        self._display.sync()
        return Sent(act.key, before_s, time.perf_counter()) if act.reported else None

    def _move(self, act: _Act) -> None:
        """Move the pointer, if our window has the focus."""
        from Xlib import X

        if not self._has_focus():
            return
        root = self._display.screen().root
        own = self._display.create_resource_object("window", self._window_id)
        corner = own.translate_coords(root, 0, 0)
        # Asked of the other window the answer is where that one lies in ours.
        x_px, y_px = act.place_px[0] - corner.x, act.place_px[1] - corner.y
        _spin_until(act.at_s)
        self._fake_input(self._display, X.MotionNotify, x=x_px, y=y_px)
        self._display.sync()

    def _code(self, act: _Act) -> int:
        if act.device == "mouse":
            return BUTTONS[act.key]
        return self.codes.code_of(act.key)

    def _why_not(self, act: _Act) -> str:
        """Return what speaks against pressing something now; nothing where nothing does."""
        if not self._has_focus():
            return "another window has the keyboard's focus"
        if act.device == "mouse" and not self._has_pointer():
            return "the pointer is over another window"
        return ""

    def _has_pointer(self) -> bool:
        """Return whether the pointer is over our window, or over the frame around it."""
        root = self._display.screen().root
        under = root.query_pointer().child
        own = self._display.create_resource_object("window", self._window_id)
        while (parent := own.query_tree().parent) and parent.id != root.id:
            own = parent
        return getattr(under, "id", None) == own.id

    def _has_focus(self) -> bool:
        """Return whether our window, or one inside it, has the focus; wait a little for it."""
        until_s = time.perf_counter() + FOCUS_WAIT_S
        while True:
            focus = self._display.get_input_focus().focus
            if self._is_ours(focus):
                return True
            if time.perf_counter() > until_s:
                return False
            time.sleep(0.02)

    def _is_ours(self, window: Any) -> bool:
        while hasattr(window, "id"):
            if window.id == self._window_id:
                return True
            window = window.query_tree().parent or None
        return False


def _spin_until(at_s: float) -> None:
    while time.perf_counter() < at_s:
        pass

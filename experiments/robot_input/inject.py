"""Robots' input: real keys and buttons sent to our own window, from a process of its own.

Only X11's XTest extension is used so far (Linux). A key is sent only if our window has the
keyboard's focus; a button only if our window is also under the pointer. The other process imports
this module, so it imports little.
"""

import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from typing import Any, Final

from experiments.engine.clock import nap
from experiments.robot_input.input_events import Due, InputEvent, InputQueue, KeyCodes, Move, Stroke
from stimuli.devices import PAD
from stimuli.errors import UserError

INJECTION: Final = "xtest"
FOCUS_WAIT_S = 3.0
READY_WAIT_S = 120.0
"""Far more than a start takes: on a machine with twenty busy processes it took over 20 s."""
STOP = "stop"
FORGET = "forget"
NO_REPEATS = "no repeats"
READY = "ready"

BUTTONS = {"left": 1, "middle": 2, "right": 3, "wheel_up": 4, "wheel_down": 5}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Events to send after an onset; their ``at_s`` is in seconds from the onset."""

    events: tuple[InputEvent, ...]


@dataclass(frozen=True, slots=True)
class Begin:
    """The onset for prepared events, monotonic seconds."""

    onset_s: float


@dataclass(frozen=True, slots=True)
class Letters:
    """Characters that will be pressed; keys are made for those that the layout lacks."""

    letters: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A key press that was sent, and the two times (monotonic seconds) between which it was."""

    key: str
    before_s: float
    after_s: float


@dataclass(frozen=True, slots=True)
class Refused:
    """A key press that was not sent, and why."""

    key: str
    reason: str


class InputInjector:
    """Presses keys through another process; strokes may be added in any order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def press(self, stroke: Stroke) -> None:
        """Schedule a key press at its time, or at once if that is past."""
        self._connection.send(stroke)

    def move(self, moves: Sequence[Move]) -> None:
        """Schedule moves of the pointer."""
        self._connection.send(tuple(moves))

    def prepare(self, events: Iterable[InputEvent]) -> None:
        """Prepare events with times relative to a future onset; they replace prepared ones."""
        self._connection.send(Prepared(tuple(events)))

    def begin(self, onset_s: float) -> None:
        """Start the prepared events at an onset: one short message, for time-critical moments.

        Of these events only refusals are reported.
        """
        self._connection.send(Begin(onset_s))

    def learn(self, letters: Iterable[str]) -> None:
        """Make keys for characters now: during a trial, every program would reread the keyboard."""
        self._connection.send(Letters("".join(sorted(set(letters)))))

    def forget(self) -> None:
        """Cancel strokes that haven't begun."""
        self._connection.send(FORGET)

    def stop_repeats(self) -> None:
        """Switch off key repetition; only for a separate display for the robot.

        On an overloaded PC a key may be released late, and its letter would be typed many times.
        """
        self._connection.send(NO_REPEATS)

    def reports(self) -> list[Sent | Refused]:
        """Return the events sent or refused since the last call.

        A few hundred unread reports make the other process wait.
        """
        reports = []
        while self._connection.poll():
            reports.append(self._connection.recv())
        return reports


@contextmanager
def robot_injector(window_id: int, pad_port: str = "") -> Iterator[InputInjector]:
    """Run an injector for a window of the display that DISPLAY names.

    Parameters
    ----------
    window_id
        The window.
    pad_port
        Port of the robot's response pad; empty if there is none.

    Raises
    ------
    UserError
        If there is no way to inject keys here, or the other process doesn't start.
    """
    if sys.platform != "linux":
        raise UserError("robot: real key events can be made on Linux only so far")
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=serve, args=(theirs, os.environ.get("DISPLAY", ""), window_id, pad_port), daemon=True
    )
    process.start()
    theirs.close()
    try:
        _await_ready(ours)
        yield InputInjector(ours)
    finally:
        _end(ours, process)


def _await_ready(connection: Connection) -> None:
    """Wait until the other process can send keys; UserError if it ended, or takes too long."""
    try:
        ready = connection.poll(READY_WAIT_S) and connection.recv() == READY
    except EOFError:
        raise UserError("robot: this display takes no injected keys (XTest is missing)") from None
    if not ready:
        raise UserError(
            f"robot: its hand hasn't started within {READY_WAIT_S:.0f} s; close other programs"
        )


def _end(connection: Connection, process: Any) -> None:
    try:
        connection.send(STOP)
    except OSError:
        process.terminate()
    process.join(timeout=5)
    if process.is_alive():
        process.terminate()


def serve(connection: Connection, display_name: str, window_id: int, pad_port: str) -> None:
    """Send the strokes that arrive through a connection, until a stop message or its end."""
    injector = _XInput(display_name, window_id, pad_port)
    connection.send(READY)
    input_queue = InputQueue()
    while True:
        wait_s = input_queue.wait_s(time.perf_counter())
        if connection.poll(wait_s):
            try:
                message = connection.recv()
            except EOFError:
                message = STOP
            if message == STOP:
                # The last chord ends a session: its keys would stay down on the display.
                input_queue.forget()
                while input_queue:
                    injector.send(replace(input_queue.pop(), at_s=0.0))
                injector.codes.unlearn()
                return
            if message == FORGET:
                input_queue.forget()
            elif message == NO_REPEATS:
                injector.stop_repeats()
            elif isinstance(message, Letters):
                injector.codes.learn(message.letters)
            elif isinstance(message, Prepared):
                input_queue.prepare(message.events)
            elif isinstance(message, Begin):
                input_queue.begin(message.onset_s)
            elif isinstance(message, tuple):
                input_queue.add_moves(message)
            else:
                input_queue.add(message)
        elif input_queue:
            report = injector.send(input_queue.pop())
            if report is not None:
                connection.send(report)


class _XInput:
    """Keys and buttons of an X display, through XTest, and those of a response pad."""

    def __init__(self, display_name: str, window_id: int, pad_port: str) -> None:
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
        # Windows has no such flag, and no terminals that a pad could take over.
        flags = os.O_WRONLY | getattr(os, "O_NOCTTY", 0)
        self._pad = os.open(pad_port, flags) if pad_port else None
        self._refused: set[tuple[str, str]] = set()

    def stop_repeats(self) -> None:
        """Switch off the display's key repetition."""
        self._display.change_keyboard_control(auto_repeat_mode=self._no_repeats)
        self._display.sync()

    def send(self, due: Due) -> Sent | Refused | None:
        """Send one event at its time; return a report if one is wanted."""
        if due.place_px is not None:
            self._move(due.place_px, due.at_s)
            return None
        reason = self._why_not(due) if due.down else ""
        if reason:
            self._refused.add(due.place)
            return Refused(due.key, reason)
        if not due.down and due.place in self._refused:
            self._refused.discard(due.place)
            return None
        if due.device == PAD:
            return self._send_byte(due)
        code = self._code(due)
        _spin_until(due.at_s)
        before_s = time.perf_counter()
        self._fake_input(self._display, self._events[due.device, due.down], code)
        self._display.sync()
        return Sent(due.key, before_s, time.perf_counter()) if due.reported else None

    def _send_byte(self, due: Due) -> Sent | None:
        """Send the byte of a pad's button at its time; coming up it sends none."""
        if not due.down:
            return None
        assert self._pad is not None
        _spin_until(due.at_s)
        before_s = time.perf_counter()
        os.write(self._pad, due.key.encode("ascii"))
        return Sent(due.key, before_s, time.perf_counter()) if due.reported else None

    def _move(self, place_px: tuple[int, int], at_s: float) -> None:
        """Move the pointer, if our window has the focus."""
        from Xlib import X

        if not self._has_focus():
            return
        root = self._display.screen().root
        window = self._display.create_resource_object("window", self._window_id)
        corner = window.translate_coords(root, 0, 0)
        # The result is the root window's position in our window.
        x_px, y_px = place_px[0] - corner.x, place_px[1] - corner.y
        _spin_until(at_s)
        self._fake_input(self._display, X.MotionNotify, x=x_px, y=y_px)
        self._display.sync()

    def _code(self, due: Due) -> int:
        if due.device == "mouse":
            return BUTTONS[due.key]
        return self.codes.code_of(due.key)

    def _why_not(self, due: Due) -> str:
        """Return why nothing may be pressed now; empty if it may."""
        if not self._has_focus():
            return "another window has the keyboard's focus"
        if due.device == "mouse" and not self._has_pointer():
            return "the pointer is over another window"
        return ""

    def _has_pointer(self) -> bool:
        """Return whether the pointer is over our window or its frame."""
        root = self._display.screen().root
        under = root.query_pointer().child
        window = self._display.create_resource_object("window", self._window_id)
        while (parent := window.query_tree().parent) and parent.id != root.id:
            window = parent
        return getattr(under, "id", None) == window.id

    def _has_focus(self) -> bool:
        """Return whether our window or a window inside it has the focus; wait briefly for it."""
        until_s = time.perf_counter() + FOCUS_WAIT_S
        while True:
            focus = self._display.get_input_focus().focus
            if self._is_ours(focus):
                return True
            if time.perf_counter() > until_s:
                return False
            nap(0.02)

    def _is_ours(self, window: Any) -> bool:
        while hasattr(window, "id"):
            if window.id == self._window_id:
                return True
            window = window.query_tree().parent or None
        return False


def _spin_until(at_s: float) -> None:
    while time.perf_counter() < at_s:
        pass

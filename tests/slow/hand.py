"""A hand that takes part from outside: it presses keys and moves a mouse as a person would.

It knows nothing of the session but what its journal says, and presses by lot what people press.
"""

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = {" ": "space"}
CHORD = ("Control_L", "Shift_L")
HOLD_S = 0.04
BETWEEN_S = 0.06
PATIENCE_S = 600


class Hand:
    """A keyboard and a mouse at a display; its events go to whoever has the focus."""

    def __init__(self, name: str) -> None:
        from Xlib import display

        self._display = display.Display(name)
        self._root = self._display.screen().root

    def press(self, key: str, modifiers: Sequence[str] = (), hold_s: float = HOLD_S) -> None:
        """Press and release a key, by its X name."""
        from Xlib import X

        for down in modifiers:
            self._send(X.KeyPress, self._code(down))
            time.sleep(HOLD_S)
        self._send(X.KeyPress, self._code(key))
        time.sleep(hold_s)
        self._send(X.KeyRelease, self._code(key))
        for up in reversed(modifiers):
            self._send(X.KeyRelease, self._code(up))
        time.sleep(BETWEEN_S)

    def chord(self, key: str) -> None:
        """Press one of the experimenter's chords."""
        self.press(key, CHORD, hold_s=0.15)

    def type(self, text: str) -> None:
        """Type small letters and spaces."""
        for sign in text:
            self.press(SIGNS.get(sign, sign))

    def draw(self, points: Sequence[tuple[int, int]]) -> None:
        """Hold the left button along some places of the screen."""
        from Xlib import X

        self._move(points[0])
        self._send(X.ButtonPress, 1)
        for point in points[1:]:
            time.sleep(0.02)
            self._move(point)
        self._send(X.ButtonRelease, 1)
        time.sleep(BETWEEN_S)

    def size_px(self) -> tuple[int, int]:
        """Return the screen's width and height."""
        screen = self._display.screen()
        return screen.width_in_pixels, screen.height_in_pixels

    @contextmanager
    def at_another_window(self):
        """Give the keyboard's focus to a window of another program while the block lasts."""
        from Xlib import X

        before = self._display.get_input_focus().focus
        other = self._root.create_window(5, 5, 60, 60, 0, self._display.screen().root_depth)
        other.map()
        other.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()
        time.sleep(0.3)
        yield
        before.set_input_focus(X.RevertToParent, X.CurrentTime)
        other.destroy()
        self._display.sync()

    def _code(self, key: str) -> int:
        from Xlib import XK

        return self._display.keysym_to_keycode(XK.string_to_keysym(key))

    def _move(self, point: tuple[int, int]) -> None:
        from Xlib import X
        from Xlib.ext import xtest

        xtest.fake_input(self._display, X.MotionNotify, x=point[0], y=point[1])
        self._display.sync()

    def _send(self, kind: int, detail: int) -> None:
        from Xlib.ext import xtest

        xtest.fake_input(self._display, kind, detail)
        self._display.sync()


Act = Callable[[Hand, np.random.Generator], None]
Disturbance = Callable[["Session"], None]


class Session:
    """A person's session that a hand takes part in, and what comes between its trials.

    Parameters
    ----------
    lab, arguments, verb
        As of `tests.experiments.windows.session_lab.Lab.start`.
    hand
        Takes part.
    check
        The keys that answer the comprehension check rightly, by the page that was read before it.
    """

    def __init__(
        self,
        lab,
        hand: Hand,
        arguments: Sequence[object],
        verb: str = "run",
        check: Mapping[str, str] | None = None,
    ) -> None:
        self.lab, self.hand = lab, hand
        self._arguments, self._verb = arguments, verb
        self._check = check or {}
        self.process: subprocess.Popen | None = None

    def start(self, *more: object) -> None:
        """Begin, or go on after a kill."""
        self.process = self.lab.start(*self._arguments, *more, verb=self._verb)

    def kill(self) -> None:
        """End the process as a power cut would."""
        self.process.kill()
        self.process.communicate()

    def to_the_end(self, act: Act, disturbances: Sequence[tuple[int, Disturbance]]) -> dict:
        """Act by lot until the session is over; disturb it after so many trials each.

        Until the consent and after the debrief only keys that turn pages and agree are pressed, and
        after it the experimenter's chord, for which the last page waits.
        """
        rng = np.random.default_rng(20)
        ended, until = 0, time.monotonic() + PATIENCE_S
        left = list(disturbances)
        while self.process.poll() is None:
            events = self.lab.events()
            if events["trial_end"] > ended:
                ended, until = events["trial_end"], time.monotonic() + PATIENCE_S
            assert time.monotonic() < until, "no trial ended, nor did the session"
            if left and events["trial_end"] >= left[0][0]:
                left.pop(0)[1](self)
            elif events["consent"] == 0 or self._is_debriefed():
                for key in ("space", "1", "Return"):
                    self.hand.press(key)
                if events["consent"]:
                    self.hand.chord("Return")
            elif keys := self._check.get(self._last_page()):
                self._answer(keys)
            else:
                act(self.hand, rng)
        assert not left, "the session was over before it was disturbed"
        return self.lab.finish(self.process)

    def _answer(self, keys: str) -> None:
        time.sleep(1)
        for key in keys:
            self.hand.press(key)
            time.sleep(0.3)
            self.hand.press("Return")
            time.sleep(0.5)

    def _last_page(self) -> str:
        """Return the page that was read last; empty if something came after it."""
        lines = self.lab.journal_path.read_bytes().split(b"\n")[:-1]
        last = next(one for one in map(json.loads, lines[::-1]) if one["event"] != "clock")
        return last["name"] if last["event"] == "page" else ""

    def _is_debriefed(self) -> bool:
        return b'"name":"debrief' in self.lab.journal_path.read_bytes()


def by_keys(*keys: str) -> Act:
    """Return an act that presses one of some keys, and now and then the experimenter's chord."""

    def act(hand: Hand, rng: np.random.Generator) -> None:
        if rng.random() < 0.05:
            hand.chord("Return")
        hand.press(str(rng.choice(keys)))

    return act


def by_mouse(*keys: str) -> Act:
    """Return an act that also draws a stroke across the middle of the screen."""
    press = by_keys(*keys)

    def act(hand: Hand, rng: np.random.Generator) -> None:
        wide, high = hand.size_px()
        if rng.random() < 0.4:
            x, y = wide // 2 + rng.integers(-80, 80), high // 2 + rng.integers(-80, 80)
            hand.draw([(int(x + 4 * k), int(y + 3 * k)) for k in range(12)])
        press(hand, rng)

    return act

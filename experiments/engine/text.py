"""Text from the window's events: `TextInput` gives the keys' time stamps, `TypedLine` doesn't.

The window system decides what a key means: layouts, dead keys, the third level. The hardware's
queue (`engine.input`) says when the key went down.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from experiments.engine.input import MODIFIERS, Press, named
from experiments.engine.stage import Stage
from experiments.engine.window import Window
from experiments.engine.window_events import UNKNOWN, Happening, Joiner, Pointer, Typed
from stimuli.typed_text import fitting, signs_of, without_unprintable

MOTIONS: Final = {
    "MOTION_LEFT": "left",
    "MOTION_RIGHT": "right",
    "MOTION_UP": "up",
    "MOTION_DOWN": "down",
    "MOTION_BEGINNING_OF_LINE": "home",
    "MOTION_END_OF_LINE": "end",
    "MOTION_BACKSPACE": "backspace",
    "MOTION_DELETE": "delete",
}
CONTROLS: Final = {"RETURN": "return", "NUM_ENTER": "return", "ESCAPE": "escape", "TAB": "tab"}
SILENT: Final = ("LCTRL", "RCTRL", "LSHIFT", "RSHIFT", "LALT", "RALT")
"""pyglet's names for the keys of `MODIFIERS`."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Input since the last poll.

    Attributes
    ----------
    presses
        All hardware presses, for chords.
    typed
        The text, edits and clicks that the window got from them, in order.
    """

    presses: tuple[Press, ...]
    typed: tuple[Typed, ...]


class TextInput:
    """Listens to text and clicks in a window for as long as the window is open.

    Meanwhile only `poll` may ask for the hardware's presses, once a frame.

    Parameters
    ----------
    stage
        The window, keyboard and mouse. Clicks have the mouse's time stamps if the stage
        listens to the mouse.
    """

    def __init__(self, stage: Stage) -> None:
        from pyglet.window import key

        self._stage = stage
        self._pointer = Pointer(stage.window)
        self._joiner = Joiner()
        self._happenings: list[Happening] = []
        self._motions = {getattr(key, name): edit for name, edit in MOTIONS.items()}
        self._controls = {getattr(key, name): edit for name, edit in CONTROLS.items()}
        self._silent = frozenset(getattr(key, name) for name in SILENT)
        self._at_s: float | None = None
        self._handle: Any = stage.window.handle.winHandle
        self._key_codes = _X11Keys(self._handle, self._named_down) if _is_x11() else None
        self._handle.push_handlers(
            on_key_press=self._key_down,
            on_text=self._text,
            on_text_motion=self._motion,
            on_text_motion_select=self._motion,
            on_mouse_press=self._clicked,
            on_activate=self._focus_changed,
            on_deactivate=self._focus_changed,
        )

    def poll(self) -> Heard:
        """Return the input since the last poll."""
        # The window's events first: then the presses behind all of them have arrived.
        self._pointer.poll()
        presses, now_s = self._stage.presses(), self._stage.now_s()
        if not self._stage.focus.listens_at(now_s):
            # The click that brings the window back to the front reaches the window, too.
            self._happenings.clear()
            self._joiner.clear()
        typed = self._joiner.join(self._happenings, presses, now_s)
        self._happenings.clear()
        return Heard(presses, typed)

    def forget(self) -> tuple[Press, ...]:
        """Discard what was typed or clicked so far; return the presses, for chords."""
        presses = self.poll().presses
        self._joiner.clear()
        return presses

    def _named_down(self, name: str, at_s: float) -> None:
        """Note a key that went down, if the system reports which one it is."""
        self._at_s = at_s
        if name and name not in MODIFIERS:
            self._happenings.append(Happening("down", name, at_s))

    def _key_down(self, symbol: int, _: int) -> bool:
        if self._key_codes is None and symbol not in self._silent:
            self._happenings.append(Happening("down", ""))
        if symbol in self._controls:
            self._note("edit", self._controls[symbol])
        # True stops the event: PsychoPy's list of keys, which nobody reads, would grow for ever.
        return True

    def _text(self, text: str) -> bool:
        # Enter comes as text too, and so does half a character on Windows; neither is printable.
        if printable := without_unprintable(text):
            self._note("text", printable)
        return True

    def _motion(self, motion: int) -> bool:
        if motion in self._motions:
            self._note("edit", self._motions[motion])
        return True

    def _clicked(self, x: float, y: float, button: int, _: int) -> None:
        name = self._pointer.button(button)
        if name is not None:
            place_px = self._pointer.place(x, y)
            self._happenings.append(Happening("down", name, None, "mouse", place_px))

    def _note(self, kind: Any, value: str) -> None:
        self._happenings.append(Happening(kind, value, self._at_s))

    def _focus_changed(self) -> None:
        """Mark all keys as up: a release in another window wasn't seen."""
        getattr(self._handle, "pressed_keys", set()).clear()
        if self._key_codes is not None:
            self._key_codes.let_go()


class _X11Keys:
    """Reports keys that go down in a window, by their place on the keyboard.

    Shift, layout and dead keys change pyglet's name of a key, and pyglet takes a key that comes up
    under another name than it went down with for still held; key codes have neither problem. While
    the pointer is over the window, keys go to an inner window, which the input method that
    composes dead keys doesn't know: they are passed on as if they had gone to the outer window.

    Parameters
    ----------
    handle
        pyglet's window.
    down
        Called before an event is handled, with the key's name (empty for a repetition or for an
        event that no key made) and the server's time in seconds.
    """

    def __init__(self, handle: Any, down: Callable[[str, float], None]) -> None:
        from psychopy.hardware.keyboard import keyNames
        from pyglet.libs.x11 import xlib

        # psychtoolbox counts the codes of X from 1.
        self._names = {code - 1: named(name) for code, name in keyNames.items()}
        self._handle, self._xlib = handle, xlib
        self._down = down
        self._held: set[int] = set()
        for handlers in (handle._event_handlers, handle._view_event_handlers):
            for kind in (xlib.KeyPress, xlib.KeyRelease):
                if kind in handlers:
                    handlers[kind] = partial(self._noted, handlers[kind])

    def let_go(self) -> None:
        """Mark all keys as up."""
        self._held.clear()

    def _noted(self, plain: Callable[[Any], None], event: Any) -> None:
        code, at_s = int(event.xkey.keycode), event.xkey.time / 1000
        event.xkey.window = self._handle._window
        if event.type == self._xlib.KeyRelease:
            self._held.discard(code)
            plain(event)
            return
        fresh = code and code not in self._held
        self._held.add(code)
        self._down(self._names.get(code, UNKNOWN) if fresh else "", at_s)
        plain(event)
        if code:
            self._hand_on_composed(plain)

    def _hand_on_composed(self, plain: Callable[[Any], None]) -> None:
        """Handle the input method's event for this key before any other key's event."""
        event, window = self._xlib.XEvent(), self._handle._window
        display = self._handle._x_display
        if self._xlib.XCheckTypedWindowEvent(display, window, self._xlib.KeyPress, byref(event)):
            if event.xkey.keycode:
                self._xlib.XPutBackEvent(display, byref(event))
            else:
                self._noted(plain, event)


def _is_x11() -> bool:
    return sys.platform == "linux"


class TypedLine:
    """A line of typed text, as the window system makes it from keys.

    Attributes
    ----------
    text
        The line's text.
    open
        True until Enter or Esc is pressed.
    """

    def __init__(self, window: Window, longest: int) -> None:
        from pyglet.window import key

        self._handle = window.handle.winHandle
        self._key = key
        self._longest = longest
        self._told_text: str | None = None
        self.text = ""
        self.open = True

    def has_changed(self) -> bool:
        """Take what was typed; return whether the line has changed since the last call."""
        self._handle.dispatch_events()
        before, self._told_text = self._told_text, self.text
        return self.text != before

    def handlers(self) -> dict[str, object]:
        """Return the handlers of the window's events."""
        return {"on_key_press": self._pressed, "on_text": self._typed, "on_text_motion": self._back}

    def _pressed(self, symbol: int, _: int) -> bool:
        if self.open and symbol in (self._key.RETURN, self._key.NUM_ENTER, self._key.ESCAPE):
            self.open = False
            self.text = "" if symbol == self._key.ESCAPE else self.text.strip()
        return True

    def _typed(self, text: str) -> bool:
        if self.open:
            self.text = fitting(self.text + without_unprintable(text), self._longest)
        return True

    def _back(self, motion: int) -> bool:
        if self.open and motion == self._key.MOTION_BACKSPACE:
            self.text = "".join(signs_of(self.text)[:-1])
        return True


@contextmanager
def typed_line(window: Window, longest: int) -> Iterator[TypedLine]:
    """Yield a line that receives the window's text during the block.

    Parameters
    ----------
    window
        The window in which it is typed.
    longest
        Largest number of characters; further ones are ignored.
    """
    handle = window.handle.winHandle
    # Earlier typing belongs to another screen.
    handle.dispatch_events()
    line = TypedLine(window, longest)
    handle.push_handlers(**line.handlers())
    try:
        yield line
    finally:
        handle.pop_handlers()

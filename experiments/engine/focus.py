"""Whether our window is in front: has the keyboard's focus, and nothing lies over it.

A keyboard's hardware queue tells every press on the PC, those that go to other windows too. What
differs from system to system is in `typed_here` and `tell_of_covers` alone.
"""

import sys
import time
from collections.abc import Callable, Sequence
from ctypes import byref, c_int, c_uint, c_ulong
from dataclasses import dataclass
from typing import Any, Final

from experiments.engine.input import Press

SETTLE_S: Final = 0.1
"""Input so soon after the focus came back belongs to the click or keys that brought it back."""
UNOBSCURED: Final = 0
"""X's value for a window that nothing covers."""
POINTER_ROOT: Final = 1
"""X's value for no particular window: keys go to the window under the pointer."""


@dataclass(frozen=True, slots=True)
class FocusChange:
    """Our window came to the front or left it.

    Attributes
    ----------
    t_s
        When the change was noticed, monotonic seconds.
    here
        Whether our window has had the focus, uncovered, since then.
    """

    t_s: float
    here: bool


class Focus:
    """Whether a window has the keyboard's focus, and whether another window covers it.

    The window system reports a change with the window's other events, once a frame; it is also
    asked directly whenever the focus matters. If either answer says that the focus is elsewhere,
    it is: a locked screen takes the keyboard but leaves the focus. A window that covers ours and
    doesn't take the focus, such as a notification, counts as a loss, but what is typed meanwhile
    still goes to our window.

    Parameters
    ----------
    handle
        pyglet's window.
    ask
        Asks the window system; `typed_here` by default.

    Attributes
    ----------
    losses
        How often the window lost the focus or was covered.
    """

    def __init__(self, handle: Any, ask: "Callable[[Any], bool] | None" = None) -> None:
        self._handle, self._ask = handle, ask or typed_here
        self.losses = 0
        self._told_here = self._here = self._front = self._ask(handle)
        self._clear = True
        self._from_s = 0.0
        self._changes: list[FocusChange] = []
        handle.push_handlers(
            on_activate=self._came, on_deactivate=self._went, on_mouse_press=self._clicked
        )
        tell_of_covers(handle, self._covered)

    def is_here(self) -> bool:
        """Handle the window's pending events, and ask whether our window is in front."""
        self._handle.dispatch_events()
        self._ask_now()
        return self._front

    def for_window(self, presses: Sequence[Press]) -> tuple[Press, ...]:
        """Return the presses that were made for our window; drop the others."""
        if not self._here:
            self._handle.dispatch_events()
        if not self._ask_now():
            return ()
        return tuple(press for press in presses if press.t_s >= self._from_s)

    def listens_at(self, now_s: float) -> bool:
        """Return whether input to the window counts now, without asking the window system."""
        return self._here and now_s >= self._from_s

    def take_changes(self) -> tuple[FocusChange, ...]:
        """Return the changes since the last call."""
        changes, self._changes = tuple(self._changes), []
        return changes

    def _ask_now(self) -> bool:
        self._note(self._told_here and self._ask(self._handle))
        return self._here

    def _note(self, here: bool) -> None:
        now_s = time.perf_counter()
        if here and not self._here:
            self._from_s = now_s + SETTLE_S
        self._here = here
        front = here and self._clear
        if front != self._front:
            self._front = front
            self.losses += not front
            self._changes.append(FocusChange(now_s, front))

    def _covered(self, covered: bool) -> None:
        self._clear = not covered
        self._note(self._here)

    def _came(self) -> None:
        self._told_here = True
        self._note(self._ask(self._handle))

    def _went(self) -> None:
        self._told_here = False
        self._note(False)

    def _clicked(self, *_: object) -> None:
        """Take the focus if a click doesn't give it to the window: X without a window manager."""
        if not self._here:
            self._handle.activate()
            self._came()


def tell_of_covers(handle: Any, tell: Callable[[bool], None]) -> None:
    """Call a function whenever another window covers ours, or stops covering it.

    X11 reports this with the window's other events, unless a compositor draws the window elsewhere
    first. Windows and macOS don't report it.

    Parameters
    ----------
    handle
        pyglet's window.
    tell
        Called with whether anything covers the window.
    """
    handlers = getattr(handle, "_view_event_handlers", None)
    if handlers is not None:
        from pyglet.libs.x11 import xlib

        handlers[xlib.VisibilityNotify] = lambda event: tell(event.xvisibility.state != UNOBSCURED)


def typed_here(handle: Any) -> bool:
    """Return whether a key that is pressed now goes to a window.

    Tests cover Linux (X11). Windows and macOS are asked by the documented calls, which nobody
    has tried so far.

    Parameters
    ----------
    handle
        pyglet's window.
    """
    if sys.platform == "win32":
        return _windows_typed_here(handle)
    if sys.platform == "darwin":
        return bool(handle._nswindow.isKeyWindow())
    return _x11_typed_here(handle)


def _windows_typed_here(handle: Any) -> bool:
    assert sys.platform == "win32"
    from ctypes import WinDLL, c_void_p

    ask = WinDLL("user32").GetForegroundWindow
    ask.restype = c_void_p
    return ask() == c_void_p(handle._hwnd).value


def _x11_typed_here(handle: Any) -> bool:
    from pyglet.libs.x11 import xlib

    focused, revert = c_ulong(), c_int()
    xlib.XGetInputFocus(handle._x_display, byref(focused), byref(revert))
    if focused.value in (handle._window, handle._view):
        return True
    root = xlib.XDefaultRootWindow(handle._x_display)
    return focused.value in (POINTER_ROOT, root) and _x11_has_pointer(handle)


def _x11_has_pointer(handle: Any) -> bool:
    """Return whether the pointer is over a window, with no other program's window in between."""
    from pyglet.libs.x11 import xlib

    root, child, mask = c_ulong(), c_ulong(), c_uint()
    x, y, root_x, root_y = c_int(), c_int(), c_int(), c_int()
    xlib.XQueryPointer(
        handle._x_display, handle._window, byref(root), byref(child), byref(root_x),
        byref(root_y), byref(x), byref(y), byref(mask),
    )  # fmt: skip
    return bool(child.value == handle._view)

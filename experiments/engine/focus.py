"""Whether what is typed goes to our window: asked of the window system, and heard from it.

A keyboard's hardware queue tells every press on the PC, those that go to other windows too. What
differs from system to system is in `typed_here` alone.
"""

import sys
import time
from collections.abc import Callable, Sequence
from ctypes import byref, c_int, c_uint, c_ulong
from dataclasses import dataclass
from typing import Any, Final

from experiments.engine.input import Press

SETTLE_S: Final = 0.1
"""What comes so soon after the focus came back belongs to the click or keys that brought it."""
POINTER_ROOT: Final = 1
"""X's name for no window in particular: keys go to the one under the pointer."""


@dataclass(frozen=True, slots=True)
class FocusChange:
    """The focus came to our window or left it.

    Attributes
    ----------
    t_s
        When this was noticed, monotonic seconds.
    here
        Whether our window has it since.
    """

    t_s: float
    here: bool


class Focus:
    """The keyboard's focus of one window.

    The window system tells of a change with the window's other events, once a frame; it is asked
    whenever somebody wants to know. Where one of the two says that the focus is elsewhere, it is:
    a locked screen takes the keyboard but leaves the focus.

    Parameters
    ----------
    handle
        pyglet's window.
    ask
        Asks the window system; `typed_here` by default.

    Attributes
    ----------
    losses
        How often the window lost the focus.
    """

    def __init__(self, handle: Any, ask: "Callable[[Any], bool] | None" = None) -> None:
        self._handle, self._ask = handle, ask or typed_here
        self.losses = 0
        self._told_here = self._here = self._ask(handle)
        self._from_s = 0.0
        self._changes: list[FocusChange] = []
        handle.push_handlers(
            on_activate=self._came, on_deactivate=self._went, on_mouse_press=self._clicked
        )

    def is_here(self) -> bool:
        """Hear what the window system has told so far, and ask whether our window has the focus."""
        self._handle.dispatch_events()
        return self._ask_now()

    def own(self, presses: Sequence[Press]) -> tuple[Press, ...]:
        """Return the presses that were made for our window; others are nobody's here."""
        if not (self._ask_now() if self._here else self.is_here()):
            return ()
        return tuple(press for press in presses if press.t_s >= self._from_s)

    def listens_at(self, now_s: float) -> bool:
        """Return whether what the window hears now counts, by what is known without asking."""
        return self._here and now_s >= self._from_s

    def take_changes(self) -> tuple[FocusChange, ...]:
        """Return what changed since the last call."""
        changes, self._changes = tuple(self._changes), []
        return changes

    def _ask_now(self) -> bool:
        self._note(self._told_here and self._ask(self._handle))
        return self._here

    def _note(self, here: bool) -> None:
        if here == self._here:
            return
        now_s = time.perf_counter()
        self._here = here
        if here:
            self._from_s = now_s + SETTLE_S
        else:
            self.losses += 1
        self._changes.append(FocusChange(now_s, here))

    def _came(self) -> None:
        self._told_here = True
        self._note(self._ask(self._handle))

    def _went(self) -> None:
        self._told_here = False
        self._note(False)

    def _clicked(self, *_: object) -> None:
        """Take the focus where a click alone doesn't bring it: X without a window manager."""
        if not self._here:
            self._handle.activate()
            self._came()


def typed_here(handle: Any) -> bool:
    """Return whether a key that is pressed now goes to a window.

    Linux (X11) is tried by tests. Windows and macOS are asked by the documented calls, which
    nobody tried so far.

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

    found, revert = c_ulong(), c_int()
    xlib.XGetInputFocus(handle._x_display, byref(found), byref(revert))
    if found.value in (handle._window, handle._view):
        return True
    root = xlib.XDefaultRootWindow(handle._x_display)
    return found.value in (POINTER_ROOT, root) and _x11_has_pointer(handle)


def _x11_has_pointer(handle: Any) -> bool:
    """Return whether the pointer is over a window, and none of another program lies between."""
    from pyglet.libs.x11 import xlib

    root, child, mask = c_ulong(), c_ulong(), c_uint()
    x, y, root_x, root_y = c_int(), c_int(), c_int(), c_int()
    xlib.XQueryPointer(
        handle._x_display, handle._window, byref(root), byref(child), byref(root_x),
        byref(root_y), byref(x), byref(y), byref(mask),
    )  # fmt: skip
    return bool(child.value == handle._view)

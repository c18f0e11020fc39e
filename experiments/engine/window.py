"""Open, check and warm up the window before anything is shown; import PsychoPy for it.

Only one process at a time imports PsychoPy, since two first imports on a PC can collide. Packages
that a session doesn't need aren't imported with it.
"""

import ctypes
import importlib
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from filelock import FileLock

from experiments.engine.display import draw_in_one_thread
from stimuli.errors import UserError
from stimuli.places import cache_dir

UNUSED: Final = ("matplotlib", "openpyxl", "pyarrow")
"""Packages that PsychoPy and pandas use if they are there: for spreadsheets and polygons."""

DEFERRED: Final = ("pandas", "scipy.interpolate")
"""Packages that PsychoPy imports for tables of conditions and for calibration.

A session needs neither; they are half the time that PsychoPy takes to import.
"""


class Deferred(ModuleType):
    """A module that is imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        # Python asks a module for these while it imports it.
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def import_psychopy() -> None:
    """Import PsychoPy while no other process of this lab does.

    At its first import it makes its folder of preferences, and of two processes that do so
    at once one fails.
    """
    place = cache_dir()
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / "psychopy.lock"):
        import psychopy  # noqa: F401


def import_visual() -> ModuleType:
    """Return PsychoPy's module of windows, imported without what it can do without.

    It needs a display.
    """
    with hidden(*UNUSED), deferred(*DEFERRED):
        from psychopy import visual
    return visual


@contextmanager
def deferred(*names: str) -> Iterator[None]:
    """Let what is imported meanwhile import these modules at their first use only.

    Parameters
    ----------
    names
        Modules whose attributes aren't used, and whose submodules aren't imported, meanwhile.
        Those that are imported already stay as they are.
    """
    put = {name: Deferred(name) for name in names if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, module in put.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Let imports find these packages missing, unless they are imported already.

    Parameters
    ----------
    packages
        Names of packages that whoever imports them can do without.
    """
    absent = [name for name in packages if name not in sys.modules]
    # Python's own sign of a module that isn't there.
    missing: dict[str, Any] = dict.fromkeys(absent)
    sys.modules.update(missing)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]


Rgb = tuple[int, int, int]
SizePx = tuple[int, int]

WARM_UP_FLIPS = 20
SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast", "software rasterizer")
# Kept for as long as the process lives: Xlib calls it.
_IGNORE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)(
    lambda *_: 0
)
TITLE = "Plainsight"
"""Of windows that participants don't see."""


def at_once() -> None:
    """Wait for nothing."""


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How the window is to be opened.

    Attributes
    ----------
    background
        8-bit colour of the empty screen.
    size_px
        Width and height; None for the whole screen. A smaller window stands in its middle.
    full_screen
        Whether to ask the system for full-screen mode; else a borderless window.
    decorated
        A movable window with a frame, for trying things; timing is worse.
    title
        What the window system calls it.
    """

    background: Rgb
    size_px: SizePx | None = None
    full_screen: bool = False
    decorated: bool = False
    title: str = TITLE


class Window:
    """PsychoPy's window with what the engine needs of it, on the monotonic clock.

    Attributes
    ----------
    size_px
        Width and height of the framebuffer.
    handle
        PsychoPy's window.
    """

    def __init__(self, handle: Any, clock: Callable[[], float]) -> None:
        from pyglet import gl

        self.handle = handle
        width, height = handle.frameBufferSize
        self.size_px: SizePx = int(width), int(height)
        self._clock = clock
        self._finish = gl.glFinish
        self._flip = handle.flip
        self._swap = handle.winHandle.flip
        self._until: Callable[[], None] = at_once
        self._swapped_s = clock()
        handle.winHandle.flip = self._swap_when_due

    @property
    def system_id(self) -> int:
        """The window's id in the window system (X11: the window)."""
        return int(self.handle.winHandle._window) if sys.platform == "linux" else 0

    @property
    def software_renderer(self) -> bool:
        """Whether the processor draws (Mesa's renderers), so that swaps wait for no display."""
        from pyglet.gl import gl_info

        renderer = gl_info.get_renderer().lower()
        return any(name in renderer for name in SOFTWARE_RENDERERS)

    def finish(self) -> None:
        """Return when all that was drawn is in the back buffer."""
        self._finish()

    def flip(self, until: Callable[[], None] = at_once) -> float:
        """Swap the buffers and return when that was done, in monotonic seconds.

        Parameters
        ----------
        until
            Returns when the buffers may be swapped. It is called when all that goes before the
            swap is done: PsychoPy handles events and resets the card's state in its flip, which
            takes a different time each time.
        """
        self._until = until
        self._flip()
        # Where a swap waits for the display, only PsychoPy's last drawing after it tells when.
        return self._clock() if self.handle.waitBlanking else self._swapped_s

    def _swap_when_due(self) -> None:
        self._finish()
        self._until()
        self._swap()
        self._swapped_s = self._clock()

    def wait_for_refresh(self, wait: bool) -> None:
        """Let a flip return when the new frame is on, not when it was handed to the driver.

        Drivers queue swaps that wait for the display: the stamp of one that was only queued
        lies up to a refresh before the frame. Where nothing is waited for it costs time alone.
        """
        self.handle.waitBlanking = wait

    def focus(self) -> None:
        """Ask the system for the keyboard's focus."""
        self.handle.winHandle.activate()

    def show_pointer(self, shown: bool) -> None:
        """Show or hide the system's pointer over the window."""
        self.handle.mouseVisible = shown

    def pixels(self) -> Any:
        """Return what was drawn but not yet flipped: uint8 (height, width, 3)."""
        import numpy as np

        picture = self.handle.getMovieFrame(buffer="back")
        self.handle.movieFrames.clear()
        return np.asarray(picture)[..., :3]

    def close(self) -> None:
        """Close the window."""
        self.handle.close()


def open_window(settings: WindowSettings, clock: Callable[[], float]) -> Window:
    """Return an open window whose framebuffer has the wanted size.

    Raises
    ------
    UserError
        If the screen is smaller, or the system gave a window of another size.
    """
    _quieten_x()
    draw_in_one_thread()
    from psychopy import logging

    visual = import_visual()

    logging.console.setLevel(logging.CRITICAL)
    screen_px = screen_size()
    size_px = settings.size_px or screen_px
    require_room(size_px, screen_px)
    with _without_icon():
        handle = visual.Window(
            size=size_px,
            pos=None,  # The middle: PsychoPy's own rule.
            fullscr=settings.full_screen,
            allowGUI=settings.decorated,
            screen=0,
            winType="pyglet",
            units="pix",
            colorSpace="rgb255",
            color=settings.background,
            checkTiming=False,
            waitBlanking=False,
            autoLog=False,
            title=settings.title,
        )
    handle.winHandle.set_caption(settings.title)
    window = Window(handle, clock)
    if window.size_px != size_px:
        window.close()
        raise UserError(
            f"window: asked for {_spell(size_px)} pixels, got {_spell(window.size_px)}; set the "
            "display's scaling to 100 % and its resolution to the one wanted, or name it by --size"
        )
    # PsychoPy keeps the times of its last thousand flips: until then each would take memory.
    handle._frameTimes = deque(maxlen=2)
    handle.mouseVisible = settings.decorated
    window.focus()
    for _ in range(WARM_UP_FLIPS):
        window.flip()
    return window


def require_room(size_px: SizePx, screen_px: SizePx) -> None:
    """Raise UserError if a window is larger than its screen: only a part of it would be seen."""
    if size_px[0] > screen_px[0] or size_px[1] > screen_px[1]:
        raise UserError(
            f"--size {_spell(size_px)}: the screen has only {_spell(screen_px)} pixels; name a "
            "smaller size, or leave --size out for the whole screen"
        )


def screen_size() -> SizePx:
    """Return width and height of the first screen in pixels."""
    import pyglet

    screen = pyglet.canvas.get_display().get_default_screen()
    return screen.width, screen.height


def nominal_refresh_hz() -> float | None:
    """Return the refresh of the first screen's video mode, or None where it isn't told."""
    import pyglet

    try:
        rate = pyglet.canvas.get_display().get_default_screen().get_mode().rate
    except Exception:
        # No library says which of its errors stands for a screen without a video mode.
        return None
    return float(rate) if rate else None


def has_window_manager() -> bool:
    """Return whether full-screen mode can be asked for; on bare X11 nobody would answer."""
    if sys.platform != "linux":
        return True
    from Xlib import X, display

    screen = display.Display()
    try:
        name = screen.intern_atom("_NET_SUPPORTING_WM_CHECK")
        return screen.screen().root.get_full_property(name, X.AnyPropertyType) is not None
    finally:
        screen.close()


@contextmanager
def _without_icon() -> Iterator[None]:
    """Leave out PsychoPy's icon: pyglet turns its pixels round one by one, for 0.2 s."""
    import pyglet.window

    # A class of the platform's own.
    window_class: Any = pyglet.window.Window
    set_icon = window_class.set_icon
    window_class.set_icon = lambda window, *images: None
    try:
        yield
    finally:
        window_class.set_icon = set_icon


def _quieten_x() -> None:
    """Keep Xlib from printing that a display lacks extensions that nothing here needs."""
    if sys.platform == "linux":
        with suppress(OSError):
            ctypes.CDLL("libXext.so.6").XSetExtensionErrorHandler(_IGNORE)


def _spell(size_px: SizePx) -> str:
    return f"{size_px[0]}×{size_px[1]}"

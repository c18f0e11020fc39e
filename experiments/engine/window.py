"""Open, check and warm up the window before anything is shown; import PsychoPy for it.

Only one process at a time imports PsychoPy, since two first imports on a PC can collide. Packages
that a session doesn't need aren't imported with it.
"""

import ctypes
import importlib
import sys
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Final

from filelock import FileLock

from experiments.engine.virtual_display import draw_in_one_thread
from stimuli.errors import UserError
from stimuli.places import cache_dir

UNUSED: Final = ("matplotlib", "openpyxl", "pandas", "pyarrow")
"""Packages that PsychoPy and its packages use if they are there: for tables and polygons."""

DEFERRED: Final = ("requests", "scipy.interpolate")
"""Packages that PsychoPy imports for downloads of fonts and calibration.

A session needs none of them; they take long to import.
"""
FUNCTIONS: Final[Mapping[str, Collection[str]]] = {
    "psychopy.alerts": ("alert",),
    "psychopy.data.utils": ("importConditions", "listFromString"),
    "psychopy.tools.linebreak": ("get_breakable_points", "break_units"),
}
"""Functions of PsychoPy whose modules take long to import, by the module.

A session calls none of them: it has none of PsychoPy's text boxes and forms, and gives no wrong
values.
"""


class Deferred(ModuleType):
    """A module that is imported when it is first used.

    Parameters
    ----------
    name
        The module's.
    functions
        Names of functions that are used only when they are called.
    """

    def __init__(self, name: str, functions: Collection[str] = ()) -> None:
        super().__init__(name)
        self._functions = functions

    def __getattr__(self, name: str) -> Any:
        # Python looks these attributes up while it imports a module.
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._functions:
            return lambda *args, **kwargs: getattr(self._imported(), name)(*args, **kwargs)
        return getattr(self._imported(), name)

    def _imported(self) -> ModuleType:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return importlib.import_module(self.__name__)


def import_psychopy() -> None:
    """Import PsychoPy, while no other process of this lab does.

    Its first import creates its folder of preferences; if two processes do so at once, one
    of them fails.
    """
    place = cache_dir()
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / "psychopy.lock"):
        import psychopy  # noqa: F401


def import_visual() -> ModuleType:
    """Return PsychoPy's ``visual`` module, imported without packages that it can do without.

    It needs a display.
    """
    with hidden(*UNUSED), deferred(*DEFERRED, functions=FUNCTIONS):
        from psychopy import visual
    return visual


@contextmanager
def deferred(
    *names: str, functions: Mapping[str, Collection[str]] = MappingProxyType({})
) -> Iterator[None]:
    """Postpone the import of modules: imports in the block load them at first use.

    Parameters
    ----------
    names
        Modules whose attributes aren't used, and whose submodules aren't imported, in the
        block. Modules that are imported already stay as they are.
    functions
        Functions that the block imports and doesn't call, by their modules.
    """
    postponed = {**dict.fromkeys(names, ()), **functions}
    put = {
        name: Deferred(name, called)
        for name, called in postponed.items()
        if name not in sys.modules
    }
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, module in put.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Make imports in the block find these packages missing, unless they are imported already.

    Parameters
    ----------
    packages
        Names of packages that their importers can do without.
    """
    absent = [name for name in packages if name not in sys.modules]
    # Python's marker for a missing module.
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
# Kept alive as long as the process: Xlib calls it.
_IGNORE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)(
    lambda *_: 0
)
TITLE = "Plainsight"
"""Title of windows that participants don't see."""


def at_once() -> None:
    """Return at once."""


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """How to open the window.

    Attributes
    ----------
    background
        8-bit colour of the empty screen.
    size_px
        Width and height; None for the whole screen. A smaller window is centred.
    full_screen
        Whether to ask the system for full-screen mode; if not, the window is borderless.
    decorated
        Whether the window has a frame and can be moved, for trying things; timing is worse.
    title
        The window's title.
    """

    background: Rgb
    size_px: SizePx | None = None
    full_screen: bool = False
    decorated: bool = False
    title: str = TITLE


class Window:
    """The parts of PsychoPy's window that the engine needs, on the monotonic clock.

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
        """Whether the CPU draws (Mesa's renderers), so that swaps don't wait for a display."""
        from pyglet.gl import gl_info

        renderer = gl_info.get_renderer().lower()
        return any(name in renderer for name in SOFTWARE_RENDERERS)

    def finish(self) -> None:
        """Wait until everything drawn is in the back buffer."""
        self._finish()

    def flip(self, until: Callable[[], None] = at_once) -> float:
        """Swap the buffers; return the time of the swap in monotonic seconds.

        Parameters
        ----------
        until
            Returns when the buffers may be swapped. It is called when everything before the swap
            is done: PsychoPy handles events and resets the card's state in its flip, which takes
            a varying time.
        """
        self._until = until
        self._flip()
        # If a swap waits for the display, only PsychoPy's drawing after it shows when it happened.
        return self._clock() if self.handle.waitBlanking else self._swapped_s

    def _swap_when_due(self) -> None:
        self._finish()
        self._until()
        self._swap()
        self._swapped_s = self._clock()

    def wait_for_refresh(self, wait: bool) -> None:
        """Make flips return when the new frame is shown, not when the driver has received it.

        Drivers queue swaps that wait for the display: the time stamp of a queued swap may be up
        to a refresh too early. If swaps don't wait, this only costs time.
        """
        self.handle.waitBlanking = wait

    def focus(self) -> None:
        """Ask the system for the keyboard's focus."""
        self.handle.winHandle.activate()

    def show_pointer(self, visible: bool) -> None:
        """Show or hide the system's pointer over the window."""
        self.handle.mouseVisible = visible

    def pixels(self) -> Any:
        """Return the drawn frame before its flip: uint8 (height, width, 3)."""
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
        If the screen is smaller, or the system opened a window of another size.
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
            pos=None,  # The middle: PsychoPy's rule.
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
    # PsychoPy keeps the times of its last thousand flips: until then each flip takes memory.
    handle._frameTimes = deque(maxlen=2)
    handle.mouseVisible = settings.decorated
    window.focus()
    for _ in range(WARM_UP_FLIPS):
        window.flip()
    return window


def require_room(size_px: SizePx, screen_px: SizePx) -> None:
    """Raise UserError if a window is larger than its screen, which would show only a part of it."""
    if size_px[0] > screen_px[0] or size_px[1] > screen_px[1]:
        raise UserError(
            f"--size {_spell(size_px)}: the screen has only {_spell(screen_px)} pixels; name a "
            "smaller size, or leave --size out for the whole screen"
        )


def screen_size() -> SizePx:
    """Return the first screen's width and height in pixels."""
    import pyglet

    screen = pyglet.canvas.get_display().get_default_screen()
    return screen.width, screen.height


def nominal_refresh_hz() -> float | None:
    """Return the refresh rate of the first screen's video mode, or None if it is unknown."""
    import pyglet

    try:
        rate = pyglet.canvas.get_display().get_default_screen().get_mode().rate
    except Exception:
        # No library documents which error it raises for a screen without a video mode.
        return None
    return float(rate) if rate else None


def has_window_manager() -> bool:
    """Return whether full-screen mode is available; it isn't on X11 without a window manager."""
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
    """Leave out PsychoPy's icon: pyglet reorders its pixels one by one, which takes 0.2 s."""
    import pyglet.window

    # The class depends on the platform.
    window_class: Any = pyglet.window.Window
    set_icon = window_class.set_icon
    window_class.set_icon = lambda window, *images: None
    try:
        yield
    finally:
        window_class.set_icon = set_icon


def _quieten_x() -> None:
    """Keep Xlib from printing that the display lacks extensions that the suite doesn't need."""
    if sys.platform == "linux":
        with suppress(OSError):
            ctypes.CDLL("libXext.so.6").XSetExtensionErrorHandler(_IGNORE)


def _spell(size_px: SizePx) -> str:
    return f"{size_px[0]}×{size_px[1]}"

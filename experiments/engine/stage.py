"""The stage: the only place that draws, flips, polls and tells the time.

For a click on a page, the window knows where it was, and the hardware's queue knows when
(`engine.window_events`). Without such a queue, a click gets the time at which it was seen; nothing
on a page is timed to a frame.

A photodiode watches the `Marker`, which is white exactly while the critical stimulus is on.
`raise_priority` and `held_garbage` keep other work of the processor from disturbing the timing.
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np

from experiments.engine.clock import StimulusClock, nap
from experiments.engine.display import require_display
from experiments.engine.focus import Focus
from experiments.engine.input import (
    Keyboard,
    MouseButtons,
    Press,
    ResponseDevice,
    open_keyboard,
    open_mouse,
)
from experiments.engine.pacing import Pacing, Refresh, choose_pacing, measure_refresh
from experiments.engine.picture import Cursor, Drawn, Layer, Layers, Picture, Pixels
from experiments.engine.triggers import Mark, TriggerLine, TriggerPlace, open_triggers
from experiments.engine.window import (
    Window,
    WindowSettings,
    import_psychopy,
    nominal_refresh_hz,
    open_window,
)
from experiments.engine.window_events import Happening, Joiner, Pointer
from stimuli.errors import UserError

Priority = Literal["realtime", "high", "normal"]

REALTIME_LEVEL = 1
NICE_STEP = -10
SIDE_PX = 64
WHITE, BLACK = 255, 0
NO_TRIGGERS = TriggerPlace("none")
BUTTON = "left"


def raise_priority() -> Priority:
    """Raise this process's priority as far as the system allows; return the priority reached."""
    return _raise_linux() if sys.platform == "linux" else _raise_elsewhere()


def _raise_linux() -> Priority:
    assert sys.platform == "linux"
    try:
        # Child processes and the graphics driver's worker threads keep normal scheduling.
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(REALTIME_LEVEL))
    except OSError:
        return _raise_nice()
    return "realtime"


def _raise_nice() -> Priority:
    assert sys.platform == "linux"
    try:
        os.nice(NICE_STEP)
    except OSError:
        return "normal"
    return "high"


def _raise_elsewhere() -> Priority:
    import psutil

    try:
        if sys.platform == "win32":
            psutil.Process().nice(psutil.HIGH_PRIORITY_CLASS)
        else:
            psutil.Process().nice(NICE_STEP)
    except psutil.AccessDenied:
        return "normal"
    return "high"


@contextmanager
def held_garbage() -> Iterator[None]:
    """Keep the garbage collector from running in the block; collect what there is beforehand."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Marker:
    """A 64 × 64 pixel patch in the top left corner of the screen."""

    def __init__(self, make: Callable[[Layers], Any]) -> None:
        self._on, self._off = (
            make([Layer(np.full((SIDE_PX, SIDE_PX, 3), code, np.uint8), 0, 0)])
            for code in (WHITE, BLACK)
        )

    def draw(self, critical: bool) -> None:
        """Draw the patch: white on a frame that shows the critical stimulus, else black."""
        (self._on if critical else self._off).draw()


class Clicks:
    """Listens to clicks of the left button in a window for as long as the window is open.

    Parameters
    ----------
    window
        The window that is clicked.
    mouse
        Gives the clicks' time stamps, if the stage itself doesn't listen to the mouse.
    """

    def __init__(self, window: Window, mouse: MouseButtons | None = None) -> None:
        self._pointer = Pointer(window, moves=False)
        self._mouse = mouse
        self._joiner = Joiner()

    def poll(self, presses: Iterable[Press] = ()) -> tuple[Press, ...]:
        """Return the clicks since the last poll, each with its position.

        Parameters
        ----------
        presses
            The mouse's presses since the last poll, if the stage listens to the mouse.
        """
        happenings = [
            Happening("down", BUTTON, None, "mouse", (event.x_px, event.y_px))
            for event in self._pointer.poll()
            if (event.kind, event.button) == ("down", BUTTON)
        ]
        of_mouse = () if self._mouse is None else self._mouse.poll()
        stamped = [press for press in (*presses, *of_mouse) if press.key == BUTTON]
        return tuple(
            Press(BUTTON, click.t_s, device="mouse", place_px=click.place_px)
            for click in self._joiner.join(happenings, stamped, time.perf_counter())
        )

    def forget(self) -> None:
        """Discard the clicks so far."""
        self.poll()
        self._joiner.clear()


@dataclass(slots=True)
class Overlay:
    """A picture drawn over all others, such as a sign that a key was registered; or None."""

    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A window with its pacing, keyboard and mouse, opened and checked.

    Attributes
    ----------
    others
        Mouse and response pad, if they are listened to.
    refresh
        The refresh as measured when the stage was opened.
    priority
        The priority that this process reached.
    focus
        Knows whether the window has the keyboard's focus.
    triggers
        The line that triggers are sent to.
    clicks
        Clicks on pages, if they are listened to.
    overlay
        The picture drawn over every other picture.
    """

    window: Window
    pacing: Pacing
    keyboard: Keyboard
    others: tuple[ResponseDevice, ...]
    marker: Marker | None
    refresh: Refresh
    priority: Priority
    focus: Focus
    triggers: TriggerLine = field(default_factory=TriggerLine)
    clicks: Clicks | None = None
    overlay: Overlay = field(default_factory=Overlay)

    @property
    def period_s(self) -> float:
        """Length of a refresh."""
        return self.pacing.period_s

    def frame(
        self, picture: Drawn | None, *, critical: bool = False, mark: Mark | None = None
    ) -> float:
        """Show a picture on the next refresh; return the flip's time, monotonic seconds.

        Parameters
        ----------
        picture
            What to show; None for the empty screen.
        critical
            Whether this frame shows the critical stimulus.
        mark
            The trigger to send right after the flip, if any.
        """
        self.draw(picture, critical=critical)
        flip_s = self.window.flip(self.pacing.wait)
        if mark is None:
            self.triggers.rest()
        else:
            self.triggers.send(mark)
        return flip_s

    def draw(self, picture: Drawn | None, *, critical: bool = False) -> None:
        """Draw a frame without showing it."""
        if picture is not None:
            picture.draw()
        if self.overlay.picture is not None:
            self.overlay.picture.draw()
        if self.marker is not None:
            self.marker.draw(critical)

    def now_s(self) -> float:
        """Return the time, monotonic seconds."""
        return time.perf_counter()

    def nap(self, duration_s: float) -> None:
        """Wait; nothing is timed to a frame meanwhile."""
        nap(duration_s)

    def pointer(self) -> Pointer:
        """Return what the window's pointer does from now on."""
        return Pointer(self.window)

    def cursor(self, pixels: Pixels) -> Cursor:
        """Return a small picture that moves with the pointer, from uint8 (height, width, 4)."""
        return Cursor(self.window, pixels)

    def picture(self, layers: Layers) -> Picture:
        """Return a picture that has already been drawn once, off screen.

        The first drawing of a texture may take tens of milliseconds.
        """
        picture = Picture(self.window, layers)
        picture.draw()
        self.window.finish()
        self.window.handle.clearBuffer()
        return picture

    def pixels_of(self, picture: Drawn | None) -> Pixels:
        """Return the pixels of a frame with this picture, read back from the card."""
        self.draw(picture)
        pixels = self.window.pixels()
        self.window.handle.clearBuffer()
        return pixels

    def presses(self) -> tuple[Press, ...]:
        """Return the presses for this window since the last call."""
        presses = self.keyboard.poll()
        if others := [press for device in self.others for press in device.poll()]:
            presses = tuple(sorted((*presses, *others), key=lambda press: press.t_s))
        # The window system is asked only if there is a press: asking takes microseconds.
        return self.focus.for_window(presses) if presses else presses


@contextmanager
def open_stage(
    settings: WindowSettings,
    *,
    marker: bool = False,
    mouse: bool = False,
    clicks: bool = False,
    pad: ResponseDevice | None = None,
    triggers: TriggerPlace = NO_TRIGGERS,
) -> Iterator[Stage]:
    """Open a stage for the block; close it at the end.

    Parameters
    ----------
    settings
        How to open its window.
    marker
        Draw the photodiode's patch.
    mouse
        Listen to the mouse's buttons too.
    clicks
        Listen to clicks on pages; a PC without a mouse has none.
    pad
        A response pad that is open already.
    triggers
        Where to send triggers.

    Raises
    ------
    UserError
        If there is no display, the window has the wrong size, the keyboard or mouse wouldn't
        stamp presses when they happen, or the device for triggers doesn't exist.
    """
    require_display()
    import_psychopy()
    with open_triggers(triggers) as line:
        keyboard = open_keyboard()
        buttons = open_mouse(keyboard.clock) if mouse else None
        others = tuple(device for device in (buttons, pad) if device is not None)
        stamping = _mouse_at_hand(keyboard.clock) if clicks and not mouse else None
        with _opened(settings) as window:
            refresh = measure_refresh(window.flip)
            pacing = choose_pacing(
                refresh, nominal_refresh_hz(), software_renderer=window.software_renderer
            )
            window.wait_for_refresh(pacing.name == "vsync")
            patch = Marker(partial(Picture, window)) if marker else None
            heard = Clicks(window, stamping) if clicks else None
            # Objects that live as long as the session needn't be scanned between trials.
            gc.freeze()
            gc.enable()
            yield Stage(
                window, pacing, keyboard, others, patch, refresh, raise_priority(),
                Focus(window.handle.winHandle), line, heard,
            )  # fmt: skip


def _mouse_at_hand(clock: StimulusClock) -> MouseButtons | None:
    """Return the mouse's buttons; None on a PC without a mouse."""
    try:
        return open_mouse(clock)
    except UserError:
        return None


@contextmanager
def _opened(settings: WindowSettings) -> Iterator[Window]:
    window = open_window(settings, time.perf_counter)
    try:
        yield window
    finally:
        window.close()

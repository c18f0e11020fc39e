"""The stage: the only place that draws, flips and polls.

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
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from experiments.engine.clock import StimulusClock
from experiments.engine.display import require_display
from experiments.engine.focus import Focus
from experiments.engine.input import Keyboard, MouseButtons, Press, open_keyboard, open_mouse
from experiments.engine.pacing import (
    Pacing,
    Refresh,
    choose_pacing,
    measure_refresh,
)
from experiments.engine.picture import Drawn, Layer, Layers, Picture, Pixels
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
    """Raise this process's priority as far as the system lets it; return how far."""
    return _raise_linux() if sys.platform == "linux" else _raise_elsewhere()


def _raise_linux() -> Priority:
    assert sys.platform == "linux"
    try:
        # Children and the graphics driver's worker threads keep the normal schedule.
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
    """Keep the garbage collector from running inside; what was there is collected before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Marker:
    """A 64 × 64 pixel patch in the top left corner of the screen."""

    def __init__(self, window: Window) -> None:
        self._on, self._off = (
            Picture(window, [Layer(np.full((SIDE_PX, SIDE_PX, 3), code, np.uint8), 0, 0)])
            for code in (WHITE, BLACK)
        )

    def draw(self, critical: bool) -> None:
        """Draw the patch: white on a frame that shows the critical stimulus, else black."""
        (self._on if critical else self._off).draw()


class Clicks:
    """Listens to a window's clicks of the left button for as long as the window is open.

    Parameters
    ----------
    window
        Whose clicks.
    mouse
        Stamps them, where the stage's own presses hold none of the mouse's.
    """

    def __init__(self, window: Window, mouse: MouseButtons | None = None) -> None:
        self._pointer = Pointer(window, moves=False)
        self._mouse = mouse
        self._joiner = Joiner()

    def poll(self, presses: Iterable[Press] = ()) -> tuple[Press, ...]:
        """Return the clicks since the last poll, each with its place.

        Parameters
        ----------
        presses
            The mouse's since the last poll, where the stage listens to it.
        """
        happenings = [
            Happening("down", BUTTON, None, "mouse", (event.x_px, event.y_px))
            for event in self._pointer.poll()
            if (event.kind, event.button) == ("down", BUTTON)
        ]
        own = () if self._mouse is None else self._mouse.poll()
        stamped = [press for press in (*presses, *own) if press.key == BUTTON]
        return tuple(
            Press(BUTTON, click.t_s, device="mouse", place_px=click.place_px)
            for click in self._joiner.join(happenings, stamped, time.perf_counter())
        )

    def forget(self) -> None:
        """Let go of what was clicked so far."""
        self.poll()
        self._joiner.clear()


@dataclass(slots=True)
class Overlay:
    """A picture over all others, such as a sign that a key was heard; None for none."""

    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A window, what paces it, keyboard and mouse, opened and checked.

    Attributes
    ----------
    mouse
        Its buttons, where they are listened to.
    refresh
        The refresh as measured when the stage was opened.
    priority
        How far this process's priority could be raised.
    focus
        Whether what is typed goes to the window.
    triggers
        Where triggers go.
    clicks
        Clicks on pages, where they are listened to.
    overlay
        What is drawn over every picture.
    """

    window: Window
    pacing: Pacing
    keyboard: Keyboard
    mouse: MouseButtons | None
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
            What a trigger is to say right after the flip, if anything.
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

    def picture(self, layers: Layers) -> Picture:
        """Return a picture that was drawn once already, out of sight.

        The first drawing of a texture may take tens of milliseconds.
        """
        picture = Picture(self.window, layers)
        picture.draw()
        self.window.finish()
        self.window.handle.clearBuffer()
        return picture

    def pixels_of(self, picture: Drawn | None) -> Pixels:
        """Return what a frame with this picture looks like, read back from the card."""
        self.draw(picture)
        pixels = self.window.pixels()
        self.window.handle.clearBuffer()
        return pixels

    def presses(self) -> tuple[Press, ...]:
        """Return the presses since they were last asked for, those for other windows apart."""
        found = self.keyboard.poll()
        if self.mouse is not None:
            found = tuple(sorted((*found, *self.mouse.poll()), key=lambda press: press.t_s))
        # The window system is asked only where there is a press: that costs microseconds.
        return self.focus.own(found) if found else found


@contextmanager
def open_stage(
    settings: WindowSettings,
    *,
    marker: bool = False,
    mouse: bool = False,
    clicks: bool = False,
    triggers: TriggerPlace = NO_TRIGGERS,
) -> Iterator[Stage]:
    """Give an open stage; it is closed at the end.

    Parameters
    ----------
    settings
        How its window is opened.
    marker
        Draw the photodiode's patch.
    mouse
        Listen to the mouse's buttons too.
    clicks
        Listen to clicks on pages; a PC without a mouse has none.
    triggers
        Where triggers go.

    Raises
    ------
    UserError
        If there is no display, the window has the wrong size, keyboard or mouse would not
        stamp presses as they happen, or there is no such device for triggers.
    """
    require_display()
    import_psychopy()
    with open_triggers(triggers) as line:
        keyboard = open_keyboard()
        buttons = open_mouse(keyboard.clock) if mouse else None
        stamping = _mouse_at_hand(keyboard.clock) if clicks and not mouse else None
        with _opened(settings) as window:
            refresh = measure_refresh(window.flip)
            pacing = choose_pacing(
                refresh, nominal_refresh_hz(), software_renderer=window.software_renderer
            )
            window.wait_for_refresh(pacing.name == "vsync")
            patch = Marker(window) if marker else None
            heard = Clicks(window, stamping) if clicks else None
            # What lives as long as the session needs no looking at between trials.
            gc.freeze()
            gc.enable()
            yield Stage(
                window, pacing, keyboard, buttons, patch, refresh, raise_priority(),
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

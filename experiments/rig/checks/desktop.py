"""Checks of the desktop: what delays frames or changes their pixels between window and eye.

Only `x_desktop` asks an X server about the desktop and its monitors.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from experiments.rig.checks.finding import Check, Finding

COMPOSITOR: Final = "_NET_WM_CM_S0"
MANAGER: Final = "_NET_SUPPORTING_WM_CHECK"
MANAGER_NAME: Final = "_NET_WM_NAME"
# RandR's rotations by a quarter and three quarters of a turn.
SIDEWAYS: Final = 2 | 8

SizePx = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Monitor:
    """A monitor of the desktop.

    Attributes
    ----------
    name
        xrandr's name of its output.
    shown_px
        Size of the part of the desktop that it shows.
    mode_px
        Size of the video mode; differs from `shown_px` if the picture is scaled.
    native_px
        The monitor's native resolution; None if it doesn't report it.
    ramp
        The graphics card's lookup table, float64 (3, N) from 0 to 1; None if there is none.
    """

    name: str
    shown_px: SizePx
    mode_px: SizePx
    native_px: SizePx | None
    ramp: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Desktop:
    """The window manager, the compositor and the monitors.

    Attributes
    ----------
    composited
        Whether a compositor redraws all windows.
    manager
        Name of the window manager; empty without a window manager.
    monitors
        The monitors that are switched on.
    """

    composited: bool
    manager: str
    monitors: tuple[Monitor, ...]


def x_desktop() -> Desktop:
    """Return the desktop that the X server at DISPLAY reports."""
    from Xlib import display, error

    screen = display.Display()
    try:
        owner = screen.get_selection_owner(screen.intern_atom(COMPOSITOR))
        manager = _manager(screen)
        try:
            monitors = _monitors(screen)
        except error.XError:
            # Old servers lack some of RandR's requests; no session depends on their answers.
            monitors = ()
        return Desktop(bool(owner), manager, monitors)
    finally:
        screen.close()


def _manager(screen: Any) -> str:
    from Xlib import X, error

    root = screen.screen().root
    reply = root.get_full_property(screen.intern_atom(MANAGER), X.AnyPropertyType)
    if reply is None:
        return ""
    try:
        window = screen.create_resource_object("window", int(reply.value[0]))
        name = window.get_full_property(screen.intern_atom(MANAGER_NAME), X.AnyPropertyType)
    except error.XError:
        return "unnamed"
    return "unnamed" if name is None else bytes(name.value).decode("utf-8", "replace")


def _monitors(screen: Any) -> tuple[Monitor, ...]:
    if not screen.has_extension("RANDR"):
        return ()
    root = screen.screen().root
    resources = root.xrandr_get_screen_resources_current()
    sizes = {mode.id: (mode.width, mode.height) for mode in resources.modes}
    stamp = resources.config_timestamp
    return tuple(
        _monitor(screen, output, sizes, stamp)
        for number in resources.outputs
        if (output := screen.xrandr_get_output_info(number, stamp)).crtc
    )


def _monitor(screen: Any, output: Any, sizes: dict[int, SizePx], stamp: int) -> Monitor:
    driven = screen.xrandr_get_crtc_info(output.crtc, stamp)
    turn: Callable[[SizePx], SizePx] = (
        (lambda size: (size[1], size[0])) if driven.rotation & SIDEWAYS else (lambda size: size)
    )
    shown_px = (driven.width, driven.height)
    native_px = turn(sizes[output.modes[0]]) if output.num_preferred else None
    mode = turn(sizes[driven.mode]) if driven.mode in sizes else shown_px
    return Monitor(output.name, shown_px, mode, native_px, _ramp(screen, output.crtc))


def _ramp(screen: Any, crtc: int) -> NDArray[np.float64] | None:
    if screen.xrandr_get_crtc_gamma_size(crtc).size < 2:
        return None
    gamma = screen.xrandr_get_crtc_gamma(crtc)
    guns = np.array([gamma.red, gamma.green, gamma.blue], dtype=np.float64)
    # A table of zeros, which would show only black, was never filled in.
    return guns / 65535 if guns.any() else None


LEAST_LINES: Final = 720
# A table of 8-bit steps is straight to within half a step.
STRAIGHT: Final = 1 / 255

SESSION_TYPE = Check(
    "session type",
    "what kind of desktop shows the window",
    warns="Wayland or macOS, which delay frames",
    every_session=True,
)
SCALING = Check(
    "scaling",
    "a pixel of a plate is a pixel of the display",
    warns="the display is scaled",
    every_session=True,
)
RESOLUTION = Check(
    "resolution",
    "size of the picture",
    warns=f"under {LEAST_LINES} lines, not the monitor's own, or not the whole screen",
    every_session=True,
)
COMPOSITING = Check(
    "compositing",
    "nothing redraws the window before it is shown (X11)",
    warns="a compositor runs",
    every_session=True,
)
COVERS = Check(
    "covers",
    "a window that lies over the session's without taking the focus is noticed",
    warns="the system doesn't report such windows: Windows, macOS, or a compositor",
)
LOOKUP_TABLE = Check(
    "lookup table",
    "the graphics card passes colours on unchanged",
    warns="it doesn't: night light, a loaded profile",
    every_session=True,
)

RAMP_ENTRIES: Final = 256


def desktop_here() -> Desktop | None:
    """Return the desktop that X reports; None without X."""
    return x_desktop() if sys.platform == "linux" and os.environ.get("DISPLAY") else None


def session_type(
    environment: Mapping[str, str] | None = None,
    system: str = sys.platform,
    *,
    virtual: bool = False,
) -> Finding:
    """Check what kind of desktop shows the window.

    Parameters
    ----------
    environment
        Environment variables; this process's by default.
    system
        A value of `sys.platform`.
    virtual
        Whether the display is a virtual one that the suite started.
    """
    variables = os.environ if environment is None else environment
    if virtual:
        return SESSION_TYPE.passed("virtual")
    if system == "darwin":
        return SESSION_TYPE.warned("macos", "do_macos")
    if system != "linux":
        return SESSION_TYPE.passed("windows")
    if variables.get("XDG_SESSION_TYPE") == "wayland" or variables.get("WAYLAND_DISPLAY"):
        return SESSION_TYPE.warned("wayland", "do_wayland")
    return SESSION_TYPE.passed("x11")


def scaling(
    desktop: Desktop | None = None, percent: float | None = None, system: str = sys.platform
) -> Finding:
    """Check that the display isn't scaled.

    Parameters
    ----------
    desktop
        The desktop that X reports, on Linux.
    percent
        The scaling on Windows; the system's by default.
    system
        A value of `sys.platform`.
    """
    if system == "win32":
        scale = scale_percent() if percent is None else percent
        written = f"{scale:g}"
        if scale == 100:
            return SCALING.passed("percent", percent=written)
        return SCALING.warned("percent", "do_windows", percent=written)
    monitors = () if desktop is None else desktop.monitors
    scaled = [monitor for monitor in monitors if monitor.shown_px != monitor.mode_px]
    if scaled:
        first = scaled[0]
        size, mode = _spell(first.shown_px), _spell(first.mode_px)
        return SCALING.warned("scaled", "do_linux", monitor=first.name, shown=size, mode=mode)
    return SCALING.passed("unscaled" if monitors else "unknown")


def resolution(
    size_px: SizePx, desktop: Desktop | None = None, screen_px: SizePx | None = None
) -> Finding:
    """Check the picture's size, and that nothing else is visible beside it.

    Parameters
    ----------
    size_px
        Width and height of the framebuffer.
    desktop
        The monitors that X reports.
    screen_px
        Width and height of the screen; None if unknown.
    """
    size = _spell(size_px)
    if screen_px not in (None, size_px):
        return RESOLUTION.warned("part", "do_part", size=size, screen=_spell(screen_px))
    if size_px[1] < LEAST_LINES:
        return RESOLUTION.warned("size", "do_size", size=size, lines=str(LEAST_LINES))
    for monitor in () if desktop is None else desktop.monitors:
        if monitor.native_px is not None and monitor.mode_px != monitor.native_px:
            values = {"monitor": monitor.name, "own": _spell(monitor.native_px)}
            return RESOLUTION.warned("blurred", "do_blurred", size=size, **values)
    return RESOLUTION.passed("size", size=size)


def compositing(desktop: Desktop | None) -> Finding | None:
    """Check that no compositor runs; None without X."""
    if desktop is None:
        return None
    manager = desktop.manager or [("no_manager", {})]
    if desktop.composited:
        return COMPOSITING.warned("on", manager=manager)
    return COMPOSITING.passed("off", manager=manager)


def covers(desktop: Desktop | None) -> Finding:
    """Check that the system reports windows that cover ours, such as notifications."""
    if desktop is None or desktop.composited:
        return COVERS.warned("unnoticed")
    return COVERS.passed("noticed")


def lookup(desktop: Desktop | None, system: str = sys.platform) -> Finding | None:
    """Check that the graphics card's lookup tables are straight; None if none is known."""
    if system == "win32":
        tables = [lookup_table()]
    else:
        tables = [monitor.ramp for monitor in (() if desktop is None else desktop.monitors)]
    ramps = [table for table in tables if table is not None]
    if not ramps:
        return None
    bent = max(bend(ramp) for ramp in ramps)
    if bent <= STRAIGHT:
        return LOOKUP_TABLE.passed("straight")
    return LOOKUP_TABLE.warned("bent", percent=f"{100 * bent:.0f}")


def bend(ramp: NDArray[np.float64]) -> float:
    """Return the largest deviation of a lookup table (3, N) from a straight one, 0 to 1."""
    straight = np.linspace(0, 1, ramp.shape[1])
    return float(np.abs(ramp - straight).max())


def _spell(size_px: SizePx) -> str:
    return f"{size_px[0]} × {size_px[1]}"


def scale_percent() -> float:
    """Return the scaling of the first monitor in per cent."""
    assert sys.platform == "win32"
    shcore = ctypes.WinDLL("shcore")
    return float(shcore.GetScaleFactorForDevice(0))


def lookup_table() -> NDArray[np.float64] | None:
    """Return the first monitor's lookup table, (3, 256) from 0 to 1; None if unknown."""
    assert sys.platform == "win32"
    user32, gdi32 = ctypes.WinDLL("user32"), ctypes.WinDLL("gdi32")
    user32.GetDC.restype = ctypes.c_void_p
    context = ctypes.c_void_p(user32.GetDC(None))
    ramp = (ctypes.c_uint16 * (3 * RAMP_ENTRIES))()
    try:
        if not gdi32.GetDeviceGammaRamp(context, ctypes.byref(ramp)):
            return None
    finally:
        user32.ReleaseDC(None, context)
    return np.array(ramp, dtype=np.float64).reshape(3, RAMP_ENTRIES) / 65535

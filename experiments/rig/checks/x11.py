"""What an X server tells of the desktop and its monitors; the only place that asks it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
        Of its output, as xrandr names it.
    shown_px
        Part of the desktop that it shows.
    mode_px
        Pixels that it is sent; another size than `shown_px` where the picture is scaled.
    own_px
        Its own resolution; None where it doesn't tell.
    ramp
        The graphics card's lookup table, float64 (3, N) from 0 to 1; None where there is none.
    """

    name: str
    shown_px: SizePx
    mode_px: SizePx
    own_px: SizePx | None
    ramp: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Desktop:
    """What stands between a window and the monitors.

    Attributes
    ----------
    composited
        Whether a compositor redraws all windows.
    manager
        Name of the window manager; empty without one.
    monitors
        Those that are on.
    """

    composited: bool
    manager: str
    monitors: tuple[Monitor, ...]


def x_desktop() -> Desktop:
    """Return what the X server behind DISPLAY tells."""
    from Xlib import display, error

    screen = display.Display()
    try:
        owner = screen.get_selection_owner(screen.intern_atom(COMPOSITOR))
        manager = _manager(screen)
        try:
            monitors = _monitors(screen)
        except error.XError:
            # Old servers lack some of RandR's requests; no session hangs on what they would tell.
            monitors = ()
        return Desktop(bool(owner), manager, monitors)
    finally:
        screen.close()


def _manager(screen: Any) -> str:
    from Xlib import X, error

    root = screen.screen().root
    found = root.get_full_property(screen.intern_atom(MANAGER), X.AnyPropertyType)
    if found is None:
        return ""
    try:
        window = screen.create_resource_object("window", int(found.value[0]))
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
    shown = (driven.width, driven.height)
    own = turn(sizes[output.modes[0]]) if output.num_preferred else None
    mode = turn(sizes[driven.mode]) if driven.mode in sizes else shown
    return Monitor(output.name, shown, mode, own, _ramp(screen, output.crtc))


def _ramp(screen: Any, crtc: int) -> NDArray[np.float64] | None:
    if screen.xrandr_get_crtc_gamma_size(crtc).size < 2:
        return None
    gamma = screen.xrandr_get_crtc_gamma(crtc)
    guns = np.array([gamma.red, gamma.green, gamma.blue], dtype=np.float64)
    # A table that would show nothing but black was never filled in.
    return guns / 65535 if guns.any() else None

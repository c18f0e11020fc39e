"""Whether there is a display on which a window could open: asked before anything long begins."""

import ctypes
import os
import sys
from typing import Final

from stimuli.errors import UserError

UOI_FLAGS: Final = 1
WSF_VISIBLE: Final = 1
MAC_SERVICES: Final = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"


class _StationFlags(ctypes.Structure):
    """USEROBJECTFLAGS of the Windows API."""

    _fields_ = (
        ("inherit", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("flags", ctypes.c_uint32),
    )


def missing_display() -> str | None:
    """Say what is wrong with the display that this process would use; None if it answers."""
    if sys.platform == "linux":
        if not os.environ.get("DISPLAY"):
            return "there is no display (DISPLAY is not set)"
        if not _x_answers():
            return f"the display DISPLAY={os.environ['DISPLAY']} doesn't answer"
    elif sys.platform == "win32" and not _windows_station_is_visible():
        return "there is no desktop (a service or a remote shell has none)"
    elif sys.platform == "darwin" and not _mac_session_has_screen():
        return "there is no desktop (a remote shell has none)"
    return None


def require_display() -> None:
    """Raise UserError if there is no display that answers."""
    if (missing := missing_display()) is not None:
        virtual = ", or for a robot give --display virtual" if sys.platform == "linux" else ""
        raise UserError(f"window: {missing}; start this at the lab PC's own screen{virtual}")


def _x_answers() -> bool:
    from Xlib import display, error

    try:
        display.Display().close()
    except (error.DisplayError, error.XError, OSError):
        return False
    return True


def _windows_station_is_visible() -> bool:
    """Ask the process's window station; where it can't be asked, let the window try."""
    assert sys.platform == "win32"
    user32 = ctypes.WinDLL("user32")
    user32.GetProcessWindowStation.restype = ctypes.c_void_p
    station, needed = ctypes.c_void_p(user32.GetProcessWindowStation()), ctypes.c_uint32()
    flags = _StationFlags()
    answered = user32.GetUserObjectInformationW(
        station, UOI_FLAGS, ctypes.byref(flags), ctypes.sizeof(flags), ctypes.byref(needed)
    )
    return not answered or bool(flags.flags & WSF_VISIBLE)


def _mac_session_has_screen() -> bool:
    """Ask the window server, which knows no session of a remote shell."""
    services = ctypes.CDLL(MAC_SERVICES)
    services.CGSessionCopyCurrentDictionary.restype = ctypes.c_void_p
    return bool(services.CGSessionCopyCurrentDictionary())

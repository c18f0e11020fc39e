"""What Windows tells of scaling and of the graphics card's lookup table."""

import ctypes
import sys
from typing import Final

import numpy as np
from numpy.typing import NDArray

RAMP_ENTRIES: Final = 256


def scale_percent() -> float:
    """Return the scaling of the first monitor in per cent."""
    assert sys.platform == "win32"
    shcore = ctypes.WinDLL("shcore")
    return float(shcore.GetScaleFactorForDevice(0))


def lookup_table() -> NDArray[np.float64] | None:
    """Return the first monitor's lookup table, (3, 256) from 0 to 1; None if it isn't told."""
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

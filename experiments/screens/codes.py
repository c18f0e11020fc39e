"""Codes of pictures made for sRGB displays, on the display that there is."""

from experiments.engine.picture import Pixels
from stimuli.colour.display import DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import srgb_decode


def display_codes(codes: Pixels, display: DisplayProfile) -> Pixels:
    """Return a display's codes for sRGB codes; the same on a display taken for sRGB.

    Parameters
    ----------
    codes
        uint8 (height, width, 3).
    display
        Whose codes are wanted.
    """
    if not display.calibrated:
        return codes
    linear = srgb_decode(codes.reshape(-1, 3) / 255)
    return lms_to_rgb8(linear_to_lms(linear), display).reshape(codes.shape)

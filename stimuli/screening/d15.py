"""The Farnsworth D-15: the colours of its caps, and the score of an order of caps.

References
----------
Farnsworth (1947). The Farnsworth Dichotomous Test for Color Blindness, Panel D-15: Manual.
Vingrys & King-Smith (1988). A quantitative scoring technique for panel tests of color vision.
Investigative Ophthalmology & Visual Science 29, 50–63.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.display import SRGB, DisplayProfile, lms_to_rgb8
from stimuli.colour.spaces import Floats, xyy_to_xyz, xyz_to_lms, xyz_to_uv

CAPS: Final = 15
"""Caps that are arranged; cap 0, the pilot, is fixed at the beginning."""

CAPS_UV: Final[Floats] = np.array(
    [
        (-21.54, -38.39),
        (-23.26, -25.56),
        (-22.41, -15.53),
        (-23.11, -7.45),
        (-22.45, 1.10),
        (-21.67, 7.35),
        (-14.08, 18.74),
        (-2.72, 28.13),
        (14.84, 31.13),
        (23.87, 26.35),
        (31.82, 14.76),
        (31.42, 6.99),
        (29.79, 0.10),
        (26.64, -9.38),
        (22.92, -18.65),
        (11.20, -24.61),
    ]
)
"""u*, v* (CIE 1976) of the pilot and caps 1 to 15 in illuminant C (Vingrys & King-Smith 1988)."""
CAPS_UV.setflags(write=False)

LIGHTNESS: Final = 51.6
"""L* of all caps: Munsell value 5."""
PERFECT_MAJOR_RADIUS: Final = 9.234669
"""Major radius of the perfect order (Vingrys & King-Smith 1988); the C-index is the ratio to it."""


@dataclass(frozen=True, slots=True)
class D15Score:
    """Moments of inertia of an order's colour difference vectors.

    Attributes
    ----------
    angle_deg
        Confusion angle, −90…90: about 3…17 protan, −11…−4 deutan, −90…−70 tritan.
    major_radius, minor_radius
        Root mean squared lengths along and across the confusion angle.
    total_error
        Root of the sum of their squares, TES.
    selectivity_index
        Major ÷ minor: 2 or more is selective, as in a colour-vision deficiency.
    confusion_index
        Major radius ÷ that of the perfect order; beyond 1.78 is abnormal.
    """

    angle_deg: float
    major_radius: float
    minor_radius: float
    total_error: float
    selectivity_index: float
    confusion_index: float


def score(order: Sequence[int]) -> D15Score:
    """Return the score of an order of the caps 1…15, without the pilot before them.

    Raises
    ------
    ValueError
        If the order isn't one of the caps 1 to 15.

    Notes
    -----
    Vingrys & King-Smith 1988. Their program takes 57.3° for a radian, so that it prints
    61.98° for the perfect order, whose angle is 61.97°.
    """
    if sorted(order) != list(range(1, CAPS + 1)):
        raise ValueError(f"order {list(order)} must hold each cap from 1 to {CAPS} once")
    u, v = np.diff(CAPS_UV[[0, *order]], axis=0).T
    squares_u, squares_v, products = (u * u).sum(), (v * v).sum(), (u * v).sum()
    turned = float(np.arctan2(2 * products, squares_u - squares_v) / 2)
    # Moments about the two principal axes; the moment about the vectors' own axis is smaller.
    middle = (squares_u + squares_v) / 2
    half = float(np.hypot((squares_u - squares_v) / 2, products))
    major, minor = np.sqrt((middle + half) / CAPS), np.sqrt(max(middle - half, 0.0) / CAPS)
    return D15Score(
        angle_deg=float(np.degrees(turned)),
        major_radius=float(major),
        minor_radius=float(minor),
        total_error=float(np.hypot(major, minor)),
        selectivity_index=float(major / minor) if minor else float("inf"),
        confusion_index=float(major / PERFECT_MAJOR_RADIUS),
    )


def caps_lms(display: DisplayProfile = SRGB) -> Floats:
    """Return the cone excitations of pilot and caps, (16, 3), white's L + M = 1.

    The display's white takes the place of illuminant C, so that the caps differ from white
    as they do under their own light.
    """
    white_uv = xyz_to_uv(xyy_to_xyz([*display.white_xy, 1.0]))
    u, v = (CAPS_UV / (13 * LIGHTNESS) + white_uv).T
    # CIE 15:2004, equations 8.2 and 8.26: u′v′ to xy, L* to Y.
    scale = 6 * u - 16 * v + 12
    luminance = np.full(len(u), ((LIGHTNESS + 16) / 116) ** 3)
    return xyz_to_lms(xyy_to_xyz(np.stack([9 * u / scale, 4 * v / scale, luminance], axis=1)))


def caps_rgb8(display: DisplayProfile = SRGB) -> NDArray[np.uint8]:
    """Return the 8-bit codes of pilot and caps on a display, (16, 3)."""
    return lms_to_rgb8(caps_lms(display), display)

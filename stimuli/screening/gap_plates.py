"""Plates with a C whose gap points right, up, left or down.

The figure of the Cambridge Colour Test: a Landolt C that differs from its ground in
chromaticity alone, among dots of random size and luminance.

References
----------
Regan, Reffin & Mollon (1994). Luminance noise and the rapid determination of discrimination
ellipses in colour deficiency. Vision Research 34, 1279–1299.
Mollon & Regan (2000). Cambridge Colour Test: Handbook. Cambridge Research Systems.
"""

from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spaces import AXES, Axis
from stimuli.plates.masks import MASK_PX, Mask, figure_dots
from stimuli.plates.packing import Packing, pack_dots
from stimuli.plates.plate import Plate, dress, lit
from stimuli.plates.render import cover, recolour
from stimuli.plates.spec import PlateSpec, check_gamut, spec_for_axis, with_contrast

Gap = Literal["right", "up", "left", "down"]
GAPS: Final[tuple[Gap, ...]] = get_args(Gap)

OUTER_RADIUS: Final = 0.43
INNER_RADIUS: Final = 0.22
GAP_WIDTH: Final = 0.20
"""Sizes in plate radii. On a plate of 10° these are the 4.3°, 2.2° and 1.0° of the test, and the
gap holds about as many dots as the test's."""

UNIT: Final = 1e-4
"""Unit of excursions: 10⁻⁴ of u′v′, as in the test."""

SCREENING_SPEC: Final = spec_for_axis("tritan")
"""Grey, as in the test, for all three lines, so that a plate's look doesn't reveal its line."""


def landolt_c(gap: Gap | None, size_px: int = MASK_PX) -> Mask:
    """Return the mask of a C, bool (size_px, size_px); without a gap it is a ring."""
    at = (np.arange(size_px) + 0.5) / size_px * 2 - 1
    x, y = np.meshgrid(at, -at)
    radius = np.hypot(x, y)
    ring: Mask = (radius <= OUTER_RADIUS) & (radius >= INNER_RADIUS)
    if gap is None:
        return ring
    along, across = {"right": (x, y), "up": (y, x), "left": (-x, y), "down": (-y, x)}[gap]
    return ring & ~((along > 0) & (abs(across) < GAP_WIDTH / 2))


def gap_dots(packing: Packing) -> NDArray[np.bool_]:
    """Return which dots would be ground by each gap, bool (N, 4), in the order of `GAPS`."""
    ring = figure_dots(packing, landolt_c(None))
    return np.stack([ring & ~figure_dots(packing, landolt_c(gap)) for gap in GAPS], axis=1)


def neutral_gap_plate(gap: Gap, seed: int, spec: PlateSpec = SCREENING_SPEC) -> Plate:
    """Return a plate with a gap whose C doesn't yet differ in colour from its ground."""
    return dress(pack_dots(seed, spec), landolt_c(gap), seed, spec)


def gap_plate(
    axis: Axis, gap: Gap, excursion_1e4: float, seed: int, spec: PlateSpec = SCREENING_SPEC
) -> Plate:
    """Return a plate whose C lies on a confusion line, away from its ground.

    Parameters
    ----------
    axis
        Protan, deutan or tritan line.
    gap
        Where the gap points.
    excursion_1e4
        Distance in u′v′ between the C and its ground, in units of 10⁻⁴, ≥ 0.
    seed
        Of dots and noise.
    spec
        The look.

    Returns
    -------
    Plate
        Its colours are those to be shown: `picture` draws it.

    Raises
    ------
    UserError
        If there is no such colour.
    """
    plate = neutral_gap_plate(gap, seed, spec)
    lms = with_contrast(plate.lms, plate.figure, axis, excursion_1e4 * UNIT, spec)
    return Plate(plate.packing, plate.figure, lms)


def catch_plate(gap: Gap, seed: int, spec: PlateSpec = SCREENING_SPEC) -> Plate:
    """Return a plate whose C is lighter than its ground, so that anybody who looks sees its gap."""
    return lit(neutral_gap_plate(gap, seed, spec), spec)


def picture(
    plate: Plate, size_px: int, display: DisplayProfile = SRGB, spec: PlateSpec = SCREENING_SPEC
) -> NDArray[np.uint8]:
    """Return a gap plate's or catch plate's picture, uint8 (size_px, size_px, 3)."""
    return recolour(cover(plate.packing, size_px), plate.lms, display, spec)


def check_excursion(excursion_1e4: float, display: DisplayProfile) -> None:
    """Refuse an excursion that a display can't show on some line.

    Raises
    ------
    UserError
        With the largest contrast that fits.
    """
    for axis in AXES:
        check_gamut(axis, excursion_1e4 * UNIT, SCREENING_SPEC, display)

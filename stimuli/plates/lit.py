"""Plates that anyone can read: the figure is lighter than the ground, whatever the cones."""

import numpy as np

from stimuli.colour.spaces import Floats
from stimuli.plates.palette import base_lms
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec


def lit(plate: Plate, spec: PlateSpec = PlateSpec()) -> Plate:
    """Return the plate with its figure at the highest luminance level, its ground at the lowest.

    The dots keep their places and their chromaticities, so that colour contrast and gamut are
    what they were: every level fits the display (`stimuli.plates.palette.check_gamut`).
    """
    levels = np.array(spec.luminance_levels_cd_m2)
    low, high = sum(base_lms(spec)[:2]) * np.array([levels.min(), levels.max()]) / levels.mean()
    scale = np.where(plate.figure, high, low) / _luminance(plate)
    return Plate(plate.packing, plate.figure, (plate.lms * scale[:, None]).astype(np.float32))


def is_lit(plate: Plate) -> bool:
    """Return whether every dot of the figure is lighter than every dot of the ground."""
    if plate.figure.all() or not plate.figure.any():
        return False
    luminance = _luminance(plate)
    return bool(luminance[plate.figure].min() > luminance[~plate.figure].max())


def _luminance(plate: Plate) -> Floats:
    total: Floats = plate.lms[:, :2].sum(axis=1, dtype=np.float64)
    return total

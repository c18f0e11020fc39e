"""A plate as it is stored: dots, which of them are figure, and colours without contrast.

Anyone can read a lit plate, whatever their cones, because its figure is lighter than the ground.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.colour.spaces import Floats
from stimuli.errors import UserError
from stimuli.plates.masks import Mask, figure_dots
from stimuli.plates.packing import NOISE, Packing, generator, pack_dots
from stimuli.plates.spec import PlateSpec, base_lms, neutral_lms

FORMAT = "plainsight-plate-1"


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """One plate, to be shown on any axis at any contrast on any display.

    Parameters
    ----------
    packing
        The N dots.
    figure
        bool (N,): which dots lie on the digit.
    lms
        float32 (N, 3): cone excitations, white's L + M = 1, with luminance and S noise,
        without contrast.
    """

    packing: Packing
    figure: NDArray[np.bool_]
    lms: NDArray[np.float32]

    def __post_init__(self) -> None:
        count = len(self.packing)
        if self.figure.dtype != np.bool_ or self.figure.shape != (count,):
            raise ValueError(f"figure must be bool of shape ({count},)")
        if self.lms.dtype != np.float32 or self.lms.shape != (count, 3):
            raise ValueError(f"lms must be float32 of shape ({count}, 3)")
        self.figure.setflags(write=False)
        self.lms.setflags(write=False)


def make_plate(
    mask: Mask, plate_seed: int, packing_seed: int, spec: PlateSpec = PlateSpec()
) -> Plate:
    """Make the plate of a mask, with the packing of one seed and the noise of the other.

    The two seeds may be equal, since packing and noise use separate random streams.
    """
    return dress(pack_dots(packing_seed, spec), mask, plate_seed, spec)


def dress(packing: Packing, mask: Mask, plate_seed: int, spec: PlateSpec = PlateSpec()) -> Plate:
    """Make a plate from an existing packing, which several plates may share."""
    lms = neutral_lms(len(packing), generator(plate_seed, NOISE), spec)
    return Plate(packing, figure_dots(packing, mask), lms)


def plate_bytes(plate: Plate) -> bytes:
    """Return the plate as safetensors: equal plates give equal bytes."""
    tensors = {
        "x": plate.packing.x,
        "y": plate.packing.y,
        "radius": plate.packing.radius,
        "figure": plate.figure,
        "lms": plate.lms,
    }
    return save({k: np.ascontiguousarray(v) for k, v in tensors.items()}, {"format": FORMAT})


def plate_from_bytes(data: bytes) -> Plate:
    """Return the plate from bytes made by `plate_bytes`.

    Raises
    ------
    UserError
        If the bytes aren't a plate.
    """
    try:
        tensors = load(data)
        packing = Packing(tensors["x"], tensors["y"], tensors["radius"])
        return Plate(packing, tensors["figure"], tensors["lms"])
    except (SafetensorError, KeyError, ValueError) as fault:
        raise UserError(f"this is not a plate ({fault}); build the pack again") from None


def lit(plate: Plate, spec: PlateSpec = PlateSpec()) -> Plate:
    """Return the plate with its figure at the highest luminance level, its ground at the lowest.

    The dots keep their places and their chromaticities, so that colour contrast and gamut are
    what they were: every level fits the display (`stimuli.plates.spec.check_gamut`).
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

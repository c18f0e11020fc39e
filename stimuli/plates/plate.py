"""A plate as it is stored: dots, which of them are figure, and colours without contrast."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.plates.masks import Mask, figure_dots
from stimuli.plates.packing import Packing, pack_dots
from stimuli.plates.palette import neutral_lms
from stimuli.plates.random import NOISE, generator
from stimuli.plates.spec import PlateSpec

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
    """Make the plate of a mask: the packing of one seed, the noise of the other.

    The two seeds may be equal: packing and noise draw from streams of their own.
    """
    return dress(pack_dots(packing_seed, spec), mask, plate_seed, spec)


def dress(packing: Packing, mask: Mask, plate_seed: int, spec: PlateSpec = PlateSpec()) -> Plate:
    """Make a plate on a packing at hand, which several plates may share."""
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
    """Read what `plate_bytes` made.

    Raises
    ------
    UserError
        If it is no plate.
    """
    try:
        tensors = load(data)
        packing = Packing(tensors["x"], tensors["y"], tensors["radius"])
        return Plate(packing, tensors["figure"], tensors["lms"])
    except (SafetensorError, KeyError, ValueError) as fault:
        raise UserError(f"this is not a plate ({fault}); build the pack again") from None

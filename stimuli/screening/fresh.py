"""Plates for titration: digits that no pack of the protocol shows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stimuli.colour.cones import Axis
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec


@dataclass(frozen=True, slots=True)
class FreshPlates:
    """A supply of plates, each of which one person sees once.

    Attributes
    ----------
    spec
        Their look, as in the packs.
    ladders
        Contrast (Δu′v′) of each rung, lowest first, by axis.
    size_deg
        Diameter on the screen, degrees of visual angle.
    draw
        ``draw(number)`` returns the plate of that number, and its digit.
    """

    spec: PlateSpec
    ladders: Mapping[Axis, tuple[float, ...]]
    size_deg: float
    draw: Callable[[int], tuple[Plate, int]]

"""What was measured of a display."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from stimuli.colour.spectra import GunSpectra

Chromaticity = tuple[float, float]
Three = tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """The colours of one display.

    Attributes
    ----------
    name
        What the file calls the display.
    chromaticities
        CIE 1931 x, y at full of ``red``, ``green``, ``blue`` and ``white``; None where the
        spectra say it.
    gamma
        Exponents of the three guns; None for the sRGB curve.
    spectra
        Of the guns, where they were measured.
    measured_on
        The date, as far as the file says it.
    """

    name: str
    chromaticities: Mapping[str, Chromaticity] | None
    gamma: Three | None
    spectra: GunSpectra | None = None
    measured_on: date | None = None

"""What was measured of a display, and the exponents of its guns fitted to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from stimuli.colour.spaces import srgb_decode
from stimuli.colour.spectra import GunSpectra

Chromaticity = tuple[float, float]
Three = tuple[float, float, float]

EXPONENTS: Final = np.arange(1000, 4001) / 1000

LARGEST_MISFIT: Final = 0.03
"""As a share of full light; with a larger misfit a plate's colours would be wrong."""

IS_SRGB: Final = 0.004
"""A curve this close to the sRGB curve counts as sRGB: it is the size of an 8-bit step."""


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """The colours of one display.

    Attributes
    ----------
    name
        The display's name in the file.
    chromaticities
        CIE 1931 x, y of full ``red``, ``green``, ``blue`` and ``white``; None if the spectra
        give them.
    gamma
        Exponents of the three guns; None for the sRGB curve.
    spectra
        Spectra of the guns, if measured.
    measured_on
        The date, if the file has it.
    """

    name: str
    chromaticities: Mapping[str, Chromaticity] | None
    gamma: Three | None
    spectra: GunSpectra | None = None
    measured_on: date | None = None


def fitted_gamma(codes: ArrayLike, light: ArrayLike, gun: str) -> float:
    """Return the exponent of a gun: light = code ** exponent, by least squares of the light.

    Parameters
    ----------
    codes, light
        (n,): both as shares of the maximum, 0…1.
    gun
        The gun's name, for the error message.

    Raises
    ------
    ValueError
        If there are too few points between dark and full, or no exponent fits.
    """
    code, measured = np.asarray(codes, dtype=np.float64), np.asarray(light, dtype=np.float64)
    between = (code > 0) & (code < 1)
    if between.sum() < 3:
        raise ValueError(f"{gun}: needs at least three levels between dark and full")
    curves = code[between] ** EXPONENTS[:, None]
    best = int(np.argmin(((curves - measured[between]) ** 2).sum(axis=1)))
    misfit = float(np.abs(curves[best] - measured[between]).max())
    if misfit > LARGEST_MISFIT:
        raise ValueError(
            f"{gun}: the light follows no power of the level (it is {misfit:.0%} of full light "
            "away from the best one); reset the display's picture settings and measure again"
        )
    return float(EXPONENTS[best])


def is_srgb_curve(codes: ArrayLike, light: ArrayLike) -> bool:
    """Return whether light (n,) follows the sRGB curve of codes (n,), both 0…1."""
    expected = srgb_decode(np.asarray(codes, dtype=np.float64))
    return bool(np.abs(expected - np.asarray(light)).max() < IS_SRGB)

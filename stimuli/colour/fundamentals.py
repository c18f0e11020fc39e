"""Other people's cones, as published spectral sensitivities.

The suite reckons with one set of cones (`stimuli.colour.cones`), those of the CIE 1931
observer. An eye has its own: what lies on the suite's confusion line lies beside that
eye's, and some of the digit leaks. How much can only be asked of spectra, for colours that
are alike to one set of cones are not to another.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stimuli.colour.spaces import Floats
from stimuli.errors import UserError

NM = np.arange(390.0, 781.0, dtype=np.float64)
"""Wavelengths of all spectra here, nm."""

# Shares of the L and M fundamentals (peaks at 1) in the luminous efficiency that belongs to
# them: CIE 170-2:2015, tables of the 2° and the 10° observer.
_LUMINANCE_WEIGHTS = {2: (0.68990272, 0.34832189), 10: (0.69283932, 0.34967567)}


@dataclass(frozen=True, slots=True, eq=False)
class ConeFundamentals:
    """Sensitivities of L, M and S cones to light as it reaches the eye.

    Parameters
    ----------
    name
        Whose.
    sensitivity
        float64 (len(NM), 3), to energy; L + M is luminous efficiency.
    """

    name: str
    sensitivity: Floats


def stockman_sharpe(degrees: int) -> ConeFundamentals:
    """Return the cone fundamentals for a field of 2° or 10°.

    Raises
    ------
    ValueError
        If there are none for that field.
    UserError
        If colour-science, which carries the tables, is not installed.

    Notes
    -----
    Stockman & Sharpe (2000), Vision Research 40, 1711–1737; the standard of CIE 170-1:2006.
    """
    if degrees not in _LUMINANCE_WEIGHTS:
        raise ValueError(f"there are fundamentals for 2° and 10°, not for {degrees}°")
    values = table(f"Stockman & Sharpe {degrees} Degree Cone Fundamentals")
    weights = (*_LUMINANCE_WEIGHTS[degrees], 1.0)
    return ConeFundamentals(f"Stockman–Sharpe {degrees}°", values * weights)


def middle_cones() -> ConeFundamentals:
    """Return the means of the 2° and the 10° fundamentals.

    Notes
    -----
    A plate is some 5° to 10° wide and is looked at with the fovea and what surrounds it. The
    two sets differ mostly by macular pigment, which fades between them, and eyes differ in
    it as much (CIE 170-1:2006). Between the two the leak to either is least.

    Raises
    ------
    UserError
        If colour-science, which carries the tables, is not installed.
    """
    narrow, wide = stockman_sharpe(2), stockman_sharpe(10)
    return ConeFundamentals("middle", (narrow.sensitivity + wide.sensitivity) / 2)


def table(name: str) -> Floats:
    """Return one of colour-science's tables of three functions of wavelength, at `NM`."""
    return at_nm(colour_science().MSDS_CMFS[name])


def at_nm(distributions: Any) -> Floats:
    """Return distributions of colour-science at `NM`, one a column; dark beyond their ends."""
    columns = np.asarray(distributions.values).T
    return np.stack(
        [np.interp(NM, distributions.wavelengths, values, 0.0, 0.0) for values in columns], axis=1
    )


def colour_science() -> Any:
    """Return the library; UserError with the remedy where it isn't installed."""
    try:
        import colour
    except ImportError:
        raise UserError("cone tables need colour-science: pip install colour-science") from None
    return colour

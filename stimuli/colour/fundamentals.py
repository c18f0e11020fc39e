"""Other people's cones, and the light that displays send them.

The suite reckons with one set of cones (`stimuli.colour.cones`), those of the CIE 1931
observer. An eye has its own: what lies on the suite's confusion line lies beside that
eye's, and some of the digit leaks. How much can only be asked of spectra, for colours that
are alike to one set of cones are not to another.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stimuli.colour.display import DisplayProfile
from stimuli.colour.spaces import Floats, xyy_to_xyz
from stimuli.errors import UserError

NM = np.arange(390.0, 781.0)
"""Wavelengths of all spectra here, nm."""

WHITE_XY = (0.3127, 0.3290)

# Shares of the L and M fundamentals (peaks at 1) in the luminous efficiency that belongs to
# them: CIE 170-2:2015, tables of the 2° and the 10° observer.
_LUMINANCE_WEIGHTS = {2: (0.68990272, 0.34832189), 10: (0.69283932, 0.34967567)}
_PUBLISHED = {
    "CRT": "Typical CRT Brainard 1997",
    "CCFL LCD": "Apple Studio Display",
}


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


@dataclass(frozen=True, slots=True, eq=False)
class PrimarySpectra:
    """What the three guns of a display emit, at full, in ratios that give the white.

    Parameters
    ----------
    name
        Of the display.
    origin
        Where the spectra come from.
    power
        float64 (len(NM), 3), red, green, blue.
    """

    name: str
    origin: str
    power: Floats

    def xyz(self) -> Floats:
        """Return the CIE 1931 tristimulus values of the guns, (3, 3), one a column."""
        matching = _table("CIE 1931 2 Degree Standard Observer")
        values: Floats = matching.T @ self.power
        return values

    def profile(self, gamma: float = 2.2) -> DisplayProfile:
        """Return what a lab that measured these spectra would write down of the display."""
        xyz = self.xyz()
        red, green, blue = (tuple(map(float, c)) for c in (xyz / xyz.sum(axis=0))[:2].T)
        return DisplayProfile(self.name, red, green, blue, WHITE_XY, (gamma,) * 3, calibrated=True)


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
    values = _table(f"Stockman & Sharpe {degrees} Degree Cone Fundamentals")
    weights = (*_LUMINANCE_WEIGHTS[degrees], 1.0)
    return ConeFundamentals(f"Stockman–Sharpe {degrees}°", values * weights)


def display_spectra() -> tuple[PrimarySpectra, ...]:
    """Return the guns of four kinds of display, each balanced to D65.

    Raises
    ------
    UserError
        If colour-science, which carries the published ones, is not installed.

    Notes
    -----
    *CRT*: Brainard (1997), as in the Psychophysics Toolbox. *CCFL LCD*: Fairchild & Wyble
    (1998), Apple Studio Display. The two others are synthesised, as a stand-in for a lab's
    own measurement. *LED LCD*: a blue LED (450 nm, 20 nm wide at half height) and its
    yellow phosphor (555 nm, 120 nm, .55 of the blue's height) behind filters with logistic
    flanks. *OLED*: Gaussian emitters at 620, 525 and 460 nm, 35, 35 and 22 nm wide.
    """
    backlight = _peak(450, 20) + 0.55 * _peak(555, 120)
    filters = (
        _band(590, 900, 6) + 0.01,
        _band(495, 585, 12) + 0.01,
        _band(300, 500, 12) + 0.005,
    )
    led = np.stack([backlight * band for band in filters], axis=1)
    oled = np.stack([_peak(620, 35), _peak(525, 35), _peak(460, 22)], axis=1)
    return (
        _balanced("LED LCD", "synthesised", led),
        _balanced("OLED", "synthesised", oled),
        _balanced("CCFL LCD", "Fairchild & Wyble 1998", _published("CCFL LCD")),
        _balanced("CRT", "Brainard 1997", _published("CRT")),
    )


def linear_to_cones(spectra: PrimarySpectra, cones: ConeFundamentals) -> Floats:
    """Return the (3, 3) matrix from linear RGB (white 1, 1, 1) to these cones' L, M, S."""
    matrix: Floats = cones.sensitivity.T @ spectra.power
    return matrix / matrix[:2].sum()


def _balanced(name: str, origin: str, power: Floats) -> PrimarySpectra:
    xyz = PrimarySpectra(name, origin, power).xyz()
    gains = np.linalg.solve(xyz, xyy_to_xyz([*WHITE_XY, 1.0]))
    return PrimarySpectra(name, origin, power * gains)


def _peak(centre_nm: float, width_nm: float) -> Floats:
    """Return a Gaussian of height 1, as wide at half its height."""
    return np.exp(-4 * np.log(2) * ((NM - centre_nm) / width_nm) ** 2)


def _band(low_nm: float, high_nm: float, flank_nm: float) -> Floats:
    rise, fall = ((edge - NM) / flank_nm for edge in (low_nm, high_nm))
    return 1 / (1 + np.exp(rise)) / (1 + np.exp(-fall))


def _published(name: str) -> Floats:
    return _at_nm(_colour_science().MSDS_DISPLAY_PRIMARIES[_PUBLISHED[name]])


def _table(name: str) -> Floats:
    return _at_nm(_colour_science().MSDS_CMFS[name])


def _at_nm(distributions: Any) -> Floats:
    columns = np.asarray(distributions.values).T
    return np.stack(
        [np.interp(NM, distributions.wavelengths, values, 0.0, 0.0) for values in columns], axis=1
    )


def _colour_science() -> Any:
    try:
        import colour
    except ImportError:
        raise UserError("cone tables need colour-science: pip install colour-science") from None
    return colour

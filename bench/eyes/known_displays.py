"""Some kinds of display, by the spectra of their guns: what plates are tried on."""

from dataclasses import dataclass, replace

import numpy as np

from stimuli.colour.display import DisplayProfile
from stimuli.colour.spaces import Floats, xyy_to_xyz
from stimuli.colour.spectra import (
    NM,
    ConeFundamentals,
    GunSpectra,
    at_nm,
    colour_science,
    guns_lms,
    table,
)

WHITE_XY = (0.3127, 0.3290)
_PUBLISHED = {
    "CRT": "Typical CRT Brainard 1997",
    "CCFL LCD": "Apple Studio Display",
}


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
        matching = table("CIE 1931 2 Degree Standard Observer")
        values: Floats = matching.T @ self.power
        return values

    def by_chromaticities(self, gamma: float = 2.2) -> DisplayProfile:
        """Return what a lab with a colorimeter would write down of the display."""
        xyz = self.xyz()
        red, green, blue = (tuple(map(float, c)) for c in (xyz / xyz.sum(axis=0))[:2].T)
        return DisplayProfile(self.name, red, green, blue, WHITE_XY, (gamma,) * 3, calibrated=True)

    def profile(self, gamma: float = 2.2) -> DisplayProfile:
        """Return what a lab that measured these spectra would write down of the display."""
        cones = guns_lms(GunSpectra(NM, self.power), WHITE_XY)
        return replace(self.by_chromaticities(gamma), guns_lms=cones)


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
    return at_nm(colour_science().MSDS_DISPLAY_PRIMARIES[_PUBLISHED[name]])

"""From the colours that were meant to what an eye gets: 8 bits, a display, and its cones."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.eyes.known_displays import PrimarySpectra, linear_to_cones
from stimuli.colour.display import SRGB, DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import Floats, rgb_to_xyz_matrix, xyz_to_xy
from stimuli.colour.spectra import ConeFundamentals
from tests.stimuli.colour.decoding import decode8


@dataclass(frozen=True, slots=True, eq=False)
class Viewing:
    """Pixels made for one display, shown by another, seen by some cones.

    Parameters
    ----------
    name
        What is unusual about it.
    meant
        The display that the 8-bit codes were computed for.
    shown
        The display that turns the codes into light.
    light_to_cones
        float64 (3, 3): L, M, S of linear light of the display that shows.
    """

    name: str
    meant: DisplayProfile
    shown: DisplayProfile
    light_to_cones: Floats

    def cones(self, lms: NDArray[np.floating]) -> Floats:
        """Return what the eye's L, M, S (…, 3) get where ``lms`` (…, 3) was meant."""
        light = decode8(lms_to_rgb8(lms, self.meant), self.shown)
        return light @ self.light_to_cones.T


def on_display(shown: DisplayProfile, meant: DisplayProfile | None = None) -> Viewing:
    """Return a look at a display with the suite's own cones.

    Parameters
    ----------
    shown
        The display as it is.
    meant
        The display that it is taken for; as it is, if None.
    """
    return Viewing(shown.name, meant or shown, shown, linear_to_lms(np.eye(3), shown).T)


def with_cones(
    spectra: PrimarySpectra, cones: ConeFundamentals, *, by_spectra: bool = True
) -> Viewing:
    """Return a look with other cones at a display whose guns were measured rightly.

    Parameters
    ----------
    spectra
        Of the guns.
    cones
        Of the eye.
    by_spectra
        Whether the lab measured spectra, or chromaticities alone.
    """
    profile = spectra.profile() if by_spectra else spectra.by_chromaticities()
    known = "" if by_spectra else ", by chromaticities"
    name = f"{cones.name}, {spectra.name}{known}"
    return Viewing(name, profile, profile, linear_to_cones(spectra, cones))


AS_MEANT = on_display(SRGB)
"""The reference: an sRGB display, rightly known, and the suite's cones."""


def with_gun_gains(display: DisplayProfile, gains: ArrayLike, name: str) -> DisplayProfile:
    """Return a display whose guns give ``gains`` (3,) times the light of the one given.

    As every profile it is relative to its own white: what changes is the ratio of the guns.
    """
    primaries = [display.red_xy, display.green_xy, display.blue_xy]
    xyz = rgb_to_xyz_matrix(primaries, display.white_xy) @ np.asarray(gains, dtype=np.float64)
    x, y = xyz_to_xy(xyz).tolist()
    return replace(display, name=name, white_xy=(x, y))

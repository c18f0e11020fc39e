"""Displays whose guns were measured as spectra, and eyes whose cones are known as spectra.

The suite computes with one set of cones (`stimuli.colour.spaces`), those of the CIE 1931
observer. Every eye has its own: a colour on the suite's confusion line lies slightly off that
eye's line, and some of the digit leaks. Only spectra tell how much, since colours that look
alike to one set of cones differ for another.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stimuli.colour.spaces import XYZ_TO_LMS, Floats, xyy_to_xyz, xyz_to_xy
from stimuli.errors import UserError
from stimuli.io.given_files import read_text
from stimuli.io.inside import inside

COLUMNS = ("wavelength_nm", "red", "green", "blue")
BLUEST_NM, REDDEST_NM = 400.0, 700.0
"""A measurement must reach at least these wavelengths; beyond its ends it counts as dark."""
WIDEST_STEP_NM = 10.0
GunsLms = tuple[tuple[float, float, float], ...]
"""L, M and S (rows) that the three guns (columns) excite at full."""

GUNS = ("red_xy", "green_xy", "blue_xy")

NM = np.arange(390.0, 781.0, dtype=np.float64)
"""Wavelengths of all spectra here, nm."""

# Shares of the L and M fundamentals (peaks at 1) in the luminous efficiency that belongs to
# them: CIE 170-2:2015, tables of the 2° and the 10° observer.
_LUMINANCE_WEIGHTS = {2: (0.68990272, 0.34832189), 10: (0.69283932, 0.34967567)}


@dataclass(frozen=True, slots=True, eq=False)
class GunSpectra:
    """Radiance of the three guns at full, all in the same unit.

    Parameters
    ----------
    wavelength_nm
        float64 (n,), rising, at least 400 to 700 nm in steps of at most 10 nm.
    radiance
        float64 (n, 3), ≥ 0: red, green, blue.

    Raises
    ------
    ValueError
        If the measurement is too short, too coarse, negative, or a gun gives no light.
    """

    wavelength_nm: Floats
    radiance: Floats

    def __post_init__(self) -> None:
        nm, light = self.wavelength_nm, self.radiance
        if nm.ndim != 1 or light.shape != (len(nm), 3) or len(nm) < 2:
            raise ValueError("needs at least two wavelengths and three guns")
        if not (np.isfinite(nm).all() and np.isfinite(light).all()):
            raise ValueError("holds values that are no numbers")
        if not (np.diff(nm) > 0).all():
            raise ValueError("wavelength_nm must rise from row to row")
        if nm[0] > BLUEST_NM or nm[-1] < REDDEST_NM:
            raise ValueError(
                f"spans {nm[0]:g} to {nm[-1]:g} nm, must span {BLUEST_NM:g} to {REDDEST_NM:g} nm"
            )
        if np.diff(nm).max() > WIDEST_STEP_NM:
            raise ValueError(f"has a step of {np.diff(nm).max():g} nm, at most {WIDEST_STEP_NM:g}")
        if light.min() < 0:
            raise ValueError("holds negative light")
        if not light.max(axis=0).all():
            raise ValueError("has a gun without light")

    def at(self, nm: Floats) -> Floats:
        """Return the radiance (n, 3) at wavelengths (n,), interpolated; dark beyond the ends."""
        guns = self.radiance.T
        return np.stack([np.interp(nm, self.wavelength_nm, g, 0.0, 0.0) for g in guns], axis=1)


def read_spectra(path: Path) -> GunSpectra:
    """Read a CSV with the columns ``wavelength_nm, red, green, blue``.

    Raises
    ------
    UserError
        If it can't be read, lacks a column or isn't a valid measurement.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(read_text(path))))
    except csv.Error as fault:
        raise UserError(f"spectra {path}: can't be read ({fault})") from None
    lacking = [name for name in COLUMNS if not rows or rows[0].get(name) is None]
    if lacking:
        raise UserError(f"spectra {path}: lacks column {lacking[0]} (of {', '.join(COLUMNS)})")
    try:
        values = np.array([[float(row[name]) for name in COLUMNS] for row in rows])
        return GunSpectra(values[:, 0], values[:, 1:])
    except (TypeError, ValueError) as fault:
        raise UserError(f"spectra {path}: {fault}") from None


def guns_xyz(spectra: GunSpectra) -> Floats:
    """Return each gun's tristimulus values (3 guns, 3), in the spectra's unit.

    Notes
    -----
    CIE 1931 2° observer as colour-science has it, integrated at its 1 nm over the
    measurement, which is interpolated linearly.

    Raises
    ------
    UserError
        If colour-science is not installed.
    """
    try:
        from colour import MSDS_CMFS
    except ImportError:
        raise UserError(
            "a display's spectra need colour-science: pip install colour-science, "
            "or give the guns' chromaticities"
        ) from None
    observer = MSDS_CMFS["CIE 1931 2 Degree Standard Observer"]
    xyz: Floats = spectra.at(observer.wavelengths).T @ observer.values
    return xyz


def guns_lms(spectra: GunSpectra, white_xy: tuple[float, float]) -> GunsLms:
    """Return the L, M, S (rows) of the guns at full (columns), for cones of the middle.

    Parameters
    ----------
    spectra
        The guns' spectra, in any unit.
    white_xy
        Chromaticity of all three at full, to which the unit of each cone is set: white
        excites these cones as it does the suite's (`stimuli.colour.spaces`).

    Notes
    -----
    The cones are `stimuli.colour.spectra.middle_cones`. Chromaticities allow no better
    than the suite's own cones, whose confusion lines hide about half as well from an eye of a
    10° field.

    Raises
    ------
    UserError
        If colour-science is not installed.
    """
    excited = middle_cones().sensitivity.T @ spectra.at(NM)
    white = XYZ_TO_LMS @ xyy_to_xyz([*white_xy, 1.0])
    scaled = excited * (white / excited.sum(axis=1))[:, None]
    return tuple((float(red), float(green), float(blue)) for red, green, blue in scaled)


def with_chromaticities(record: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a display's record in which ``spectra`` has become chromaticities and cones.

    Parameters
    ----------
    record
        As read from a file; without the key ``spectra`` it stays as it is.
    folder
        The file's folder; the path of the spectra is relative to it.

    Raises
    ------
    UserError
        If the record also has chromaticities, or the spectra can't be read.
    """
    display = dict(record)
    if "spectra" not in display:
        return display
    file = display.pop("spectra")
    both = sorted({*GUNS, "white_xy", "guns_lms"} & set(display))
    if both:
        raise UserError(f"spectra {file!r} and {both[0]}: give the one or the other")
    if not isinstance(file, str) or not file:
        raise UserError(f"spectra {file!r} must be the name of a CSV file")
    spectra = read_spectra(inside(folder, file))
    guns = guns_xyz(spectra)
    for key, xyz in zip((*GUNS, "white_xy"), (*guns, guns.sum(axis=0)), strict=True):
        display[key] = tuple(float(value) for value in xyz_to_xy(xyz))
    return {**display, "guns_lms": guns_lms(spectra, display["white_xy"])}


@dataclass(frozen=True, slots=True, eq=False)
class ConeFundamentals:
    """Sensitivities of L, M and S cones to light as it reaches the eye.

    Parameters
    ----------
    name
        Name of the fundamentals.
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
    """Return distributions of colour-science at `NM`, one per column; dark beyond their ends."""
    columns = np.asarray(distributions.values).T
    return np.stack(
        [np.interp(NM, distributions.wavelengths, values, 0.0, 0.0) for values in columns], axis=1
    )


def colour_science() -> Any:
    """Return the library; UserError with the remedy if it isn't installed."""
    try:
        import colour
    except ImportError:
        raise UserError("cone tables need colour-science: pip install colour-science") from None
    return colour

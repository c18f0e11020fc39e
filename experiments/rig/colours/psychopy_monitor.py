"""A monitor file of PsychoPy (Monitor Center): spectra of the guns, and their gamma."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from experiments.rig.colours.measurement import Measurement, Three, fitted_gamma
from stimuli.colour.spectra import GunSpectra

GUNS: Final = ("red", "green", "blue")
ARRAY: Final = "__ndarray__"
"""Key of an array's numbers in PsychoPy's files."""
SIMPLE_GAMMA: Final = (None, 1)
"""PsychoPy's linearization methods in which a gun's gamma is a plain exponent."""


def read_psychopy_monitor(data: bytes, name: str) -> Measurement:
    """Return the newest calibration in the bytes of a monitor file.

    Raises
    ------
    ValueError
        If it isn't a monitor file, or its newest calibration has no spectra or no gamma.
    """
    calibration = _newest(data)
    return Measurement(
        name=name,
        chromaticities=None,
        gamma=_gamma(calibration),
        spectra=_spectra(calibration),
        measured_on=_day(calibration),
    )


def _newest(data: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no monitor file of PsychoPy ({error})") from None
    calibrations = list(document.values()) if isinstance(document, Mapping) else []
    if not calibrations or not all(
        isinstance(calibration, Mapping) for calibration in calibrations
    ):
        raise ValueError("is no monitor file of PsychoPy: it contains no calibration")
    return max(calibrations, key=_stamp)


def _stamp(calibration: Mapping[str, Any]) -> float:
    stamp = calibration.get("calibDate")
    return float(stamp) if isinstance(stamp, int | float) else 0.0


def _day(calibration: Mapping[str, Any]) -> date | None:
    stamp = _stamp(calibration)
    return datetime.fromtimestamp(stamp, UTC).date() if stamp > 0 else None


def _spectra(calibration: Mapping[str, Any]) -> GunSpectra:
    nm, guns = (_array(calibration, key) for key in ("spectraNM", "spectraRGB"))
    if nm is None or guns is None:
        raise ValueError(
            "holds no spectra of the guns, and PsychoPy keeps no chromaticities; measure these "
            "and give a photometer's table"
        )
    if guns.ndim != 2:
        raise ValueError("spectraRGB must have a row for each gun")
    return GunSpectra(nm.ravel(), guns.T if guns.shape[0] == len(GUNS) else guns)


def _gamma(calibration: Mapping[str, Any]) -> Three:
    """Return the exponents, fitted to the measured levels if there are any, else PsychoPy's."""
    levels, light = (_array(calibration, key) for key in ("levelsPre", "lumsPre"))
    if levels is not None and light is not None and light.shape == (4, levels.size):
        codes = levels.ravel() / levels.max()
        spans = light[1:, -1:] - light[1:, :1]
        if not (spans > 0).all():
            raise ValueError("lumsPre: a gun gives no more light at full than in the dark")
        shares = (light[1:] - light[1:, :1]) / spans
        red, green, blue = map(fitted_gamma, (codes,) * 3, shares, GUNS)
        return red, green, blue
    grid, way = _array(calibration, "gammaGrid"), calibration.get("linearizeMethod")
    if grid is None or grid.ndim != 2 or grid.shape[0] != 4 or grid.shape[1] < 3:
        raise ValueError("holds no gamma of the guns; measure it in PsychoPy's Monitor Center")
    if way not in SIMPLE_GAMMA:
        raise ValueError(
            f"its gamma is of linearizeMethod {way}, which is no plain exponent, and the measured "
            "levels aren't in it; measure again, or give a photometer's table"
        )
    red, green, blue = (float(exponent) for exponent in grid[1:, 2])
    return red, green, blue


def _array(calibration: Mapping[str, Any], key: str) -> NDArray[np.float64] | None:
    value = calibration.get(key)
    if isinstance(value, Mapping):
        value = value.get(ARRAY)
    if value is None:
        return None
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{key} must be numbers") from None
    return array if array.size else None

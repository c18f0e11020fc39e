"""What a display makes of colour: profiles, and pixels from cone excitations."""

import hashlib
import json
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stimuli.colour.spaces import XYZ_TO_LMS, Floats, rgb_to_xyz_matrix, srgb_encode
from stimuli.colour.spectra import GunsLms

CODE_STEPS = 65535
"""Linear light is cut into this many steps before it is encoded as 8 bits."""

SMALLEST_TRIANGLE = 1e-3
"""Twice the area in x, y that three guns must span; sRGB's span .22."""

Chromaticity = tuple[float, float]


@dataclass(frozen=True, slots=True)
class DisplayProfile:
    """One display, as measured or as assumed.

    Parameters
    ----------
    name
        What the lab calls it.
    red_xy, green_xy, blue_xy
        CIE 1931 chromaticities of the three guns at full.
    white_xy
        Chromaticity of all guns at full.
    gamma
        Exponent of each gun (light = code ** gamma), or None for the sRGB curve.
    calibrated
        True only where the figures were measured on this very display.
    guns_lms
        L, M, S (rows) of the guns at full (columns), where their spectra are known
        (`stimuli.colour.spectra.guns_lms`); else they follow from the chromaticities.

    Raises
    ------
    ValueError
        If a chromaticity or an exponent is impossible, or the guns span no triangle
        that holds the white.
    """

    name: str
    red_xy: Chromaticity
    green_xy: Chromaticity
    blue_xy: Chromaticity
    white_xy: Chromaticity
    gamma: tuple[float, float, float] | None = None
    calibrated: bool = False
    guns_lms: GunsLms | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise ValueError("name must be a text, and not empty")
        if not isinstance(self.calibrated, bool):
            raise ValueError(f"calibrated {self.calibrated!r} must be true or false")
        for field in ("red_xy", "green_xy", "blue_xy", "white_xy"):
            pair = _numbers(field, getattr(self, field))
            if len(pair) != 2 or not (0 <= pair[0] <= 1 and 0 < pair[1] <= 1 and sum(pair) <= 1):
                raise ValueError(f"{field} {pair} is no chromaticity (x ≥ 0, y > 0, x + y ≤ 1)")
            object.__setattr__(self, field, pair)
        if self.gamma is not None:
            guns = _numbers("gamma", self.gamma)
            if len(guns) != 3 or not all(1 <= value <= 4 for value in guns):
                raise ValueError(f"gamma {guns} must be three exponents of 1 to 4")
            object.__setattr__(self, "gamma", guns)
        if self.guns_lms is not None:
            object.__setattr__(self, "guns_lms", _three_by_three(self.guns_lms))
        _matrices(self)


def _numbers(field: str, values: Any) -> tuple[float, ...]:
    if not isinstance(values, list | tuple):
        raise ValueError(f"{field} {values!r} must be a list of numbers")
    try:
        return tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ValueError(f"{field} {values!r} must be a list of numbers") from None


def _three_by_three(rows: Any) -> GunsLms:
    if not isinstance(rows, list | tuple) or len(rows) != 3:
        raise ValueError("guns_lms must be three rows (L, M, S) of three numbers (guns)")
    cones = tuple(_numbers("guns_lms", row) for row in rows)
    if any(len(row) != 3 or min(row) < 0 for row in cones):
        raise ValueError("guns_lms must be three rows (L, M, S) of three numbers of 0 or more")
    if not abs(np.linalg.det(np.array(cones))) > 0:
        raise ValueError("guns_lms: the three guns excite the cones alike")
    return tuple((red, green, blue) for red, green, blue in cones)


@lru_cache(maxsize=64)
def _matrices(display: DisplayProfile) -> tuple[Floats, Floats]:
    primaries = np.array([display.red_xy, display.green_xy, display.blue_xy])
    if abs(np.linalg.det(primaries[1:] - primaries[0])) < SMALLEST_TRIANGLE:
        raise ValueError("the three guns lie on one line")
    to_xyz = rgb_to_xyz_matrix(primaries, display.white_xy)
    from_xyz = np.linalg.inv(to_xyz)
    if not np.all(to_xyz.sum(axis=0) > 0):
        raise ValueError(f"white {display.white_xy} lies outside the guns' triangle")
    if display.guns_lms is not None:
        to_lms = np.array(display.guns_lms)
        return to_lms, np.linalg.inv(to_lms)
    return XYZ_TO_LMS @ to_xyz, from_xyz @ np.linalg.inv(XYZ_TO_LMS)


SRGB = DisplayProfile(
    name="sRGB (assumed)",
    red_xy=(0.64, 0.33),
    green_xy=(0.30, 0.60),
    blue_xy=(0.15, 0.06),
    white_xy=(0.3127, 0.3290),
)
"""The reference display (IEC 61966-2-1), which is assumed for an unmeasured display."""


def linear_to_lms(linear: ArrayLike, display: DisplayProfile = SRGB) -> Floats:
    """Return cone excitations (…, 3) of linear RGB (…, 3, 0…1); white has L + M = 1."""
    return np.asarray(linear, dtype=np.float64) @ _matrices(display)[0].T


def lms_to_linear(lms: ArrayLike, display: DisplayProfile = SRGB) -> Floats:
    """Return linear RGB (…, 3) of cone excitations (…, 3); out of gamut beyond 0…1."""
    return np.asarray(lms, dtype=np.float64) @ _matrices(display)[1].T


@lru_cache(maxsize=64)
def code_table(display: DisplayProfile) -> NDArray[np.uint8]:
    """Return each gun's 8-bit code for every step of linear light, (3, CODE_STEPS + 1)."""
    linear = np.arange(CODE_STEPS + 1) / CODE_STEPS
    if display.gamma is None:
        guns = np.stack([srgb_encode(linear)] * 3)
    else:
        guns = np.stack([linear ** (1 / exponent) for exponent in display.gamma])
    table = np.floor(guns * 255 + 0.5).astype(np.uint8)
    table.setflags(write=False)
    return table


def encode8(linear: ArrayLike, display: DisplayProfile = SRGB) -> NDArray[np.uint8]:
    """Return the 8-bit codes (…, 3) that make the display show linear RGB (…, 3).

    Values outside 0…1 are clipped: whether colours fit is asked beforehand
    (`stimuli.plates.spec.check_gamut`).
    """
    step = np.multiply(linear, CODE_STEPS, dtype=np.float32)
    step += np.float32(0.5)
    np.maximum(step, 0, out=step)
    np.minimum(step, CODE_STEPS, out=step)
    index = step.astype(np.uint16)
    table = code_table(display)
    out = np.empty(index.shape, dtype=np.uint8)
    for gun in range(3):
        out[..., gun] = table[gun][index[..., gun]]
    return out


def lms_to_rgb8(lms: ArrayLike, display: DisplayProfile = SRGB) -> NDArray[np.uint8]:
    """Return the 8-bit codes (…, 3) for cone excitations (…, 3) on this display."""
    return encode8(lms_to_linear(lms, display), display)


def profile_hash(display: DisplayProfile) -> str:
    """Return the SHA-256 (hex) of the profile's canonical JSON."""
    text = json.dumps(_record(display), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _record(display: DisplayProfile) -> dict[str, Any]:
    record = {field.name: getattr(display, field.name) for field in fields(display)}
    # A profile of chromaticities has the same text and hash as before spectra were added.
    if record["guns_lms"] is None:
        del record["guns_lms"]
    return record

"""Colour spaces: sRGB, CIE XYZ, xyY, CIE 1976 u′v′, and cone excitations (L, M, S).

The cones are those of Smith and Pokorny. The three columns of ``LMS_TO_XYZ`` are the colours that
excite one cone alone, so they are the copunctal points of the three dichromacies. Colours that
differ only in one cone's excitation lie on a line through that cone's point, a confusion line. L +
M is the luminance Y (S adds nothing), and S equals Z. With these points the matrix is that of Smith
and Pokorny (1975, Vision Research 15, 161–171) as usually printed.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def srgb_decode(encoded: ArrayLike) -> Floats:
    """Return linear light (0…1) of sRGB values (0…1), IEC 61966-2-1, any shape."""
    v = np.asarray(encoded, dtype=np.float64)
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def srgb_encode(linear: ArrayLike) -> Floats:
    """Return sRGB values (0…1) of linear light (0…1), IEC 61966-2-1, any shape."""
    v = np.asarray(linear, dtype=np.float64)
    return np.where(v <= 0.0031308, v * 12.92, 1.055 * np.maximum(v, 0) ** (1 / 2.4) - 0.055)


def xyz_to_xy(xyz: ArrayLike) -> Floats:
    """Return the chromaticities (…, 2) of tristimulus values (…, 3)."""
    v = np.asarray(xyz, dtype=np.float64)
    return v[..., :2] / v.sum(axis=-1, keepdims=True)


def xyy_to_xyz(xyy: ArrayLike) -> Floats:
    """Return the tristimulus values (…, 3) of x, y, Y (…, 3)."""
    x, y, luminance = np.moveaxis(np.asarray(xyy, dtype=np.float64), -1, 0)
    scale = luminance / y
    return np.stack([x * scale, luminance, (1 - x - y) * scale], axis=-1)


def xyz_to_uv(xyz: ArrayLike) -> Floats:
    """Return u′, v′ (…, 2) of tristimulus values (…, 3), CIE 15:2004 section 8.1."""
    x, y, z = np.moveaxis(np.asarray(xyz, dtype=np.float64), -1, 0)
    return np.stack([4 * x, 9 * y], axis=-1) / (x + 15 * y + 3 * z)[..., None]


def rgb_to_xyz_matrix(primaries_xy: ArrayLike, white_xy: ArrayLike) -> Floats:
    """Return the (3, 3) matrix from linear RGB to XYZ, white at Y = 1.

    Parameters
    ----------
    primaries_xy
        Chromaticities of red, green and blue, (3, 2).
    white_xy
        Chromaticity of all three guns at full, (2,).

    Notes
    -----
    SMPTE RP 177-1993: the primaries' columns are scaled so that they add up to white.
    """
    primaries = np.asarray(primaries_xy, dtype=np.float64)
    columns = np.stack([xyy_to_xyz([x, y, 1.0]) for x, y in primaries], axis=1)
    white = xyy_to_xyz([*np.asarray(white_xy, dtype=np.float64), 1.0])
    return columns * np.linalg.solve(columns, white)


Axis = Literal["deutan", "protan", "tritan"]
AXES: tuple[Axis, ...] = get_args(Axis)


def axis_named(name: str) -> Axis:
    """Return the confusion axis of a name; ValueError if none has it."""
    for axis in AXES:
        if axis == name:
            return axis
    raise ValueError(f"{name!r} is no confusion axis: {', '.join(AXES)}")


COPUNCTAL_XY: dict[Axis, tuple[float, float]] = {
    "protan": (0.7465, 0.2535),
    "deutan": (1.4, -0.4),
    "tritan": (0.1748, 0.0),
}
CONE_INDEX: dict[Axis, int] = {"protan": 0, "deutan": 1, "tritan": 2}
"""Which column of an LMS array the dichromat of that axis lacks."""

_TRITAN_X, _TRITAN_Y = COPUNCTAL_XY["tritan"]
LMS_TO_XYZ: Floats = np.stack(
    [
        xyy_to_xyz([*COPUNCTAL_XY["protan"], 1.0]),
        xyy_to_xyz([*COPUNCTAL_XY["deutan"], 1.0]),
        np.array([_TRITAN_X, _TRITAN_Y, 1 - _TRITAN_X - _TRITAN_Y]) / (1 - _TRITAN_X - _TRITAN_Y),
    ],
    axis=1,
)
XYZ_TO_LMS: Floats = np.linalg.inv(LMS_TO_XYZ).astype(np.float64)
for _matrix in (LMS_TO_XYZ, XYZ_TO_LMS):
    _matrix.setflags(write=False)


def xyz_to_lms(xyz: ArrayLike) -> Floats:
    """Return the cone excitations (…, 3) of tristimulus values (…, 3); L + M = Y."""
    return np.asarray(xyz, dtype=np.float64) @ XYZ_TO_LMS.T


def lms_to_xyz(lms: ArrayLike) -> Floats:
    """Return the tristimulus values (…, 3) of cone excitations (…, 3)."""
    return np.asarray(lms, dtype=np.float64) @ LMS_TO_XYZ.T

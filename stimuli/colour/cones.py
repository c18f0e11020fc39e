"""Cone excitations (L, M, S) of the Smith and Pokorny kind.

The three columns of ``LMS_TO_XYZ`` are the colours that excite one cone alone, so they
are the copunctal points of the three dichromacies: whatever differs in one cone's
excitation only lies on a line through that cone's point, a confusion line. L + M is
luminance Y (S adds none), S equals Z. With these points the matrix is that of Smith and
Pokorny (1975, Vision Research 15, 161–171) as usually printed.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from stimuli.colour.spaces import Floats, xyy_to_xyz

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

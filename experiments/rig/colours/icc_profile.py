"""An ICC profile of a display: primaries and tone curves from its tags (ICC.1:2022).

Profiles hold the primaries as they are under D50, the white of the profile connection space. The
tag ``chad`` says how they were adapted; profiles without it were adapted from their white point
(``wtpt``) by the Bradford transform.
"""

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.rig.colours.measurement import Measurement, Three, fitted_gamma, is_srgb_curve
from stimuli.colour.spaces import xyz_to_xy

Floats = NDArray[np.float64]

HEADER_BYTES: Final = 128
GUNS: Final = {"red": "r", "green": "g", "blue": "b"}
D50: Final = np.array([0.9642, 1.0, 0.8249])
BRADFORD: Final = np.array(
    [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
)
"""Matrix to the cone-like space of Bradford's adaptation (Lam 1985; ICC.1:2022, annex E)."""
CODES: Final = np.arange(256) / 255
TERMS: Final = (1, 3, 4, 5, 7)
"""How many numbers a parametric curve has, by its type."""


def read_icc_profile(data: bytes, name: str) -> Measurement:
    """Return the measurement in the bytes of an ICC profile.

    The profile's date is the file's, not the measurement's, so no date is returned.

    Raises
    ------
    ValueError
        If it isn't the profile of an RGB display with primaries and tone curves, or no exponent
        fits.
    """
    tags = _tags(data)
    adapted = np.stack([_xyz(tags, f"{gun}XYZ") for gun in GUNS.values()], axis=1)
    native = np.linalg.solve(_adaptation(tags), adapted)
    columns = {gun: native[:, place] for place, gun in enumerate(GUNS)}
    columns["white"] = native.sum(axis=1)
    if any(xyz.sum() <= 0 for xyz in columns.values()):
        raise ValueError("holds a primary without light")
    return Measurement(
        name=name,
        chromaticities={
            gun: (round(float(x), 6), round(float(y), 6))
            for gun, (x, y) in ((gun, xyz_to_xy(xyz)) for gun, xyz in columns.items())
        },
        gamma=_gamma({gun: _curve(tags, f"{sign}TRC") for gun, sign in GUNS.items()}),
    )


def _tags(data: bytes) -> dict[str, bytes]:
    if len(data) < HEADER_BYTES + 4 or data[36:40] != b"acsp":
        raise ValueError("is no ICC profile")
    if (data[12:16], data[16:20]) != (b"mntr", b"RGB "):
        raise ValueError("is no profile of an RGB display")
    (count,) = struct.unpack_from(">I", data, HEADER_BYTES)
    tags = {}
    try:
        for place in range(count):
            at = HEADER_BYTES + 4 + 12 * place
            sign, offset, size = struct.unpack_from(">4sII", data, at)
            tags[sign.decode("latin-1")] = data[offset : offset + size]
    except struct.error:
        raise ValueError("is cut short") from None
    return tags


def _numbers(tags: dict[str, bytes], name: str, kind: bytes, count: int) -> Floats:
    """Return the first numbers of a tag (fixed point: 16 bits before and 16 after the point)."""
    tag = tags.get(name, b"")
    if not tag:
        raise ValueError(f"has no tag {name}; a profile with only tables can't be used")
    if tag[:4] != kind or len(tag) < 8 + 4 * count:
        raise ValueError(f"tag {name} is no {kind.decode().strip()}")
    return np.array(struct.unpack_from(f">{count}i", tag, 8)) / 65536


def _xyz(tags: dict[str, bytes], name: str) -> Floats:
    return _numbers(tags, name, b"XYZ ", 3)


def _adaptation(tags: dict[str, bytes]) -> Floats:
    """Return the matrix that adapted the display's colours to D50."""
    if "chad" in tags:
        matrix = _numbers(tags, "chad", b"sf32", 9).reshape(3, 3)
        if abs(np.linalg.det(matrix)) < 1e-6:
            raise ValueError("tag chad can't be inverted")
        return matrix
    white = _xyz(tags, "wtpt")
    if not (white > 0).all():
        raise ValueError("tag wtpt is no white")
    gains = (BRADFORD @ D50) / (BRADFORD @ (white / white[1]))
    return np.linalg.inv(BRADFORD) @ np.diag(gains) @ BRADFORD


def _curve(tags: dict[str, bytes], name: str) -> Floats:
    """Return the light (256,) of all codes under a tone curve."""
    tag = tags.get(name, b"")
    try:
        if tag[:4] == b"curv":
            return _sampled(tag)
        if tag[:4] == b"para":
            return _parametric(tag)
    except (struct.error, IndexError):
        raise ValueError(f"tag {name} is cut short") from None
    raise ValueError(f"has no tone curve {name}; a profile with only tables can't be used")


def _sampled(tag: bytes) -> Floats:
    (count,) = struct.unpack_from(">I", tag, 8)
    if count == 0:
        return CODES
    values = np.array(struct.unpack_from(f">{count}H", tag, 12), dtype=np.float64)
    if count == 1:
        return CODES ** (values[0] / 256)
    return np.interp(CODES, np.linspace(0, 1, count), values / 65535)


def _parametric(tag: bytes) -> Floats:
    """Return a parametric curve: ICC.1:2022, table 68."""
    (kind,) = struct.unpack_from(">H", tag, 8)
    terms = np.array(struct.unpack_from(f">{TERMS[kind]}i", tag, 12)) / 65536
    g, a, b, c, d, e, f = (*terms, *(0.0,) * (7 - len(terms)))
    if kind == 0:
        return CODES**g
    if kind in (1, 2):
        c, d, e, f = 0.0, -b / a, c, c
    power = np.maximum(a * CODES + b, 0) ** g + e
    return np.where(d <= CODES, power, c * CODES + f)


def _gamma(curves: dict[str, Floats]) -> Three | None:
    """Return the guns' exponents; None if all three curves are the sRGB curve."""
    if all(is_srgb_curve(CODES, light) for light in curves.values()):
        return None
    red, green, blue = (fitted_gamma(CODES, light, gun) for gun, light in curves.items())
    return red, green, blue

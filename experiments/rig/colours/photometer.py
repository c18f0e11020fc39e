"""A photometer's or colorimeter's table: one row for each patch that was measured.

Columns: ``gun`` (red, green, blue, white or black), ``code`` (0 to 255), ``x``, ``y`` (CIE 1931)
and ``luminance_cd_m2``. Optional: ``measured_on`` (a date, in the first row) and ``display``.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.rig.colours.measurement import Measurement, fitted_gamma
from stimuli.colour.spaces import xyy_to_xyz, xyz_to_xy

COLUMNS: Final = ("gun", "code", "x", "y", "luminance_cd_m2")
GUNS: Final = ("red", "green", "blue")
PATCHES: Final = (*GUNS, "white", "black")
FULL: Final = 255
MOST_OFF: Final = 0.1
"""Largest difference between the guns' sum and white, as a share of white's luminance."""


@dataclass(frozen=True, slots=True, eq=False)
class _Patch:
    gun: str
    code: float
    xyz: NDArray[np.float64]


def read_photometer(data: bytes, name: str) -> Measurement:
    """Return the measurement in the bytes of a table.

    If there is a black patch, its light is subtracted from all others.

    Raises
    ------
    ValueError
        If a column, a patch or a level is missing, a value is impossible, or the guns don't
        add up to white.
    """
    rows = _rows(data)
    patches = [_patch(row, number) for number, row in enumerate(rows, start=2)]
    black = next((patch.xyz for patch in patches if patch.gun == "black"), np.zeros(3))
    full = {gun: _full(patches, gun) - black for gun in (*GUNS, "white")}
    for gun, xyz in full.items():
        if not xyz.sum() > 0 or xyz[1] <= 0:
            raise ValueError(f"{gun}: gives no more light than black")
    _check_sum(full)
    gamma = [_gamma(patches, gun, full[gun][1], black[1]) for gun in GUNS]
    return Measurement(
        name=(rows[0].get("display") or name).strip(),
        chromaticities={gun: (float(x), float(y)) for gun, (x, y) in _xy(full).items()},
        gamma=(gamma[0], gamma[1], gamma[2]),
        measured_on=_date(rows[0].get("measured_on")),
    )


def _rows(data: bytes) -> list[dict[str, str]]:
    try:
        rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error) as fault:
        raise ValueError(f"is no readable CSV ({fault})") from None
    lacking = [column for column in COLUMNS if not rows or rows[0].get(column) is None]
    if lacking:
        raise ValueError(f"lacks column {lacking[0]} (of {', '.join(COLUMNS)})")
    return rows


def _patch(row: Mapping[str, str], line: int) -> _Patch:
    gun = (row["gun"] or "").strip().lower()
    if gun not in PATCHES:
        raise ValueError(f"line {line}: gun {gun!r} is none of {', '.join(PATCHES)}")
    try:
        code, x, y, light = (float(row[column]) for column in COLUMNS[1:])
    except (TypeError, ValueError):
        raise ValueError(f"line {line}: {', '.join(COLUMNS[1:])} must be numbers") from None
    if not (0 <= code <= FULL and 0 <= x <= 1 and 0 < y <= 1 and x + y <= 1 and light >= 0):
        raise ValueError(
            f"line {line}: a code is 0 to {FULL}, x and y are a chromaticity, and luminance is "
            "0 or more"
        )
    return _Patch(gun, code, xyy_to_xyz([x, y, light]))


def _full(patches: Sequence[_Patch], gun: str) -> NDArray[np.float64]:
    readings = [patch.xyz for patch in patches if (patch.gun, patch.code) == (gun, FULL)]
    if not readings:
        raise ValueError(f"lacks {gun} at code {FULL}")
    return np.mean(readings, axis=0)


def _check_sum(full: Mapping[str, NDArray[np.float64]]) -> None:
    total, white = sum(full[gun][1] for gun in GUNS), full["white"][1]
    if abs(total - white) > MOST_OFF * white:
        raise ValueError(
            f"red, green and blue add up to {total:.4g} cd/m², but white has {white:.4g}: the "
            "display changes colours itself (automatic contrast, power saving, HDR); turn that "
            "off and measure again"
        )


def _gamma(patches: Sequence[_Patch], gun: str, full: float, black: float) -> float:
    of_gun = [patch for patch in patches if patch.gun == gun]
    codes = [patch.code / FULL for patch in of_gun]
    return fitted_gamma(codes, [(patch.xyz[1] - black) / full for patch in of_gun], gun)


def _xy(full: Mapping[str, NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    return {gun: xyz_to_xy(xyz).round(6) for gun, xyz in full.items()}


def _date(text: str | None) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"measured_on {text!r} must be a date such as 2026-11-02") from None

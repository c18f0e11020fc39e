"""What a display's 8 bits make of small excursions."""

from typing import Final

import numpy as np

from bench.book import Effort, Measured, Part, table
from stimuli.colour.display import linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import AXES, Floats, lms_to_xyz, xyz_to_uv
from stimuli.screening.gap_plates import UNIT, gap_plate
from tests.stimuli.colour.decoding import decode8

EXCURSIONS_1E4: Final = (10, 20, 30, 45, 80, 150)
PLATES = 40


def measure(effort: Effort) -> Measured:
    """Compare the distance of C and ground before and after rounding to 8 bits."""
    seeds = range(2 if effort.quick else PLATES)
    rows = [
        {"axis": axis, "excursion": excursion, "shown": _shown(axis, excursion, seeds)}
        for axis in AXES
        for excursion in EXCURSIONS_1E4
    ]
    text = (
        "The smallest excursions are near the limit of 8-bit colours. But the dots have six levels "
        "of luminance, so that rounding errors differ from dot to dot and nearly cancel. The table "
        f"gives the mean distance between C and ground that is shown (sRGB, {PLATES} plates, "
        "10⁻⁴ of u′v′):\n\n"
    )
    cells = {(row["axis"], row["excursion"]): f"{row['shown']:.1f}" for row in rows}
    lines = [[axis, *(cells[axis, one] for one in EXCURSIONS_1E4)] for axis in AXES]
    headings = ["line", *(f"meant: {one}" for one in EXCURSIONS_1E4)]
    return Measured(text + table(headings, lines), {"excursions": rows})


def _shown(axis: str, excursion_1e4: float, seeds: range) -> float:
    """Return the distance of the mean chromaticities of C and ground, 10⁻⁴."""
    figure, ground = [], []
    for seed in seeds:
        plate = gap_plate(axis, "up", excursion_1e4, seed)
        uv = _displayed_uv(plate.lms)
        figure.append(uv[plate.figure])
        ground.append(uv[~plate.figure])
    between = np.concatenate(figure).mean(axis=0) - np.concatenate(ground).mean(axis=0)
    return float(np.hypot(*between) / UNIT)


def _displayed_uv(lms: Floats) -> Floats:
    return xyz_to_uv(lms_to_xyz(linear_to_lms(decode8(lms_to_rgb8(lms)))))


PARTS = (Part("rounding", "Rounding to 8 bits", measure),)

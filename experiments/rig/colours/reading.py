"""Which format a file of measured colours has, and when it was measured."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from experiments.rig.colours.icc_profile import read_icc_profile
from experiments.rig.colours.measurement import Measurement
from experiments.rig.colours.photometer import read_photometer
from experiments.rig.colours.psychopy_monitor import read_psychopy_monitor
from stimuli.colour.display import DisplayProfile
from stimuli.errors import UserError

FORMATS: Final[Mapping[str, str]] = {
    ".json": "PsychoPy's monitor file",
    ".csv": "a photometer's table",
    ".icc": "an ICC profile",
    ".icm": "an ICC profile",
}


def read_measurement(path: Path, measured_on: str | None = None) -> Measurement:
    """Return what a file says of a display's colours.

    Parameters
    ----------
    path
        A file of one of the `FORMATS`, by its ending.
    measured_on
        The date of the measurement, ISO 8601; None where the file says it.

    Raises
    ------
    UserError
        If the file can't be read or lacks something, or the date is missing, impossible or in
        the future: one line.
    """
    readers = {".json": read_psychopy_monitor, ".csv": read_photometer}
    kind = path.suffix.lower()
    if kind not in FORMATS:
        known = ", ".join(f"{ending} ({what})" for ending, what in FORMATS.items())
        raise UserError(f"{path}: is none of {known}")
    try:
        measurement = readers.get(kind, read_icc_profile)(path.read_bytes(), path.stem)
        _require_possible(measurement)
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    return replace(measurement, measured_on=_date(path, measurement.measured_on, measured_on))


def _require_possible(measurement: Measurement) -> None:
    """Raise ValueError where no display has such colours."""
    xy = measurement.chromaticities
    if xy is not None:
        DisplayProfile(
            name=measurement.name,
            gamma=measurement.gamma,
            red_xy=xy["red"],
            green_xy=xy["green"],
            blue_xy=xy["blue"],
            white_xy=xy["white"],
        )


def _date(path: Path, in_file: date | None, told: str | None) -> date:
    if told is None:
        if in_file is None:
            raise UserError(
                f"{path}: doesn't say when the display was measured; add --measured-on YYYY-MM-DD"
            )
        return in_file
    try:
        day = date.fromisoformat(told)
    except ValueError:
        raise UserError(f"--measured-on {told}: must be a date such as 2026-11-02") from None
    if (day - datetime.now(UTC).date()).days > 1:
        raise UserError(f"--measured-on {told}: lies in the future")
    return day

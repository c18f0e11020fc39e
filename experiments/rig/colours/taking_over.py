"""Measured colours go from a file of any known format into the rig's profile."""

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from experiments.rig.colours.icc_profile import read_icc_profile
from experiments.rig.colours.measurement import Measurement
from experiments.rig.colours.photometer import read_photometer
from experiments.rig.colours.psychopy_monitor import read_psychopy_monitor
from experiments.rig.profile import profile_path, read_rig, save_section
from participants.files import write_file
from participants.folder import LabFolder
from stimuli.colour.display import DisplayProfile
from stimuli.colour.spectra import COLUMNS, GunSpectra
from stimuli.errors import UserError
from stimuli.io.given_files import read_bytes

DISPLAY = "display"

FORMATS: Final[Mapping[str, str]] = {
    ".json": "PsychoPy's monitor file",
    ".csv": "a photometer's table",
    ".icc": "an ICC profile",
    ".icm": "an ICC profile",
}


def take_over(lab: LabFolder, file: Path, measured_on: str | None = None) -> str:
    """Write the colours in a file to the profile of the lab's rig; return a message about it.

    The rest of the profile stays as it is.

    Parameters
    ----------
    lab
        The lab folder; its settings name the rig.
    file
        See `read_measurement`.
    measured_on
        Date of the measurement, if the file doesn't have it.

    Raises
    ------
    UserError
        If the file can't be used, or the rig's profile can't be read.
    """
    path = profile_path(lab.rigs, lab.settings.rig)
    read_rig(path)
    measurement = read_measurement(file, measured_on)
    save_section(path, DISPLAY, _section(measurement, path))
    return (
        f"Wrote the colours of {measurement.name}, measured {measurement.measured_on}, into {path}"
    )


def _section(measurement: Measurement, profile: Path) -> dict[str, Any]:
    section: dict[str, Any] = {"name": measurement.name}
    if measurement.spectra is not None:
        beside = profile.with_name(f"{profile.stem}-spectra.csv")
        profile.parent.mkdir(parents=True, exist_ok=True)
        write_file(beside, _table(measurement.spectra))
        section["spectra"] = beside.name
    else:
        assert measurement.chromaticities is not None
        section |= {f"{gun}_xy": list(xy) for gun, xy in measurement.chromaticities.items()}
    if measurement.gamma is not None:
        section["gamma"] = list(measurement.gamma)
    return {**section, "calibrated": True, "measured_on": str(measurement.measured_on)}


def _table(spectra: GunSpectra) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for nm, guns in zip(spectra.wavelength_nm, spectra.radiance, strict=True):
        writer.writerow([float(nm), *(float(light) for light in guns)])
    return text.getvalue().encode("utf-8")


def read_measurement(path: Path, measured_on: str | None = None) -> Measurement:
    """Return the measurement of a display's colours in a file.

    Parameters
    ----------
    path
        A file in one of the `FORMATS`, by its extension.
    measured_on
        Date of the measurement, ISO 8601; None if the file has it.

    Raises
    ------
    UserError
        If the file can't be read or lacks something, or the date is missing, impossible or in
        the future; the message is one line.
    """
    readers = {".json": read_psychopy_monitor, ".csv": read_photometer}
    kind = path.suffix.lower()
    if kind not in FORMATS:
        known = ", ".join(f"{ending} ({what})" for ending, what in FORMATS.items())
        raise UserError(f"{path}: is none of {known}")
    content = read_bytes(path)
    try:
        measurement = readers.get(kind, read_icc_profile)(content, path.stem)
        _require_possible(measurement)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    return replace(measurement, measured_on=_date(path, measurement.measured_on, measured_on))


def _require_possible(measurement: Measurement) -> None:
    """Raise ValueError if no display can have such colours."""
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


def _date(path: Path, in_file: date | None, measured_on: str | None) -> date:
    if measured_on is None:
        if in_file is None:
            raise UserError(
                f"{path}: doesn't say when the display was measured; add --measured-on YYYY-MM-DD"
            )
        return in_file
    try:
        day = date.fromisoformat(measured_on)
    except ValueError:
        raise UserError(f"--measured-on {measured_on}: must be a date such as 2026-11-02") from None
    if (day - datetime.now(UTC).date()).days > 1:
        raise UserError(f"--measured-on {measured_on}: lies in the future")
    return day

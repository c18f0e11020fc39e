"""Measured colours go from a file into the rig's profile."""

import csv
import io
from pathlib import Path
from typing import Any

from experiments.rig.colours.measurement import Measurement
from experiments.rig.colours.reading import read_measurement
from experiments.rig.profile import profile_path, read_rig, save_section
from participants.files import write_file
from participants.folder import LabFolder
from stimuli.colour.spectra import COLUMNS, GunSpectra

DISPLAY = "display"


def take_over(lab: LabFolder, file: Path, measured_on: str | None = None) -> str:
    """Write the colours that a file holds into the profile of the lab's rig; say what was done.

    The rest of the profile stays as it is.

    Parameters
    ----------
    lab
        The lab folder; its settings name the rig.
    file
        See `read_measurement`.
    measured_on
        The date of the measurement, where the file doesn't say it.

    Raises
    ------
    UserError
        If the file can't be used, or the rig's profile not be read.
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

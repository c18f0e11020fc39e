"""A rig's profile: what was measured of its display and its lag, in a file of the lab folder.

`Grade` says in one of four words how good the rig's timing is.
"""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from experiments.engine.pad import PadLine
from experiments.engine.triggers import BAUD, TriggerPlace, parse_place
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spectra import GunsLms, with_chromaticities
from stimuli.devices import DeviceName
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.io.given_files import read_toml
from stimuli.io.invalid import place_and_reason
from stimuli.keys import PadKey
from stimuli.versions import Schema

Grade = Literal["excellent", "acceptable", "poor", "unfit"]

GRADES: Final[tuple[tuple[Grade, float, float], ...]] = (
    ("excellent", 0.1, 0.01),
    ("acceptable", 0.5, 0.05),
    ("poor", 1.0, 0.10),
)
"""Upper limits of a grade: SD (ms) and share of late values; the best grade that fits counts."""
LAST_BYTE: Final = 255
LATE_S: Final = 0.0005
"""A value with a larger error than this is late."""


def grade_of(sd_ms: float, late_share: float) -> Grade:
    """Return the grade for a spread.

    Parameters
    ----------
    sd_ms
        SD of the timed values, in milliseconds.
    late_share
        Share of values that were late, 0 to 1.
    """
    for name, sd_below_ms, share_below in GRADES:
        if sd_ms < sd_below_ms and late_share < share_below:
            return name
    return "unfit"


RIG_SCHEMA: Final = Schema("rig")

Chromaticity = tuple[float, float]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MeasuredDisplay(_Section):
    """Colours of the display, as a colorimeter gave them.

    In the file ``spectra``, a CSV beside it (`stimuli.colour.spectra`), may stand in place of
    the four chromaticities; then the guns' effect on cones is known too.
    """

    name: str = Field(min_length=1, description="What the lab calls the display.")
    red_xy: Chromaticity = Field(strict=False, description="CIE 1931 x, y of the red gun.")
    green_xy: Chromaticity = Field(strict=False, description="CIE 1931 x, y of the green gun.")
    blue_xy: Chromaticity = Field(strict=False, description="CIE 1931 x, y of the blue gun.")
    white_xy: Chromaticity = Field(strict=False, description="CIE 1931 x, y of white.")
    gamma: tuple[float, float, float] | None = Field(
        default=None, strict=False, description="Exponents of the guns; without: the sRGB curve."
    )
    calibrated: bool = Field(description="Whether these were measured on this very display.")
    measured_on: str = Field(default="", description="Date of the measurement, ISO 8601.")
    guns_lms: GunsLms | None = Field(
        default=None, strict=False, description="Follows from the spectra; not written by hand."
    )

    def profile(self) -> DisplayProfile:
        """Return the display profile for rendering plates; ValueError if it is impossible."""
        values = self.model_dump(exclude={"measured_on"})
        return DisplayProfile(**values)


class Geometry(_Section):
    """Where the display stands before the eyes."""

    width_cm: float = Field(gt=1, lt=500, description="Width of the picture on the display.")
    distance_cm: float = Field(gt=5, lt=1000, description="From the eyes to the display.")


class Timing(_Section):
    """What the timing bench measured from outside."""

    onset_lag_s: float = Field(
        default=0.0,
        gt=-0.05,
        lt=0.2,
        description="How long after its recorded onset a picture is lit; 0: never measured.",
    )
    onset_sd_s: float | None = Field(
        default=None, ge=0, description="SD of that lag from trial to trial."
    )
    keyboard_lag_s: float | None = Field(
        default=None,
        gt=-0.05,
        lt=0.2,
        description="By how much a time from onset to a key's press is recorded too long; "
        "without: never measured, and taken to be the onset's lag.",
    )
    mouse_lag_s: float | None = Field(
        default=None, gt=-0.05, lt=0.2, description="The same of a mouse button's press."
    )
    pad_lag_s: float | None = Field(
        default=None, gt=-0.05, lt=0.2, description="The same of a button of the response pad."
    )
    grade: Literal["excellent", "acceptable", "poor", "unfit", ""] = Field(
        default="", description="By the bench's limits."
    )
    measured_on: str = Field(default="", description="Date of the measurement, ISO 8601.")


class Triggers(_Section):
    """Where numbers go that mark onsets and answers for other devices."""

    device: str = Field(
        description="none, serial:PORT, serial:PORT@BAUD, parallel:ADDRESS, lsl or lsl:NAME."
    )

    @field_validator("device")
    @classmethod
    def _names_something(cls, device: str) -> str:
        try:
            parse_place(device)
        except UserError as error:
            raise ValueError(str(error)) from None
        return device


class PadSettings(_Section):
    """The response pad that participants answer with, where a protocol asks for one."""

    port: str = Field(min_length=1, description="Serial port, such as COM3 or /dev/ttyUSB0.")
    baud: int = Field(default=BAUD, gt=0, description="Bits per second.")
    keys: dict[Annotated[str, Field(min_length=1, max_length=1)], PadKey] = Field(
        min_length=1,
        description="The key that each button stands for, by the character that it sends.",
    )

    @field_validator("keys")
    @classmethod
    def _known(cls, keys: dict[str, str]) -> dict[str, str]:
        for character in keys:
            if ord(character) > LAST_BYTE:
                raise ValueError(f"{character!r}: is no single byte")
        return keys

    @property
    def line(self) -> PadLine:
        """Where it is connected."""
        return PadLine(self.port, self.baud, self.keys)


class RigProfile(_Section):
    """What is known of a rig; a part that was never measured is missing."""

    schema_tag: str = Field(
        alias="schema", default=RIG_SCHEMA.tag, description="Format and version of this file."
    )
    display: MeasuredDisplay | None = Field(default=None, description="Colours.")
    geometry: Geometry | None = Field(default=None, description="Size and distance.")
    timing: Timing | None = Field(default=None, description="Lag and grade.")
    triggers: Triggers | None = Field(default=None, description="Markers for other devices.")
    pad: PadSettings | None = Field(default=None, description="The response pad.")

    @property
    def colours(self) -> DisplayProfile:
        """The display's colours; sRGB if they were never measured."""
        return SRGB if self.display is None else self.display.profile()

    def lag_s(self, device: DeviceName) -> float:
        """Return the constant lag of times from onset to press.

        If the device's lag was never measured, it is the onset's lag alone; 0 if neither was.
        """
        if self.timing is None:
            return 0.0
        timing = self.timing
        measured: float | None = getattr(timing, f"{device}_lag_s")
        return timing.onset_lag_s if measured is None else measured

    def trigger_place(self) -> TriggerPlace:
        """Return the device for triggers; none if the profile names none."""
        return parse_place("none" if self.triggers is None else self.triggers.device)

    def px_per_deg(self, width_px: int) -> float | None:
        """Return pixels per degree of visual angle at the display's middle, if known."""
        if self.geometry is None:
            return None
        degree_cm = 2 * self.geometry.distance_cm * math.tan(math.radians(0.5))
        return degree_cm * width_px / self.geometry.width_cm

    def hash(self) -> str:
        """Return the SHA-256 of the profile's canonical JSON."""
        return hash_of(self.model_dump(mode="json", by_alias=True))


UNMEASURED = RigProfile()


def pad_line(rig: RigProfile, name: str, needed: Iterable[str]) -> PadLine:
    """Return where a rig's response pad is connected.

    Parameters
    ----------
    rig, name
        The rig's profile, and its name.
    needed
        The keys that a session's trials are answered with.

    Raises
    ------
    UserError
        If its profile names none, or none of its buttons stands for a key that is needed.
    """
    if rig.pad is None:
        raise UserError(
            f"rig {name}: the protocol asks for a response pad; add [pad] with port and keys to "
            "the rig's profile (docs/lab_pc.md)"
        )
    lacking = sorted(set(needed) - set(rig.pad.keys.values()))
    if lacking:
        raise UserError(
            f"rig {name}: no button of the response pad stands for {', '.join(lacking)}; add it to "
            "keys of [pad] in the rig's profile"
        )
    return rig.pad.line


def profile_path(rigs: Path, rig: str) -> Path:
    """Return the path of a rig's profile in the lab's folder of rigs."""
    return rigs / f"{rig}.toml"


def read_rig(path: Path) -> RigProfile:
    """Return a rig's profile; an empty profile if the file doesn't exist.

    Raises
    ------
    UserError
        If the file can't be read, is from a newer version, or has an impossible value; the
        message names the file, the key and the reason.
    """
    if not path.exists():
        return UNMEASURED
    document = RIG_SCHEMA.upgrade(read_toml(path), str(path))
    if isinstance(document.get("display"), dict):
        document = {**document, "display": _display(document["display"], path)}
    try:
        profile = RigProfile.model_validate(document)
        _ = profile.colours
    except ValidationError as error:
        raise UserError(f"{path}: {place_and_reason(error)}") from None
    except ValueError as error:
        raise UserError(f"{path}: display: {error}") from None
    return profile


def save_timing(path: Path, timing: Timing) -> None:
    """Write the bench's results to a rig's profile; the rest of the file stays as it is.

    Raises
    ------
    UserError
        If the existing file can't be read.
    """
    save_section(path, "timing", timing.model_dump(mode="json", exclude_none=True))


def save_section(path: Path, name: str, values: Mapping[str, Any]) -> None:
    """Write a section of plain values into a rig's profile; the rest of the file stays as it is.

    Raises
    ------
    UserError
        If the existing file can't be read, or the values are impossible.
    """
    read_rig(path)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = _without_section(lines, name)
    kept = [line for line in kept if not line.startswith("schema ") and line[:7] != "schema="]
    section = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    while kept and not kept[-1].strip():
        kept.pop()
    text = "\n".join([f'schema = "{RIG_SCHEMA.tag}"', *kept, "", f"[{name}]", *section, ""])
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.part")
    aside.write_text(text, encoding="utf-8", newline="\n")
    read_rig(aside)
    aside.replace(path)


def _without_section(lines: list[str], name: str) -> list[str]:
    """Return a TOML file's lines without a section of plain values."""
    kept, inside = [], False
    for line in lines:
        if line.startswith("["):
            inside = line.split("#")[0].strip() == f"[{name}]"
        if not inside:
            kept.append(line)
    return kept


def _display(section: dict[str, Any], path: Path) -> dict[str, Any]:
    if "guns_lms" in section:
        raise UserError(f"{path}: display: guns_lms follows from spectra; name their file instead")
    try:
        return with_chromaticities(section, path.parent)
    except UserError as error:
        raise UserError(f"{path}: display: {error}") from None

"""A rig's profile: what was measured of its display and its lag, in a file of the lab folder."""

import math
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from experiments.engine.triggers import TriggerPlace, parse_place
from stimuli.canonical import hash_of
from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spectra import GunsLms, with_chromaticities
from stimuli.errors import UserError
from stimuli.schema import Schema

# 1.1 added [triggers].
RIG_SCHEMA = Schema("rig", 1, 1, {0: dict})

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
        """Return it as plates are rendered with; ValueError if it is impossible."""
        values = self.model_dump(exclude={"measured_on"})
        return DisplayProfile(**values)


class Geometry(_Section):
    """Where the display stands before the eyes."""

    width_cm: float = Field(gt=1, lt=500, description="Width of the picture on the display.")
    distance_cm: float = Field(gt=5, lt=1000, description="From the eyes to the display.")


class Timing(_Section):
    """What the timing bench measured from outside."""

    keyboard_lag_s: float = Field(
        ge=0, lt=0.2, description="Constant lag of a key's press minus onset as recorded."
    )
    mouse_lag_s: float = Field(
        default=0.0,
        ge=0,
        lt=0.2,
        description="The same of a mouse button's press; 0 where it was never measured.",
    )
    grade: Literal["excellent", "acceptable", "unfit", ""] = Field(
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


class RigProfile(_Section):
    """What is known of a rig; a part that was never measured is missing."""

    schema_tag: str = Field(
        alias="schema", default=RIG_SCHEMA.tag, description="Format and version of this file."
    )
    display: MeasuredDisplay | None = Field(default=None, description="Colours.")
    geometry: Geometry | None = Field(default=None, description="Size and distance.")
    timing: Timing | None = Field(default=None, description="Lag and grade.")
    triggers: Triggers | None = Field(default=None, description="Markers for other devices.")

    @property
    def colours(self) -> DisplayProfile:
        """The display's colours; sRGB where they were never measured."""
        return SRGB if self.display is None else self.display.profile()

    def lag_s(self, device: Literal["keyboard", "mouse"]) -> float:
        """Return the constant lag of presses; 0 where it was never measured."""
        if self.timing is None:
            return 0.0
        return self.timing.keyboard_lag_s if device == "keyboard" else self.timing.mouse_lag_s

    def trigger_place(self) -> TriggerPlace:
        """Return where triggers go; nowhere where the profile doesn't say."""
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


def profile_path(rigs: Path, rig: str) -> Path:
    """Return where a rig's profile lies in the lab's folder of rigs."""
    return rigs / f"{rig}.toml"


def read_rig(path: Path) -> RigProfile:
    """Return a rig's profile; one of which nothing is known where the file doesn't exist.

    Raises
    ------
    UserError
        If the file can't be read, is from a newer version, or holds something
        impossible: the file, the key and the reason.
    """
    if not path.exists():
        return UNMEASURED
    document = RIG_SCHEMA.upgrade(_document(path), str(path))
    if isinstance(document.get("display"), dict):
        document = {**document, "display": _display(document["display"], path)}
    try:
        profile = RigProfile.model_validate(document)
        _ = profile.colours
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {key}: {first['msg']}") from None
    except ValueError as error:
        raise UserError(f"{path}: display: {error}") from None
    return profile


def _display(section: dict[str, Any], path: Path) -> dict[str, Any]:
    if "guns_lms" in section:
        raise UserError(f"{path}: display: guns_lms follows from spectra; name their file instead")
    try:
        return with_chromaticities(section, path.parent)
    except UserError as error:
        raise UserError(f"{path}: display: {error}") from None


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path}: is not valid TOML: {error}") from None

"""The options of `doctor` and `timing`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from participants.new_person import PURPOSES
from stimuli.errors import UserError
from stimuli.options import Needs

DISPLAYS = ("existing", "virtual")


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """What `doctor` looks at, and for which sessions."""

    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Check this pack too: are its files complete and unchanged?"
        ),
    ] = None
    display: Annotated[str, typer.Option(metavar="existing|virtual", help="Display to check.")] = (
        "existing"
    )
    purpose: Annotated[
        str | None,
        typer.Option(metavar="P", help="Judge for sessions of this purpose: main, pilot or test."),
    ] = None
    colours: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="First import the display's measured colours: PsychoPy's monitor file (.json), "
            "a photometer's table (.csv) or an ICC profile (.icc, .icm).",
        ),
    ] = None
    measured_on: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="Date of the measurement in --colours, such as 2026-11-02. Default: the "
            "date in the file.",
        ),
        Needs("--colours"),
    ] = None
    interactive: Annotated[
        bool | None,
        typer.Option(
            "--interactive/--unattended",
            help="Ask for a key and a mouse button. Default: at a terminal, without --json.",
        ),
    ] = None

    @property
    def virtual(self) -> bool:
        """Whether a virtual display is checked instead of the PC's own."""
        return self.display == "virtual"

    def by_a_person(self, *, as_json: bool) -> bool:
        """Return whether somebody is there to press."""
        return sys.stdin.isatty() and not as_json if self.interactive is None else self.interactive

    def check(self) -> None:
        """Raise UserError if a display or purpose doesn't exist."""
        if self.display not in DISPLAYS:
            raise UserError(f"--display {self.display}: is not one of {', '.join(DISPLAYS)}")
        if self.purpose is not None and self.purpose not in PURPOSES:
            raise UserError(f"--purpose {self.purpose}: is not one of {', '.join(PURPOSES)}")


@dataclass(frozen=True, slots=True)
class TimingOptions:
    """How `timing` measures: on a virtual display, or with a sensor at this PC's screen."""

    virtual: Annotated[
        bool,
        typer.Option(
            "--virtual", help="Measure on a virtual display, and compare a plain PsychoPy script."
        ),
    ] = False
    trials: Annotated[int, typer.Option(min=2, help="Trials of each program.")] = 200
    pairs: Annotated[
        int,
        typer.Option(
            min=1, help="Pairs of runs, one of the suite and one of the plain script (--virtual)."
        ),
    ] = 5
    refresh_hz: Annotated[
        float,
        typer.Option(
            "--refresh", min=50, max=360, metavar="HZ", help="Refresh rate of the virtual display."
        ),
    ] = 60.0
    sensor: Annotated[
        str,
        typer.Option(
            metavar="PLACE",
            help="Photodiode at this PC's screen: serial:PORT, lsl:STREAM, psychopy[:DEVICE].",
        ),
    ] = ""
    save: Annotated[
        bool,
        typer.Option("--save/--no-save", help="Write the measured lags into the rig's profile."),
    ] = True

    def check(self) -> None:
        """Raise UserError unless one of the two is asked for."""
        if self.virtual == bool(self.sensor):
            raise UserError(
                "timing: give either --virtual or --sensor with the photodiode's place: "
                "serial:PORT, lsl:STREAM or psychopy[:DEVICE]"
            )

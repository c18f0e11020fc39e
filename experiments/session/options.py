"""The options that `run`, `annotate` and `screen` share, by groups."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from experiments.engine.triggers import TriggerPlace, parse_place
from participants import command_line
from participants.new_person import PURPOSES, REHEARSAL
from stimuli.errors import UserError

DISPLAYS = ("existing", "virtual", "auto")


class ScreenSize(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


def parse_display(text: str) -> str:
    """Return the name of a display; UserError if no display has this name."""
    if text not in DISPLAYS:
        raise UserError(f"--display {text}: is not one of {', '.join(DISPLAYS)}")
    return text


def parse_size(text: str) -> ScreenSize:
    """Parse a size such as ``1280x720``; UserError if it isn't a size."""
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UserError(f"--size {text}: must be like 1280x720")
    size = ScreenSize(int(width), int(height))
    if min(size) < 480 or max(size) > 16384:
        raise UserError(f"--size {text}: a side must be 480 to 16384 pixels")
    return size


@dataclass(frozen=True, slots=True)
class PersonOptions:
    """Who takes part, and how. A robot without a code is enrolled."""

    participant: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="The participant's code, which enrol printed."),
    ] = None
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Let a robot answer by real key presses and mouse moves, without --participant. "
            "simulate STUDY --help lists the names for run, docs/screening.md those for screen; "
            "for annotate it is expert.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of a robot's answers.")] = 1
    purpose: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="The purpose of the code: main, pilot or test. Any other is refused. "
            "Default: the code's purpose; robot for robots.",
        ),
    ] = None
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANG",
            help="Language of the texts. Default: the lab's, if the study has it. A continued "
            "session keeps its language.",
        ),
    ] = None

    rehearsal: bool = False
    """Whether it is a rehearsal (``run --rehearse``)."""

    @property
    def session_purpose(self) -> str:
        """The session's purpose: the requested one, else robot for a robot and main for a code.

        Rehearsals have a separate purpose.

        Raises
        ------
        UserError
            If a robot would give people's data, or the purpose is unknown.
        """
        if self.rehearsal:
            return REHEARSAL
        usual = "robot" if self.robot is not None else "main"
        purpose = self.purpose or usual
        if purpose not in PURPOSES:
            raise UserError(f"purpose {purpose!r}: is not one of {', '.join(PURPOSES)}")
        if (self.robot is not None) != (purpose == "robot"):
            raise UserError("purpose: a robot's sessions are robot, people's are not")
        return purpose


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """The window, the display it opens on, and pictures of it."""

    display: Annotated[
        Literal["existing", "virtual", "auto"],
        typer.Option(
            metavar="existing|virtual|auto",
            parser=parse_display,
            help="Where the window opens. auto: robots on Linux get a virtual display.",
        ),
    ] = "auto"
    windowed: Annotated[
        bool,
        typer.Option(
            "--windowed", help="Open a window instead of the full screen, for trying things."
        ),
    ] = False
    size_px: Annotated[
        ScreenSize | None,
        typer.Option(
            "--size",
            metavar="WxH",
            parser=parse_size,
            help="Size of the window, such as 1920x1080; at most the screen's. Default: all of it.",
        ),
    ] = None
    marker: Annotated[
        bool, typer.Option("--marker", help="Draw a patch for a photodiode, top left.")
    ] = False
    screenshots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Save each kind of screen once as PNG.")
    ] = None


@dataclass(frozen=True, slots=True)
class PictureOptions:
    """Which screens are pictured, and how."""

    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="LANG",
            help="Language, may be repeated. Default: all of the pack.",
        ),
    ] = None
    size: Annotated[
        ScreenSize | None,
        typer.Option(
            metavar="WxH", parser=parse_size, help="Size of the pictures. Default: 1920x1080."
        ),
    ] = None
    robot: Annotated[
        str | None, typer.Option(metavar="NAME", help="The robot that answers. Default: the usual.")
    ] = None
    screening: Annotated[
        bool,
        typer.Option("--screening", help="Show the screening for the study, not its sessions."),
    ] = False


@dataclass(frozen=True, slots=True)
class RigOptions:
    """What is different about the rig this time, and what the experimenter says of it."""

    trigger: Annotated[
        TriggerPlace | None,
        typer.Option(
            metavar="WHERE",
            parser=parse_place,
            help="Where to send triggers: serial:PORT, parallel:ADDRESS, lsl or none. "
            "Default: from the rig's profile.",
        ),
    ] = None
    override: Annotated[
        str | None,
        typer.Option(
            metavar="REASON",
            help="Continue in spite of failed checks, but for blanks in the consent. The reason is "
            "recorded.",
        ),
    ] = None
    checklist: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|confirmed",
            help="Answers to the colour checklist. Default: the terminal asks.",
        ),
    ] = None
    take_over: Annotated[
        str,
        typer.Option(
            metavar="REASON",
            help="Continue a session that another PC can't finish, after you copied its "
            "journal here. The reason is recorded.",
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """All that a command which runs a session is told of it, but what it shows."""

    person: PersonOptions
    window: WindowOptions
    rig: RigOptions
    lab: command_line.Lab = None
    data: command_line.Data = None

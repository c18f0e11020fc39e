"""Options of the verb `replay`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stimuli.errors import UserError
from stimuli.options import Parsed

Trials = tuple[int, int]


def read_trials(option: str, text: str) -> Trials:
    """Read the first and the last of some trials, such as ``3-8``; one number is one trial."""
    first, _, last = text.partition("-")
    try:
        span = int(first), int(last or first)
    except ValueError:
        span = 0, 0
    if not 1 <= span[0] <= span[1]:
        raise UserError(f"{option} {text}: name the first and the last, such as 3-8")
    return span


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What is shown of a session, and how."""

    film: Annotated[
        Path | None,
        typer.Option(metavar="FILE.webm", help="Write a film instead of opening a window."),
    ] = None
    trials: Annotated[
        Trials | None,
        typer.Option(metavar="FIRST-LAST", help="Only these trials, such as 3-8."),
        Parsed(read_trials),
    ] = None
    pack: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The session's pack, if the lab folder doesn't have it."),
    ] = None
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Data folder. Default: the lab's.")
    ] = None
    lab: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Lab folder. Default: the usual one.")
    ] = None

"""Options that the power commands of all studies share."""

from pathlib import Path
from typing import Annotated

import typer

from stimuli.errors import UserError

Out = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder of the report. It also keeps finished runs.")
]
Participants = Annotated[
    str, typer.Option(metavar="N,N,...", help="Numbers of participants to try.")
]
Items = Annotated[
    str, typer.Option(metavar="N,N,...", help="Numbers of items that each participant judges.")
]
Runs = Annotated[int, typer.Option(min=1, help="Simulated studies for each combination.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
Processes = Annotated[
    int, typer.Option("--workers", min=0, help="Number of processes. 0: one for each CPU.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on a Dask cluster: its scheduler, such as tcp://10.0.0.5:8786.",
        show_default=False,
    ),
]
Protocol = Annotated[
    Path | None,
    typer.Option(help="Protocol file. Default: the study's.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def numbers(option: str, text: str, least: int) -> tuple[int, ...]:
    """Return whole numbers separated by commas, ascending; UserError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise UserError(f"{option} {text}: must be whole numbers with commas between, as in 10,20")
    if min(map(int, parts)) < least:
        raise UserError(f"{option} {text}: {least} or more are needed")
    return tuple(sorted({int(part) for part in parts}))


def reals(option: str, text: str) -> list[float]:
    """Return numbers separated by commas; UserError for anything else."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{option} {text}: must be numbers with commas between") from None


def effects(option: str, text: str, low: float, high: float, what: str) -> tuple[float, ...]:
    """Return numbers separated by commas, ascending, each once.

    Parameters
    ----------
    option, text
        As typed.
    low, high, what
        The range of one number, both ends allowed, and what a number is.

    Raises
    ------
    UserError
        For anything else.
    """
    values = reals(option, text)
    if not all(low <= value <= high for value in values):
        raise UserError(f"{option} {text}: {what} lies between {low:g} and {high:g}")
    return tuple(sorted({value + 0.0 for value in values}))


def deviations(option: str, text: str, count: int) -> tuple[float, ...]:
    """Return standard deviations (log odds) separated by commas; UserError for anything else."""
    values = reals(option, text)
    if len(values) != count or not all(0 <= value <= 10 for value in values):
        raise UserError(f"{option} {text}: {count} standard deviations from 0 to 10 are needed")
    return tuple(values)

"""Options that the power commands of all studies share, and how their texts are read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from typing import Protocol as Shape

import typer

from analysis.power.simulation import Difference, Grid
from stimuli.errors import UserError
from stimuli.options import Parsed

WORLD_PANEL: Final = "Who answers"


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How a simulation is carried out, and where its report goes."""

    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the report. It also keeps finished runs.")
    ]
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 1
    workers: Annotated[
        int, typer.Option(min=0, help="Number of processes. 0: one for each CPU.")
    ] = 0
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on a Dask cluster: its scheduler, such as tcp://10.0.0.5:8786.",
            show_default=False,
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False


def read_numbers(option: str, text: str) -> tuple[int, ...]:
    """Return whole numbers separated by commas, ascending; UserError for anything else."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise UserError(f"{option} {text}: must be whole numbers with commas between, as in 10,20")
    return tuple(sorted({int(part) for part in parts}))


def require_numbers(option: str, values: tuple[int, ...], least: int) -> tuple[int, ...]:
    """Return numbers that are large enough; UserError if one isn't."""
    if min(values) < least:
        text = ",".join(map(str, values))
        raise UserError(f"{option} {text}: {least} or more are needed")
    return values


def read_reals(option: str, text: str) -> tuple[float, ...]:
    """Return numbers separated by commas; UserError for anything else."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"{option} {text}: must be numbers with commas between") from None


def read_share(option: str, text: str) -> float:
    """Return a number between 0 and 1, both excluded; UserError for anything else."""
    values = read_reals(option, text)
    if len(values) != 1 or not 0 < values[0] < 1:
        raise UserError(f"{option} {text}: must be between 0 and 1")
    return values[0]


def deviations(count: int) -> Parsed:
    """Return a parser for a given number of standard deviations (log odds)."""

    def read(option: str, text: str) -> tuple[float, ...]:
        values = read_reals(option, text)
        if len(values) != count or not all(0 <= value <= 10 for value in values):
            raise UserError(f"{option} {text}: {count} standard deviations from 0 to 10 are needed")
        return values

    return Parsed(read)


def read_effects(option: str, text: str, low: float, high: float, noun: str) -> tuple[float, ...]:
    """Return numbers separated by commas, ascending, each once.

    Parameters
    ----------
    option, text
        As typed.
    low, high, noun
        The range of one number, both ends allowed, and what a number is called.

    Raises
    ------
    UserError
        For anything else.
    """
    values = read_reals(option, text)
    if not all(low <= value <= high for value in values):
        raise UserError(f"{option} {text}: {noun} lies between {low:g} and {high:g}")
    return tuple(sorted({value + 0.0 for value in values}))


def differences(low: float, high: float, noun: str) -> Parsed:
    """Return a parser for differences in a range; arguments as of `read_effects`."""

    def read(option: str, text: str) -> tuple[Difference, ...]:
        return tuple(map(Difference, read_effects(option, text, low, high, noun)))

    return Parsed(read)


def of_world(
    text: str, metavar: str | None = None, *, least: float | None = None, most: float | None = None
) -> Any:
    """Return an option of a simulated world.

    Parameters
    ----------
    text, metavar
        Its help, and what stands for its value there.
    least, most
        The range of a number.
    """
    return typer.Option(
        help=text, metavar=metavar, min=least, max=most, rich_help_panel=WORLD_PANEL
    )


SHARE: Final = Parsed(read_share)
Participants = Annotated[
    tuple[int, ...],
    typer.Option(metavar="N,N,...", help="Numbers of participants to try."),
    Parsed(read_numbers),
]
Items = Annotated[
    tuple[int, ...],
    typer.Option(metavar="N,N,...", help="Numbers of items that each participant judges."),
    Parsed(read_numbers),
]
Runs = Annotated[int, typer.Option(min=1, help="Simulated studies for each combination.")]
Protocol = Annotated[
    Path | None,
    typer.Option(help="Protocol file. Default: the study's.", show_default=False),
]


class Sizes(Shape):
    """The sizes that a command was asked for."""

    @property
    def participants(self) -> tuple[int, ...]:
        """Numbers of participants."""

    @property
    def items(self) -> tuple[int, ...]:
        """Numbers of items."""

    @property
    def runs(self) -> int:
        """Simulated studies a combination."""


def grid_of(
    sizes: Sizes, effects: tuple[Any, ...], least_people: int = 2, least_items: int = 4
) -> Grid:
    """Return the grid of a command; UserError if a size is too small."""
    return Grid(
        require_numbers("--participants", sizes.participants, least_people),
        require_numbers("--items", sizes.items, least_items),
        effects,
        sizes.runs,
    )

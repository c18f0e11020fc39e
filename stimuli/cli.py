"""The verbs of the stimuli room.

``plates`` makes plates on their own, as pictures and as tables of dots.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stimuli.colour.display import SRGB
from stimuli.colour.spaces import AXES
from stimuli.console import new_app, run_app
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.options import grouped
from stimuli.plates.collection import Request, make_collection
from stimuli.plates.spec import check_gamut, spec_for_axis
from stimuli.rich_terminal import Console
from stimuli.workers import Workers

LARGEST_PX = 4096
"""Plates are checked to fit at most this size of picture."""
MOST_WORKERS = 1024


@dataclass(frozen=True, slots=True)
class PlateOptions:
    """Which plates are made, and whether as pictures too."""

    count: Annotated[int, typer.Option(help="Number of plates.")] = 10
    axis: Annotated[str, typer.Option(help="Confusion axis: deutan, protan or tritan.")] = "deutan"
    contrast: Annotated[
        float,
        typer.Option(help="Contrast of figure and ground, Δu′v′. 0: plates without a numeral."),
    ] = 0.04
    size: Annotated[int, typer.Option(help="Width and height of the pictures, pixels.")] = 512
    seed: Annotated[int, typer.Option(help="The same seed gives the same plates.")] = 1
    png: Annotated[
        bool, typer.Option("--png/--no-png", help="Write pictures too, or only the tables.")
    ] = True

    def request(self) -> Request:
        """Return the collection to make; UserError if there can't be such plates."""
        axis = next((name for name in AXES if name == self.axis), None)
        if axis is None:
            raise UserError(f"--axis {self.axis}: take one of {', '.join(AXES)}")
        if self.count < 1:
            raise UserError(f"--count {self.count}: must be at least 1")
        if not 32 <= self.size <= LARGEST_PX:
            raise UserError(f"--size {self.size}: must be 32 to {LARGEST_PX} pixels")
        if self.seed < 0:
            raise UserError(f"--seed {self.seed}: must be 0 or more")
        if not self.contrast >= 0:
            raise UserError(
                f"--contrast {self.contrast:g}: must be 0 or more (Δu′v′, such as 0.04)"
            )
        spec = spec_for_axis(axis)
        check_gamut(axis, self.contrast, spec, SRGB)
        return Request(axis, self.contrast, self.count, self.size, self.seed, spec, self.png)


@grouped
def plates(
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    digits: Annotated[
        str, typer.Option(help="Digits: uci, mnist, or a folder of MNIST's IDX files.")
    ] = "uci",
    *,
    options: PlateOptions,
    workers: Annotated[
        int, typer.Option(metavar="N", help="Number of processes. 0: one for each CPU.")
    ] = 0,
) -> None:
    """Make plates: pictures, plates.csv and dots.csv.gz.

    Positions and radii are fractions of the plate's radius, y up; colours are 8-bit sRGB.
    The files are the same whatever the number of workers. After Ctrl+C the same command
    continues where it stopped.

    Example: python3 lab.py plates --count 20 --axis deutan --contrast 0.04 --out plates
    """
    request = options.request()
    if not 0 <= workers <= MOST_WORKERS:
        raise UserError(f"--workers {workers}: must be 0 to {MOST_WORKERS}")
    source = load_digits(digits)
    _make_folder(out)
    with _progress() as progress:
        task = progress.add_task("plates", total=request.count)
        make_collection(
            request, source, out, Workers(workers), lambda count: progress.advance(task, count)
        )
    Console(stderr=True).print(f"{request.count} plates in {out}", highlight=False)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"--out {out}: can't be made ({fault.strerror})") from None


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )


app = new_app("What can be shown: plates by themselves.")
app.command()(plates)


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments)

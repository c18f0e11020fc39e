"""The ``plates`` verb: plates by themselves, as pictures and as tables of dots."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stimuli.colour.cones import AXES
from stimuli.colour.display import SRGB
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.plates.collection import Request, make_collection
from stimuli.plates.palette import check_gamut, spec_for_axis
from stimuli.workers import Workers

LARGEST_PX = 4096
"""Plates are checked to fit at most this size of picture."""
MOST_WORKERS = 1024


def plates(
    out: Annotated[Path, typer.Option(help="Folder to write to.")],
    digits: Annotated[
        str, typer.Option(help="Digits: uci, mnist, or a folder of MNIST's IDX files.")
    ] = "uci",
    count: Annotated[int, typer.Option(help="Number of plates.")] = 10,
    axis: Annotated[str, typer.Option(help="Confusion axis: deutan, protan or tritan.")] = "deutan",
    contrast: Annotated[
        float,
        typer.Option(help="Contrast of figure and ground, Δu′v′. 0: plates without a numeral."),
    ] = 0.04,
    size: Annotated[int, typer.Option(help="Width and height of the pictures, pixels.")] = 512,
    seed: Annotated[int, typer.Option(help="The same seed gives the same plates.")] = 1,
    png: Annotated[
        bool, typer.Option("--png/--no-png", help="Write pictures too, or only the tables.")
    ] = True,
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
    request = _checked(axis, contrast, count, size, seed, png)
    if not 0 <= workers <= MOST_WORKERS:
        raise UserError(f"--workers {workers}: must be 0 to {MOST_WORKERS}")
    source = load_digits(digits)
    _make_folder(out)
    with _progress() as progress:
        task = progress.add_task("plates", total=count)
        make_collection(
            request, source, out, Workers(workers), lambda made: progress.advance(task, made)
        )
    Console(stderr=True).print(f"{count} plates in {out}", highlight=False)


def _checked(axis: str, contrast: float, count: int, size: int, seed: int, png: bool) -> Request:
    known = next((name for name in AXES if name == axis), None)
    if known is None:
        raise UserError(f"--axis {axis}: take one of {', '.join(AXES)}")
    if count < 1:
        raise UserError(f"--count {count}: must be at least 1")
    if not 32 <= size <= LARGEST_PX:
        raise UserError(f"--size {size}: must be 32 to {LARGEST_PX} pixels")
    if seed < 0:
        raise UserError(f"--seed {seed}: must be 0 or more")
    if not contrast >= 0:
        raise UserError(f"--contrast {contrast:g}: must be 0 or more (Δu′v′, such as 0.04)")
    spec = spec_for_axis(known)
    check_gamut(known, contrast, spec, SRGB)
    return Request(known, contrast, count, size, seed, spec, png)


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

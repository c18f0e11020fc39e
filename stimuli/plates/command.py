"""The ``plates`` verb: plates by themselves, as pictures and as tables of dots."""

import csv
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from PIL import Image
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stimuli.colour.cones import AXES, Axis
from stimuli.colour.display import SRGB, lms_to_rgb8
from stimuli.digits import Digits, load_digits
from stimuli.errors import UserError
from stimuli.plates.masks import digit_mask, no_numeral_mask
from stimuli.plates.palette import check_gamut, spec_for_axis, with_contrast
from stimuli.plates.plate import Plate, make_plate
from stimuli.plates.render import render
from stimuli.plates.spec import PlateSpec

NO_NUMERAL = "no_numeral"
PLATE_COLUMNS = ("plate", "digit", "source_index", "seed", "axis", "contrast", "file")
DOT_COLUMNS = ("plate", "x", "y", "radius", "figure", "red", "green", "blue")
LARGEST_PX = 4096
"""Plates are checked to fit at most this size of picture."""


def plates(
    out: Annotated[Path, typer.Option(help="Folder to write to; made if it isn't there.")],
    digits: Annotated[
        str, typer.Option(help="uci, mnist, or a folder of MNIST's IDX files.")
    ] = "uci",
    count: Annotated[int, typer.Option(help="How many plates.")] = 10,
    axis: Annotated[str, typer.Option(help="Confusion axis: deutan, protan or tritan.")] = "deutan",
    contrast: Annotated[
        float, typer.Option(help="Δu′v′ between figure and ground; 0: plates without a numeral.")
    ] = 0.04,
    size: Annotated[int, typer.Option(help="Width and height of the pictures, pixels.")] = 512,
    seed: Annotated[int, typer.Option(help="Same seed, same plates.")] = 1,
    png: Annotated[
        bool, typer.Option("--png/--no-png", help="Pictures too, or the tables alone.")
    ] = True,
) -> None:
    """Make plates: pictures, plates.csv and dots.csv.gz.

    Positions and radii are fractions of the plate's radius, y up; colours are 8-bit sRGB.

    Example: lab.py plates --digits uci --count 20 --axis deutan --contrast 0.04 --out plates
    """
    request = _checked(axis, contrast, count, size, seed)
    source = load_digits(digits)
    _make_folder(out)
    with _opened_dots(out / "dots.csv.gz") as dots, _progress() as progress:
        rows = []
        for made in progress.track(_made(request, source), total=count, description="plates"):
            rows.append(made.row(png))
            dots.write(_dot_lines(made, request))
            if png:
                picture = render(made.plate, request.axis, contrast, size, SRGB, request.spec)
                _save_picture(out / made.file, picture)
    _write_table(out / "plates.csv", rows)
    Console(stderr=True).print(f"{count} plates in {out}", highlight=False)


@dataclass(frozen=True, slots=True)
class _Request:
    axis: Axis
    contrast: float
    count: int
    size_px: int
    seed: int
    spec: PlateSpec


@dataclass(frozen=True, slots=True)
class _Made:
    number: int
    plate: Plate
    digit: str
    source_index: str
    seed: int
    request: _Request

    @property
    def file(self) -> str:
        return f"plate-{self.number:06d}.png"

    def row(self, png: bool) -> tuple[object, ...]:
        file = self.file if png else ""
        request = self.request
        return (
            self.number,
            self.digit,
            self.source_index,
            self.seed,
            request.axis,
            f"{request.contrast:g}",
            file,
        )


def _checked(axis: str, contrast: float, count: int, size: int, seed: int) -> _Request:
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
    return _Request(known, contrast, count, size, seed, spec)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"--out {out}: can't be made ({fault.strerror})") from None


def _made(request: _Request, source: Digits) -> Iterator[_Made]:
    rng = np.random.Generator(np.random.PCG64(request.seed))
    order = rng.permutation(len(source))
    for number in range(request.count):
        seed = int(np.random.SeedSequence([request.seed, number]).generate_state(1)[0])
        if request.contrast == 0:
            mask, digit, index = no_numeral_mask(request.spec), NO_NUMERAL, ""
        else:
            chosen = int(order[number % len(order)])
            mask = digit_mask(source.images[chosen], request.spec)
            digit, index = str(source.labels[chosen]), str(chosen)
        plate = make_plate(mask, seed, seed, request.spec)
        yield _Made(number, plate, digit, index, seed, request)


def _dot_lines(made: _Made, request: _Request) -> str:
    plate = made.plate
    lms = with_contrast(plate.lms, plate.figure, request.axis, request.contrast, request.spec)
    columns = (
        plate.packing.x.tolist(),
        plate.packing.y.tolist(),
        plate.packing.radius.tolist(),
        plate.figure.astype(int).tolist(),
        *lms_to_rgb8(lms, SRGB).T.tolist(),
    )
    # Seven digits tell all positions on the packing's lattice apart.
    line = f"{made.number},%.7f,%.7f,%.7f,%d,%d,%d,%d\n"
    return "".join([line % dot for dot in zip(*columns, strict=True)])


@contextmanager
def _opened_dots(path: Path) -> Iterator[io.TextIOWrapper]:
    """Open the table of dots; it gets its name when it is whole. No name or time inside."""
    part = path.with_name(path.name + ".part")
    try:
        raw = part.open("wb")
    except OSError as fault:
        raise UserError(f"--out {path.parent}: can't be written ({fault.strerror})") from None
    try:
        with (
            raw,
            gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as text,
        ):
            text.write(",".join(DOT_COLUMNS) + "\n")
            yield text
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _save_picture(path: Path, picture: np.ndarray) -> None:
    try:
        Image.fromarray(picture).save(path, compress_level=1)
    except OSError as fault:
        raise UserError(
            f"--out {path.parent}: {path.name} can't be written ({fault.strerror})"
        ) from None


def _write_table(path: Path, rows: list[tuple[object, ...]]) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(PLATE_COLUMNS)
            writer.writerows(rows)
    except OSError as fault:
        raise UserError(
            f"--out {path.parent}: {path.name} can't be written ({fault.strerror})"
        ) from None


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

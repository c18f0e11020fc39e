"""Many plates as pictures and tables: made in stretches, by several workers, put together.

A stretch is done when its rows of plates.csv are on the disk; an interrupted run finds the
stretches that are done and makes the others. Files get their names when they are whole.
"""

import csv
import gzip
import hashlib
import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.colour.display import SRGB, lms_to_rgb8
from stimuli.colour.spaces import Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.io.canonical import hash_of
from stimuli.io.files import naming, write_whole
from stimuli.plates.masks import digit_mask, no_numeral_mask
from stimuli.plates.plate import Plate, make_plate
from stimuli.plates.render import render
from stimuli.plates.spec import PlateSpec, with_contrast
from stimuli.workers import Workers, ordered_map

NO_NUMERAL = "no_numeral"
PLATE_COLUMNS = ("plate", "digit", "source_index", "seed", "axis", "contrast", "file")
DOT_COLUMNS = ("plate", "x", "y", "radius", "figure", "red", "green", "blue")
STRETCH = 100
"""Number of plates made at a time; the files' bytes depend on it."""


@dataclass(frozen=True, slots=True)
class Request:
    """The plates to make, and whether to make pictures too.

    Parameters
    ----------
    axis, contrast
        Confusion line and Δu′v′; 0 for plates without a numeral.
    count
        How many plates.
    size_px
        Width and height of the pictures.
    seed
        Same seed, same plates; a longer collection begins with the shorter.
    spec
        Their look.
    png
        False for the tables alone.
    """

    axis: Axis
    contrast: float
    count: int
    size_px: int
    seed: int
    spec: PlateSpec
    png: bool


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Consecutive plates of a collection, with all that a worker needs to make them."""

    request: Request
    out: Path
    aside: Path
    first: int
    images: NDArray[np.float32]
    digits: tuple[str, ...]
    source_indices: tuple[str, ...]

    @property
    def rows(self) -> Path:
        """File in which this stretch's rows of plates.csv wait."""
        return self.aside / f"plates-{self.first:08d}.csv"

    @property
    def dots(self) -> Path:
        """File in which this stretch's rows of dots.csv.gz wait."""
        return self.aside / f"dots-{self.first:08d}.csv.gz"


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    number: int
    seed: int
    digit: str
    source_index: str
    plate: Plate


def make_collection(
    request: Request,
    source: Digits,
    out: Path,
    workers: Workers = Workers(),
    on_made: Callable[[int], None] = lambda count: None,
) -> None:
    """Write plates.csv, dots.csv.gz and, if wanted, a picture of every plate.

    Parameters
    ----------
    request
        Which plates.
    source
        Their digits, in an order drawn by the request's seed.
    out
        Existing folder; ``.plates-…`` in it holds finished stretches until all are done.
    workers
        One process makes everything itself; the files are the same whatever the number.
    on_made
        Called after every step with its number of plates.

    Raises
    ------
    UserError
        If something can't be written.
    """
    digest = hashlib.sha256(np.ascontiguousarray(source.images).data).hexdigest()
    aside = out / f".plates-{hash_of([asdict(request), digest, STRETCH])[:16]}"
    try:
        for older in out.glob(".plates-*"):
            if older != aside:
                shutil.rmtree(older)
        aside.mkdir(exist_ok=True)
        try:
            _make_stretches(request, source, out, aside, workers, on_made)
            _put_together(out, aside)
        finally:
            # A folder without a finished stretch is of no use to the next call.
            if not any(aside.glob("plates-*.csv")):
                shutil.rmtree(aside, ignore_errors=True)
    except (IsADirectoryError, NotADirectoryError, FileExistsError) as fault:
        name = Path(fault.filename2 or fault.filename).name
        raise UserError(f"--out {out}: {name} can't be written ({fault.strerror})") from None


def _make_stretches(
    request: Request,
    source: Digits,
    out: Path,
    aside: Path,
    workers: Workers,
    on_made: Callable[[int], None],
) -> None:
    missing = []
    for first in range(0, request.count, STRETCH):
        if (aside / f"plates-{first:08d}.csv").exists():
            on_made(min(STRETCH, request.count - first))
        else:
            missing.append(first)
    order = np.random.Generator(np.random.PCG64(request.seed)).permutation(len(source))
    tasks = ((first, _stretch(request, source, order, out, aside, first)) for first in missing)
    if workers.scheduler is None and min(workers.local, len(missing)) < 2:
        for _, stretch in tasks:
            make_stretch(stretch, on_made)
        return
    named = ((str(first), stretch) for first, stretch in tasks)
    for _, count in ordered_map(make_stretch, named, workers):
        on_made(count)


def _stretch(
    request: Request, source: Digits, order: NDArray[np.int64], out: Path, aside: Path, first: int
) -> Stretch:
    numbers = np.arange(first, min(first + STRETCH, request.count))
    chosen = order[numbers % len(order)]
    if request.contrast == 0:
        blank = ("",) * len(numbers)
        return Stretch(request, out, aside, first, source.images[:0], blank, blank)
    labels = tuple(str(label) for label in source.labels[chosen])
    indices = tuple(str(index) for index in chosen)
    return Stretch(request, out, aside, first, source.images[chosen], labels, indices)


def make_stretch(stretch: Stretch, on_made: Callable[[int], None] = lambda count: None) -> int:
    """Make a stretch's pictures and rows, and return how many plates it has."""
    request = stretch.request
    dots = io.StringIO()
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    if stretch.first == 0:
        dots.write(",".join(DOT_COLUMNS) + "\n")
        writer.writerow(PLATE_COLUMNS)
    for entry in _plates(stretch):
        file = f"plate-{entry.number:06d}.png" if request.png else ""
        if file:
            _save_picture(stretch, file, entry.plate)
        dots.write(_dot_lines(entry, request))
        row = (entry.number, entry.digit, entry.source_index, entry.seed)
        writer.writerow((*row, request.axis, f"{request.contrast:g}", file))
        on_made(1)
    write_whole(stretch.dots, _packed(dots.getvalue()))
    write_whole(stretch.rows, rows.getvalue().encode("utf-8"))
    return len(stretch.digits)


def _plates(stretch: Stretch) -> Iterator[_Entry]:
    request = stretch.request
    for k, (digit, index) in enumerate(zip(stretch.digits, stretch.source_indices, strict=True)):
        number = stretch.first + k
        seed = int(np.random.SeedSequence([request.seed, number]).generate_state(1)[0])
        blank = request.contrast == 0
        mask = (
            no_numeral_mask(request.spec) if blank else digit_mask(stretch.images[k], request.spec)
        )
        plate = make_plate(mask, seed, seed, request.spec)
        yield _Entry(number, seed, NO_NUMERAL if blank else digit, index, plate)


def _dot_lines(entry: _Entry, request: Request) -> str:
    plate = entry.plate
    lms = with_contrast(plate.lms, plate.figure, request.axis, request.contrast, request.spec)
    columns = (
        plate.packing.x.tolist(),
        plate.packing.y.tolist(),
        plate.packing.radius.tolist(),
        plate.figure.astype(int).tolist(),
        *lms_to_rgb8(lms, SRGB).T.tolist(),
    )
    # Seven digits tell all positions on the packing's lattice apart.
    line = f"{entry.number},%.7f,%.7f,%.7f,%d,%d,%d,%d\n"
    return "".join([line % dot for dot in zip(*columns, strict=True)])


def _save_picture(stretch: Stretch, file: str, plate: Plate) -> None:
    request = stretch.request
    picture = render(plate, request.axis, request.contrast, request.size_px, SRGB, request.spec)
    part = stretch.aside / f"{file}.part"
    with naming(stretch.out / file):
        Image.fromarray(picture).save(part, format="PNG", compress_level=1)
        part.replace(stretch.out / file)


def _packed(text: str) -> bytes:
    """Return gzip without name or time; such pieces can be joined to one file."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=4, fileobj=packed, mtime=0) as file:
        file.write(text.encode("utf-8"))
    return packed.getvalue()


def _put_together(out: Path, aside: Path) -> None:
    for pieces, table in (("dots-*.csv.gz", "dots.csv.gz"), ("plates-*.csv", "plates.csv")):
        whole = aside / f"{table}.part"
        with naming(out / table), whole.open("wb") as stream:
            for piece in sorted(aside.glob(pieces)):
                with piece.open("rb") as part:
                    shutil.copyfileobj(part, stream)
        whole.replace(out / table)
    with suppress(OSError):  # everything is there; leftovers do no harm
        shutil.rmtree(aside)

"""Labelled image sets: a folder with one sub-folder a class, or a CSV of images and labels."""

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stimuli.errors import UserError

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""Of files that are taken for images, in lower case."""


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """An image and the label that the data set gives it.

    Attributes
    ----------
    item
        The image's path within the set, ``/`` as separator; the same on every machine.
    path
        Where it is.
    label
        The label's id: the sub-folder's name, or the CSV's cell.
    """

    item: str
    path: Path
    label: str


def read_labelled(source: Path, reserved: Collection[str] = ()) -> list[LabelledImage]:
    """Return the images of a set, sorted by item.

    Parameters
    ----------
    source
        A folder with one sub-folder a class, or a CSV with columns ``image`` or ``file`` (a
        path, relative to the CSV's folder, or to the folder beside it that is named as the
        CSV is) and ``label``.
    reserved
        Words that no label may be.

    Raises
    ------
    UserError
        If there is no such set, an image is missing or occurs twice, a label is a reserved
        word, or there are fewer than two labels.
    """
    if source.is_dir():
        images = _of_folder(source)
    elif source.is_file():
        images = _of_csv(source)
    else:
        raise UserError(
            f"{source}: is not a set of labelled images (a folder with one sub-folder for each "
            "class, or a CSV with columns image,label)"
        )
    return checked_set(images, source, reserved)


def rows_of(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """Return a CSV's rows as texts, without surrounding blanks.

    Raises
    ------
    UserError
        If it can't be read, has a column twice, or lacks a column or a cell that is needed.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8 CSV") from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        names = [str(name).strip() for name in reader.fieldnames or ()]
        read = list(reader)
    except csv.Error as error:
        raise UserError(f"{path}: can't be read as CSV ({error})") from None
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise UserError(f"{path}: the header names column {twice[0]} twice")
    missing = [name for name in needed if name not in names]
    if missing:
        raise UserError(f"{path}: column missing: {', '.join(missing)}")
    rows = []
    for number, row in enumerate(read, start=2):
        if None in row or None in row.values():
            raise UserError(f"{path}, line {number}: not as many cells as the header has")
        cells = {str(name).strip(): str(cell).strip() for name, cell in row.items()}
        empty = [name for name in needed if not cells[name]]
        if empty:
            raise UserError(f"{path}, line {number}: {empty[0]} is empty")
        rows.append(cells)
    return rows


def _of_folder(folder: Path) -> list[LabelledImage]:
    return [
        LabelledImage(path.relative_to(folder).as_posix(), path, path.parent.name)
        for path in sorted(folder.glob("*/*"))
        if path.suffix.lower() in SUFFIXES and path.name[0] != "." and path.is_file()
    ]


def _of_csv(table: Path) -> list[LabelledImage]:
    rows = rows_of(table, ("label",))
    column = "file" if rows and "image" not in rows[0] and "file" in rows[0] else "image"
    images = []
    for number, row in enumerate(rows_of(table, (column, "label")), start=2):
        named = row[column]
        path = next((at for at in _places(table, named) if at.is_file()), None)
        if path is None:
            raise UserError(f"{table}, line {number}: there is no image {named}")
        item = Path(named)
        name = item.name if item.is_absolute() else item.as_posix()
        images.append(LabelledImage(name, path, row["label"]))
    return images


def _places(table: Path, named: str) -> tuple[Path, Path]:
    return table.parent / named, table.parent / table.stem / named


def checked_set(
    images: Iterable[LabelledImage], source: Path, reserved: Collection[str] = ()
) -> list[LabelledImage]:
    """Return the images of a set, sorted by item; UserError as `read_labelled`."""
    seen: dict[str, LabelledImage] = {}
    for image in images:
        if image.label in reserved:
            raise UserError(f"{source}: the label {image.label} of {image.item} is a reserved word")
        if seen.setdefault(image.item, image) is not image:
            raise UserError(f"{source}: {image.item} occurs twice; each image has one label")
    if len({image.label for image in seen.values()}) < 2:
        raise UserError(
            f"{source}: contains {len(seen)} images of fewer than two labels; a set needs images "
            "of at least two classes (a folder with one sub-folder for each class, or a CSV "
            "image,label)"
        )
    return sorted(seen.values(), key=lambda image: image.item)

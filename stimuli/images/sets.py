"""Labelled image sets, and a classifier's answers to a set of images or texts.

A set is a folder with one sub-folder per class, or a CSV of images and labels. Answers are read
from a CSV or made by a network.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows, rows_of
from stimuli.io.inside import stays_inside

SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""Suffixes of image files, in lower case."""
NO_SOLUTION: Final = "no_solution"
"""The answer "no label fits"."""


@dataclass(frozen=True, slots=True)
class LabelledImage:
    """An image and the label that the data set gives it.

    Attributes
    ----------
    item
        The image's path within the set, ``/`` as separator; the same on every machine. An image
        outside the set's folder has its file's name.
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
        A folder with one sub-folder per class, or a CSV with columns ``image`` or ``file`` (a path,
        relative to the CSV's folder, or to the folder beside it with the CSV's name; it may lead to
        another place, since images are only read) and ``label``.
    reserved
        Words that can't be labels.

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
            f"{source}: there is no such file or folder; give a folder with one sub-folder for "
            "each class, or a table image,label"
        )
    return checked_set(images, source, reserved)


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
    for number, row in numbered_rows(table, (column, "label")):
        named = row[column]
        path = next((at for at in _places(table, named) if at.is_file()), None)
        if path is None:
            raise UserError(f"{table}, row {number}: there is no image {named}")
        item = Path(named).as_posix()
        name = item if stays_inside(item) else path.name
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


@dataclass(frozen=True, slots=True)
class Answer:
    """A label that S gave, and S's probability of it (None where it isn't known)."""

    label: str
    confidence: float | None


Answers = Mapping[str, Sequence[Answer]]
"""S's answers by item, the most confident first; the first is S's answer."""


def read_predictions(path: Path, items: Collection[str]) -> dict[str, tuple[Answer, ...]]:
    """Return a classifier's answers to a set's images or texts.

    Parameters
    ----------
    path
        A CSV with columns ``image`` or ``item`` (as in the set, or its file's name where that
        is unique), ``label`` and, if known, ``confidence`` (0…1). An item may have several
        rows; the most confident is S's answer. ``no_solution`` is an answer too.
    items
        The set's images or texts; rows of others are ignored.

    Raises
    ------
    UserError
        If the file can't be read, a confidence is impossible, an item has no answer, or
        several without a confidence to order them by.
    """
    by_name = _unique_names(items)
    answers: dict[str, list[Answer]] = {}
    rows = rows_of(path, ("label",))
    column = "item" if rows and "image" not in rows[0] and "item" in rows[0] else "image"
    for number, row in numbered_rows(path, (column, "label")):
        name = PurePosixPath(row[column].replace("\\", "/")).as_posix()
        item = name if name in items else by_name.get(PurePosixPath(name).name)
        if item is not None:
            where = f"{path}, row {number}"
            answer = Answer(row["label"], _confidence(row.get("confidence", ""), where))
            answers.setdefault(item, []).append(answer)
    missing = sorted(set(items) - set(answers))
    if missing:
        raise UserError(
            f"{path}: no answer to {len(missing)} of {len(items)} {column}s, e.g. {missing[0]}"
        )
    return {item: _ranked(answers[item], item, path) for item in sorted(answers)}


def abstaining(answers: Answers, abstain_below: float) -> dict[str, tuple[Answer, ...]]:
    """Return answers in which S says ``no_solution`` if its confidence is too low.

    Raises
    ------
    UserError
        If a threshold is asked for and a confidence isn't known.
    """
    if abstain_below == 0:
        return {item: tuple(ranked) for item, ranked in answers.items()}
    silenced = {}
    for item, ranked in answers.items():
        confidence = ranked[0].confidence
        if confidence is None:
            raise UserError(
                f"system.abstain_below is {abstain_below:g}, but S's confidence on {item} isn't "
                "known; add a column confidence"
            )
        silent = (Answer(NO_SOLUTION, confidence),) if confidence < abstain_below else ()
        silenced[item] = (*silent, *ranked)
    return silenced


def _unique_names(items: Collection[str]) -> dict[str, str]:
    """Return the items by their files' names, as far as these are unique."""
    by_name: dict[str, list[str]] = {}
    for item in items:
        by_name.setdefault(PurePosixPath(item).name, []).append(item)
    return {name: paths[0] for name, paths in by_name.items() if len(paths) == 1}


def _confidence(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UserError(f"{where}: confidence is {text!r}, not a probability from 0 to 1")
    return value


def _ranked(answers: Sequence[Answer], item: str, path: Path) -> tuple[Answer, ...]:
    if len(answers) > 1 and any(answer.confidence is None for answer in answers):
        raise UserError(f"{path}: {item} has several answers, and not all have a confidence")
    return tuple(sorted(answers, key=lambda answer: -(answer.confidence or 0.0)))

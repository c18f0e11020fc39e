"""The ground truth and the classes of ILSVRC's images, in the formats that are distributed.

Classes have WordNet ids, words and definitions, from the files that come with the images.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from scipy.io import loadmat

from stimuli.errors import UserError
from stimuli.io.given_files import read_text
from stimuli.io.given_tables import numbered_rows
from stimuli.languages import ENGLISH
from stimuli.names import ANY_LANGUAGE, WNID, first_words, read_names
from xai_backend.metrics.localisation import Box

META: Final = "meta.mat"
WORD_FILES: Final = ("LOC_synset_mapping.txt", "synset_words.txt")
FILES: Final = (
    "LOC_val_solution.csv",
    "ILSVRC2012_validation_ground_truth.txt",
    "imagenet_2012_validation_synset_labels.txt",
    "val.txt",
)
"""Names of published files of ground truth."""
KAGGLE: Final = ("ImageId", "PredictionString")
BOX_CELLS: Final = 5
"""Cells of a box: a class and four edges."""
_NUMBER: Final = re.compile(r"_(\d{8})$")


@dataclass(frozen=True, slots=True)
class Synsets:
    """What is known about the classes.

    Attributes
    ----------
    order
        WordNet ids in order, which is the order of the outputs of most networks.
    names, definitions
        By WordNet id and language.
    by_number
        WordNet ids by their number in the development kit, from 1.
    """

    order: tuple[str, ...] = ()
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)
    definitions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    by_number: Mapping[int, str] = field(default_factory=dict)


def synsets_among(folders: tuple[Path, ...]) -> Synsets:
    """Return the classes of the first file of words and the first ``meta.mat`` in some folders.

    Raises
    ------
    UserError
        If one of the files can't be read.
    """
    kit = next((path for folder in folders if (path := folder / META).is_file()), None)
    synsets = Synsets() if kit is None else _of_kit(kit)
    places = (folder / name for folder in folders for name in WORD_FILES)
    words = next((path for path in places if path.is_file()), None)
    if words is None:
        return synsets
    names = read_names(words)
    order = tuple(sorted(label for label, _ in names))
    return Synsets(order, names, synsets.definitions, synsets.by_number)


def _of_kit(path: Path) -> Synsets:
    """Return the classes without subclasses in the development kit's ``meta.mat``."""
    try:
        rows = np.atleast_1d(loadmat(path, squeeze_me=True)["synsets"])
        kept = [
            (int(row["ILSVRC2012_ID"]), str(row["WNID"]), str(row["words"]), str(row["gloss"]))
            for row in rows
            if int(row["num_children"]) == 0
        ]
    except Exception as fault:  # scipy may raise many exceptions on a damaged file.
        raise UserError(
            f"{path}: is not the development kit's meta.mat ({type(fault).__name__}); copy it again"
        ) from None
    if not kept or not all(WNID.fullmatch(wnid) for _, wnid, _, _ in kept):
        raise UserError(f"{path}: contains no classes of ILSVRC2012; copy it again")
    return Synsets(
        order=tuple(sorted(wnid for _, wnid, _, _ in kept)),
        names=first_words({(wnid, ANY_LANGUAGE): words for _, wnid, words, _ in kept}),
        definitions={(wnid, ENGLISH): gloss for _, wnid, _, gloss in kept if gloss},
        by_number={number: wnid for number, wnid, _, _ in kept},
    )


@dataclass(frozen=True, slots=True)
class Truth:
    """The ground truth of images.

    Attributes
    ----------
    file
        The file that it comes from.
    label_of
        Returns the label for the stem of an image's file name; None if there is none.
    boxes
        Objects by stem, pixels of the whole image, if the file has them.
    """

    file: Path
    label_of: Callable[[str], str | None]
    boxes: Mapping[str, tuple[Box, ...]]


def read_truth(path: Path, synsets: Synsets) -> Truth:
    """Return the ground truth of a file.

    Parameters
    ----------
    path
        ``LOC_val_solution.csv``; a CSV ``image,label``; a text with one number of the development
        kit or one WordNet id on each line, in the order of the images' numbers; or a text with
        an image and its label on each line, where a number is a place in the order of WordNet
        ids, from 0.
    synsets
        The classes that numbers stand for. A ``meta.mat`` beside the file is read, too.

    Raises
    ------
    UserError
        If it can't be read or has none of these forms.
    """
    if path.suffix.lower() == ".csv":
        return _of_csv(path)
    lines = [line.split() for line in read_text(path).splitlines() if line.strip()]
    widths = {len(cells) for cells in lines}
    if widths == {1}:
        return _of_column(path, [cells[0] for cells in lines], synsets)
    if widths == {2}:
        return _of_pairs(path, lines, synsets)
    raise UserError(
        f"{path}: is no ground truth: each line must have one number or WordNet id, or an image "
        "and its label"
    )


def is_kaggle(path: Path) -> bool:
    """Return whether a CSV has the columns of Kaggle's ``LOC_val_solution.csv``."""
    header = read_text(path).partition("\n")[0].split(",")
    return tuple(name.strip() for name in header) == KAGGLE


def _of_csv(path: Path) -> Truth:
    if not is_kaggle(path):
        labels: dict[str, str] = {}
        for number, row in numbered_rows(path, ("image", "label")):
            _put(labels, Path(row["image"]).stem, row["label"], f"{path}, row {number}")
        return Truth(path, labels.get, {})
    solved = solutions_of(path)
    return Truth(
        path,
        {stem: label for stem, (label, _) in solved.items()}.get,
        {stem: boxes for stem, (_, boxes) in solved.items()},
    )


def solutions_of(path: Path) -> dict[str, tuple[str, tuple[Box, ...]]]:
    """Return each image's label and boxes in ``LOC_val_solution.csv``; UserError if damaged."""
    solutions: dict[str, tuple[str, tuple[Box, ...]]] = {}
    for number, row in numbered_rows(path, KAGGLE):
        where, cells = f"{path}, row {number}", row["PredictionString"].split()
        labels = set(cells[::BOX_CELLS])
        if len(cells) % BOX_CELLS or len(labels) != 1 or not WNID.fullmatch(cells[0]):
            raise UserError(
                f"{where}: PredictionString must be one WordNet id with four numbers for each box"
            )
        try:
            edges = [float(cell) for at, cell in enumerate(cells) if at % BOX_CELLS]
        except ValueError:
            raise UserError(f"{where}: the edges of a box must be numbers of pixels") from None
        boxes = tuple(
            (edges[at], edges[at + 1], edges[at + 2], edges[at + 3])
            for at in range(0, len(edges), BOX_CELLS - 1)
        )
        if row["ImageId"] in solutions:
            raise UserError(f"{where}: {row['ImageId']} occurs twice; each image has one label")
        solutions[row["ImageId"]] = cells[0], boxes
    return solutions


def _of_column(path: Path, cells: list[str], synsets: Synsets) -> Truth:
    if all(cell.isdecimal() for cell in cells):
        numbered = synsets.by_number or synsets_among((path.parent,)).by_number
        if not numbered:
            raise UserError(
                f"{path}: has numbers of the development kit; put its {META} beside this file"
            )
        unknown = next((cell for cell in cells if int(cell) not in numbered), None)
        if unknown is not None:
            raise UserError(f"{path}: {META} has no class {unknown}; take both from one kit")
        labels = [numbered[int(cell)] for cell in cells]
    else:
        _check_wnids(path, cells)
        labels = cells

    def label_of(stem: str) -> str | None:
        match = _NUMBER.search(stem)
        place = int(match[1]) if match else 0
        return labels[place - 1] if 0 < place <= len(labels) else None

    return Truth(path, label_of, {})


def _of_pairs(path: Path, lines: list[list[str]], synsets: Synsets) -> Truth:
    if all(cells[1].isdecimal() for cells in lines):
        if not synsets.order:
            raise UserError(
                f"{path}: has numbers for labels; put synset_words.txt beside it, which says what "
                "they are"
            )
        too_large = next((c for c in lines if int(c[1]) >= len(synsets.order)), None)
        if too_large is not None:
            raise UserError(
                f"{path}: {too_large[0]} has label {too_large[1]}, but there are "
                f"{len(synsets.order)} classes, from 0"
            )
        lines = [[name, synsets.order[int(number)]] for name, number in lines]
    else:
        _check_wnids(path, [cells[1] for cells in lines])
    labels: dict[str, str] = {}
    for number, (name, label) in enumerate(lines, start=1):
        _put(labels, Path(name).stem, label, f"{path}, line {number}")
    return Truth(path, labels.get, {})


def _put(labels: dict[str, str], stem: str, label: str, where: str) -> None:
    if stem in labels:
        raise UserError(f"{where}: {stem} occurs twice; each image has one label")
    labels[stem] = label


def _check_wnids(path: Path, cells: list[str]) -> None:
    wrong = next((cell for cell in cells if not WNID.fullmatch(cell)), None)
    if wrong is not None:
        raise UserError(f"{path}: {wrong} is neither a number nor a WordNet id such as n01440764")

"""Table columns as people can read them: numbers in bins, rare categories merged; Adult's columns.

The columns and values of UCI's Adult (census income) are those of the published sheets. Which
values are merged follows Ribeiro et al. (2018), whose data processing the study uses.
"""

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.io.given_files import read_text
from xai_backend.studies.simulatability.trained import Split

QUARTILES: Final = (25, 50, 75)
MOST_CATEGORIES: Final = 10
"""A column of numbers with more distinct values than this is binned."""
RARE_SHARE: Final = 0.01
"""A category with a smaller share of the rows than this is rare."""
OTHER: Final = "other"

Values = tuple[str, ...]


def readable(name: str, cells: Sequence[str]) -> tuple[Values, Values]:
    """Return a column's values as people see them, and its levels in order.

    A column of numbers with more than 10 distinct values is binned at its quartiles. Any other
    column keeps its values as categories; those in less than 1 % of the rows become ``other``.

    Parameters
    ----------
    name
        The column's name, which is part of the bins' names.
    cells
        A cell for each row; none is empty.

    Raises
    ------
    UserError
        If the column has a single value, or every category is rare.
    """
    if len(set(cells)) == 1:
        raise UserError(f"column {name}: every row has {cells[0]!r}; leave the column out")
    numbers = _numbers(cells)
    if numbers is not None and len(set(numbers)) > MOST_CATEGORIES:
        return binned(name, numbers, quartile_edges(numbers))
    return _merged(name, cells)


def quartile_edges(numbers: Sequence[float]) -> list[float]:
    """Return the quartiles that divide a column, each once, ascending; they are values of it.

    The highest value divides nothing. If it is every quartile, the next lower value is the edge.
    """
    edges = np.unique(np.percentile(numbers, QUARTILES, method="inverted_cdf"))
    values = np.unique(numbers)
    inner = edges[edges < values[-1]]
    return [float(edge) for edge in (inner if inner.size else values[-2:-1])]


def binned(
    name: str,
    numbers: Sequence[float],
    edges: Sequence[float],
    at_most: str = "≤",
    digits: int = -1,
) -> tuple[Values, Values]:
    """Return the bin of each number, and all bins from low to high.

    Parameters
    ----------
    edges
        Ascending; a number that equals an edge lies below it.
    at_most
        The sign in the bins' names.
    digits
        Decimals of the edges in the names; below 0: as many as each needs.
    """
    texts = [_text(edge, digits) for edge in edges]
    between = [f"{low} < {name} {at_most} {high}" for low, high in pairwise(texts)]
    levels = (f"{name} {at_most} {texts[0]}", *between, f"{name} > {texts[-1]}")
    places = np.searchsorted(edges, numbers, side="left")
    return tuple(levels[place] for place in places), levels


def _text(edge: float, digits: int) -> str:
    return np.format_float_positional(edge, trim="-") if digits < 0 else f"{edge:.{digits}f}"


def _numbers(cells: Sequence[str]) -> list[float] | None:
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _merged(name: str, cells: Sequence[str]) -> tuple[Values, Values]:
    counts = Counter(cells)
    kept = {cell for cell, count in counts.items() if count >= RARE_SHARE * len(cells)}
    values = tuple(cell if cell in kept else OTHER for cell in cells)
    levels = sorted(set(values) - {OTHER}, key=_by_number)
    if OTHER in values:
        levels.append(OTHER)
    if len(levels) == 1:
        raise UserError(
            f"column {name}: none of its {len(counts)} different values occurs in at least "
            f"{RARE_SHARE:.0%} of the rows; leave the column out"
        )
    return values, tuple(levels)


def _by_number(value: str) -> tuple[float, str]:
    """Order categories that are numbers by size, and others alphabetically."""
    numbers = _numbers([value])
    return (numbers[0] if numbers else float("inf"), value)


Places = NDArray[np.int64]

ADULT_FILE: Final = "adult.data"
CELLS: Final = 15
PUBLISHED_SEED: Final = 1
HELD_OUT: Final = 0.2
ADULT_LABEL_CELL: Final = 14
ADULT_CLASSES: Final = ("below $50K", "above $50K")
ADULT_LABELS: Final = {"<=50K": ADULT_CLASSES[0], ">50K": ADULT_CLASSES[1]}
ADULT_COLUMNS: Final = {
    "Age": 0, "Workclass": 1, "Education": 3, "Marital Status": 5, "Occupation": 6,
    "Relationship": 7, "Race": 8, "Sex": 9, "Capital Gain": 10, "Capital Loss": 11,
    "Hours per week": 12, "Country": 13,
}  # fmt: skip
"""Index of each column's cell in a line; sampling weight and years of school are left out."""

EDGES: Final = {"Age": (28.0, 37.0, 48.0), "Hours per week": (40.0, 45.0)}
"""Quartiles of the whole file."""
MONEY: Final = {
    "Capital Gain": ("No gains", "Low gains", "High gains"),
    "Capital Loss": ("No losses", "Low losses", "High losses"),
}
"""Names of the bins: zero; up to the median of the amounts above zero; more."""
MERGED: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "Education": {
        "Dropout": ("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
        "High School grad": ("HS-grad", "Some-college"),
        "Associates": ("Assoc-acdm", "Assoc-voc"),
        "Prof-School": ("Prof-school",),
    },
    "Marital Status": {
        "Never-Married": ("Never-married",),
        "Married": ("Married-civ-spouse", "Married-AF-spouse"),
        "Separated": ("Separated", "Divorced", "Married-spouse-absent"),
    },
    "Occupation": {
        "Admin": ("Adm-clerical",),
        "Military": ("Armed-Forces",),
        "Blue-Collar": (
            "Craft-repair", "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct",
            "Transport-moving",
        ),
        "White-Collar": ("Exec-managerial",),
        "Service": ("Other-service", "Priv-house-serv"),
        "Professional": ("Prof-specialty",),
        "Other": ("Protective-serv", "Tech-support"),
    },
    "Country": {
        "British-Commonwealth": ("Canada", "England", "India", "Ireland", "Scotland"),
        "China": ("China", "Hong", "Taiwan"),
        "Euro_1": ("France", "Germany", "Holand-Netherlands", "Italy"),
        "Euro_2": ("Greece", "Hungary", "Poland", "Portugal", "South"),
        "Latin-America": (
            "Dominican-Republic", "Guatemala", "Haiti", "Honduras", "Jamaica", "Mexico",
            "Nicaragua", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico", "Trinadad&Tobago",
        ),
        "South-America": ("Columbia", "Ecuador", "El-Salvador", "Peru"),
        "SE-Asia": ("Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"),
        "Other": ("Cuba", "Iran", "Japan"),
    },
}  # fmt: skip
"""The values of the file that each merged value stands for; all others stay unchanged."""


def adult_lines(path: Path) -> list[list[str]]:
    """Return the cells of each line of ``adult.data``; blank lines are left out.

    Raises
    ------
    UserError
        If the file can't be read, or a line isn't one of Adult's.
    """
    text = io.StringIO(read_text(path))
    try:
        lines = [line for line in csv.reader(text, skipinitialspace=True) if line]
    except csv.Error as error:
        raise UserError(f"{path}: isn't a table ({error})") from None
    for number, line in enumerate(lines, start=1):
        if len(line) != CELLS or line[ADULT_LABEL_CELL] not in ADULT_LABELS:
            raise UserError(
                f"{path}, line {number}: isn't a line of Adult ({CELLS} cells, the last <=50K or "
                ">50K); if it is another table, rename the file"
            )
    return lines


def adult_column(name: str, cells: Sequence[str]) -> tuple[Values, Values]:
    """Return a column's values as in the published sheets, and its levels in order.

    Raises
    ------
    UserError
        If a cell that should be a number isn't one.
    """
    if name in EDGES:
        return binned(name, _adult_numbers(name, cells), EDGES[name], at_most="<=", digits=2)
    if name in MONEY:
        return _money(_adult_numbers(name, cells), MONEY[name])
    merged = {old: new for new, olds in MERGED.get(name, {}).items() for old in olds}
    values = tuple(merged.get(cell, cell) for cell in cells)
    return values, tuple(sorted(set(values)))


def published_splits(labels: Sequence[str]) -> dict[Split, list[int]]:
    """Return the rows of the published study's splits: 12,545, 1,568 and 1,569 of Adult's.

    From each class as many rows are drawn as the rarer class has, **with** replacement, so that a
    row may be in several splits, and several times in one split. The id of a test item in the
    published
    sheets is its place in the test split.

    Parameters
    ----------
    labels
        The class of each row of the file.
    """
    # The published code's generators; numpy guarantees that they never change.
    rng = np.random.RandomState(PUBLISHED_SEED)
    of_class = [np.flatnonzero(np.array(labels) == label) for label in ADULT_CLASSES]
    fewest = min(map(len, of_class))
    drawn = np.concatenate([rng.choice(rows, fewest) for rows in of_class])
    trained, held = _parted(len(drawn), HELD_OUT)
    validation, test = _parted(len(held), 0.5)
    return {
        "train": drawn[trained].tolist(),
        "validation": drawn[held[validation]].tolist(),
        "test": drawn[held[test]].tolist(),
    }


def _parted(count: int, share: float) -> tuple[Places, Places]:
    """Return the places that are kept and those that are held out, in random order."""
    order = np.random.RandomState(PUBLISHED_SEED).permutation(count)
    held = math.ceil(share * count)
    return order[held:], order[:held]


def _money(numbers: Sequence[float], levels: Values) -> tuple[Values, Values]:
    above = [number for number in numbers if number > 0]
    places = np.searchsorted([0.0, float(np.median(above or [0.0]))], numbers, side="left")
    return tuple(levels[place] for place in places), levels


def _adult_numbers(name: str, cells: Sequence[str]) -> list[float]:
    try:
        return [float(cell) for cell in cells]
    except ValueError as error:
        raise UserError(f"{ADULT_FILE}: column {name}: {error}") from None

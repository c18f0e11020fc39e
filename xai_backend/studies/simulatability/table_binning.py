"""Columns as people can read them: numbers in bins, rare categories as one."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from stimuli.errors import UserError

QUARTILES: Final = (25, 50, 75)
MOST_CATEGORIES: Final = 10
"""A column of numbers with more distinct values than this is binned."""
RARE_SHARE: Final = 0.01
"""A category that stands in a smaller share of the rows is rare."""
OTHER: Final = "other"

Values = tuple[str, ...]


def readable(name: str, cells: Sequence[str]) -> tuple[Values, Values]:
    """Return a column's values as people see them, and its levels in order.

    A column of numbers with more than 10 distinct values is binned at its quartiles. Any other
    column keeps its values as categories; those in less than 1 % of the rows become ``other``.

    Parameters
    ----------
    name
        The column's, which the bins' names hold.
    cells
        One a row; none is empty.

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
    """Return the quartiles that part a column, each once, ascending; they are values of it.

    The highest value parts nothing. Where it is every quartile, the next lower value is the edge.
    """
    found = np.unique(np.percentile(numbers, QUARTILES, method="inverted_cdf"))
    values = np.unique(numbers)
    inner = found[found < values[-1]]
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
        Ascending; a number that equals one lies below it.
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
    """Order categories that are numbers by their size, and others by the alphabet."""
    numbers = _numbers([value])
    return (numbers[0] if numbers else float("inf"), value)

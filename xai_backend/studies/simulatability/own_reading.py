"""What a lab's own model is asked: sentences as texts, rows as a table of pandas."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.studies.simulatability.trained import AnyInput

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float


def texts_of(inputs: Sequence[AnyInput]) -> list[str]:
    """Return sentences as they are written."""
    return [one.text for one in inputs if isinstance(one, TextInput)]


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes a table from rows, with cells as in the file.

    Attributes
    ----------
    cells
        By column: the cell that a model is given for each value that people see.
    """

    cells: Mapping[str, Mapping[str, Cell]]

    def __call__(self, inputs: Sequence[AnyInput]) -> "pd.DataFrame":
        """Return a table with a row for each input; columns are numeric or text."""
        import pandas as pd  # it takes a second

        values = zip(*(one.parts for one in inputs), strict=True)
        pairs = zip(self.cells.items(), values, strict=True)
        return pd.DataFrame({name: [own[value] for value in some] for (name, own), some in pairs})


def typical_cells(
    levels: Sequence[str], shown: Sequence[str], raw: Sequence[str]
) -> dict[str, Cell]:
    """Return the cell that stands for each value that people see of a column.

    For numbers it is the lower median of those shown as this value, for texts the most frequent
    one.

    Parameters
    ----------
    levels
        The values that people see.
    shown, raw
        The value that each row shows, and the text in its cell.
    """
    cells = _as_numbers(raw)
    every: dict[str, list[Cell]] = {}
    for value, cell in zip(shown, cells, strict=True):
        every.setdefault(value, []).append(cell)
    # For a level that no row has, the whole column's typical cell is close enough.
    return {level: _typical(every.get(level, list(cells))) for level in levels}


def _typical(cells: Sequence[Cell]) -> Cell:
    if isinstance(cells[0], str):
        counts = Counter(cells)
        return min(counts, key=lambda cell: (-counts[cell], str(cell)))
    return np.percentile(np.array(cells), 50, method="inverted_cdf").item()


def _as_numbers(raw: Sequence[str]) -> Sequence[Cell]:
    """Return integers or floats if all cells are numbers; else the texts."""
    try:
        real = [float(cell) for cell in raw]
    except ValueError:
        return raw
    if not np.isfinite(real).all():
        return raw
    whole = all(cell.lstrip("+-").isdecimal() for cell in raw)
    return [int(cell) for cell in raw] if whole else real

"""What a lab's own model is asked: sentences as texts, rows as a table of pandas."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from xai_backend.studies.simulatability.trained import AnyInput

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float
CLOSING: Final = frozenset(".,;:!?)]}%…»”")
OPENING: Final = frozenset("([{«“¿¡")
"""Signs without a blank after them; those in `CLOSING` have none before them."""


@dataclass(frozen=True, slots=True)
class TextReader:
    """Joins tokens to texts.

    Attributes
    ----------
    spaced
        Whether there is a blank between all tokens, as in rt-polarity; else punctuation follows
        words directly.
    """

    spaced: bool

    def __call__(self, inputs: Sequence[AnyInput]) -> list[str]:
        """Return a text for each sentence."""
        return [self.text_of(one.parts) for one in inputs]

    def text_of(self, tokens: Sequence[str]) -> str:
        """Return the text of tokens; empty ones are left out."""
        text, before = "", ""
        for token in filter(None, tokens):
            text += f"{self._between(before, token)}{token}"
            before = token
        return text

    def places_of(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """Return the start and end of each token in the text."""
        places, end, before = [], 0, ""
        for token in tokens:
            begin = end + (len(self._between(before, token)) if token else 0)
            end = begin + len(token)
            places.append((begin, end))
            before = token or before
        return places

    def _between(self, before: str, token: str) -> str:
        joined = not before or (not self.spaced and (token in CLOSING or before in OPENING))
        return "" if joined else " "


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

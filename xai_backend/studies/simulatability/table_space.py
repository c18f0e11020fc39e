"""What a table's row can be changed to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from stimuli.studies.simulatability.inputs import Edit, TableInput
from xai_backend.studies.simulatability.methods.around import (
    CHANGES,
    TRIES,
    drawn_values,
    values_around,
)
from xai_backend.studies.simulatability.table_codes import Codes, Coding
from xai_backend.studies.simulatability.trained import Reals


@dataclass(frozen=True, slots=True)
class TableChanges:
    """A `TableSpace`.

    Attributes
    ----------
    columns
        In the inputs' order.
    levels
        All values of each column.
    shares
        How often each of them stands in the training split; sums to 1 in each column.
    """

    columns: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    shares: Mapping[str, Reals]

    def changes(
        self, given: TableInput, most_edits: int, rng: np.random.Generator
    ) -> Iterator[tuple[Edit, ...]]:
        """Draw 10 tries of 10,000 changes: 1 to ``most_edits`` columns, each to any other value.

        The number of columns, the columns and the values are drawn with equal chances (appendix
        A.2).
        """
        around = values_around(given, self)
        for _ in range(TRIES if len(around.changeable) else 0):
            for codes in drawn_values(around, CHANGES, most_edits, rng):
                yield around.edits(codes)


def table_changes(coding: Coding, train: Codes) -> TableChanges:
    """Return what rows can be changed to.

    Parameters
    ----------
    train
        Codes of the training split, int64 (n, columns).
    """
    shares = {
        name: np.bincount(train[:, place], minlength=size) / len(train)
        for place, (name, size) in enumerate(zip(coding.columns, coding.sizes, strict=True))
    }
    return TableChanges(coding.columns, coding.levels, shares)

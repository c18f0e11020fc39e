"""What a table's row can be changed to."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stimuli.studies.simulatability.inputs import Edit, TableInput
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

    def counterfactual(
        self, given: TableInput, most_edits: int, rng: np.random.Generator
    ) -> tuple[Edit, ...]:
        """Draw a change: 1 to ``most_edits`` columns, each to any other value (appendix A.2).

        The number of columns, the columns and the values are drawn with equal chances.
        """
        count = int(rng.integers(1, min(most_edits, len(self.columns)), endpoint=True))
        places = sorted(rng.choice(len(self.columns), count, replace=False).tolist())
        edits = []
        for place in places:
            old = given.values[place]
            others = [value for value in self.levels[self.columns[place]] if value != old]
            edits.append(Edit(place=place, old=old, new=others[rng.integers(len(others))]))
        return tuple(edits)


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

"""Replicates of the means of a table's cells."""

import numpy as np

from analysis.statistics.bootstrap.draws import Counts, Resampling, Units
from analysis.statistics.bootstrap.resample import each_block
from analysis.statistics.bootstrap.sums import Sums

Array = np.ndarray


def cell_means(values: Array, cell: Array, cells: int, units: Units, plan: Resampling) -> Array:
    """Return bootstrap replicates of the mean of every cell, drawn as in `bootstrap_sums`.

    Parameters
    ----------
    values
        (n, m) columns to average, e.g. acceptance at m decision times.
    cell
        (n,) cell of each row, -1 for none.
    cells
        Number of cells.
    units
        Participant and item of each row.
    plan
        Replicates and seed.

    Returns
    -------
    ndarray
        (replicates, cells, m); NaN where a replicate drew no row of a cell.
    """
    if units.rows == 0:
        return np.full((plan.replicates, cells, values.shape[1]), np.nan)
    counted = np.column_stack([np.ones(len(values)), values])
    own = [
        Sums(counted[rows], units.of_rows(rows))
        for rows in (np.flatnonzero(cell == number) for number in range(cells))
    ]

    def average(counts: Counts) -> Array:
        sums = np.stack([part.of(counts) for part in own], axis=1)
        return sums[:, :, 1:] / sums[:, :, :1]

    return each_block(average, units, plan)

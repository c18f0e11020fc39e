"""Replicates of the means, or of any sums, of a table's cells."""

import numpy as np

from analysis.statistics.bootstrap.draws import Counts, Resampling, Units
from analysis.statistics.bootstrap.resample import Bootstrap, Statistic, each_block
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


def bootstrap_cells(
    columns: Array, cell: Array, cells: int, statistic: Statistic, units: Units, plan: Resampling
) -> Bootstrap:
    """Resample a statistic of the cells' weighted sums, drawn as in `bootstrap_sums`.

    For a few columns of many cells: each row's numbers are held once, not once a cell.

    Parameters
    ----------
    columns
        (n, k).
    cell, cells
        (n,) cell of each row, and their number.
    statistic
        From sums (r, cells, k) to values (r, q); NaN where there is none.
    units, plan
        What is drawn, and how often.
    """
    columns = np.asarray(columns, dtype=float)
    own = [
        Sums(columns[rows], units.of_rows(rows))
        for rows in (np.flatnonzero(cell == number) for number in range(cells))
    ]
    total = np.stack([part.total() for part in own])

    def value(counts: Counts) -> Array:
        parts = [
            part.of(counts) if part.units.rows else np.zeros((len(counts), columns.shape[1]))
            for part in own
        ]
        return statistic(np.stack(parts, axis=1))

    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = statistic(total[None])[0]
    return Bootstrap(estimate, each_block(value, units, plan))

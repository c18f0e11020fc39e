"""The two-way block bootstrap: participants and items drawn again, by weights.

`bootstrap_sums` for what is a function of weighted sums (means, ratios, differences, least
squares), `bootstrap_weights` for anything else, `bootstrap_cells` and `cell_means` for a table's
cells.
"""

from analysis.statistics.bootstrap.cells import bootstrap_cells, cell_means
from analysis.statistics.bootstrap.draws import Resampling, Units
from analysis.statistics.bootstrap.intervals import (
    acceleration,
    basic_interval,
    bca_interval,
    centred_p,
    percentile_interval,
)
from analysis.statistics.bootstrap.resample import Bootstrap, bootstrap_sums, bootstrap_weights

__all__ = [
    "Bootstrap",
    "Resampling",
    "Units",
    "acceleration",
    "basic_interval",
    "bca_interval",
    "bootstrap_cells",
    "bootstrap_sums",
    "bootstrap_weights",
    "cell_means",
    "centred_p",
    "percentile_interval",
]

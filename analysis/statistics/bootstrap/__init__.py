"""The two-way block bootstrap: participants and items drawn again, by weights.

`bootstrap_sums` for what is a function of weighted sums (means, ratios, differences, least
squares), `bootstrap_kinds` for what is one of the numbers of rows of a few kinds, however many
rows there are, `bootstrap_weights` for anything else, `cell_means` for a table's cells.
"""

from analysis.statistics.bootstrap.draws import Resampling, Units
from analysis.statistics.bootstrap.resample import (
    Bootstrap,
    Kinds,
    acceleration,
    basic_interval,
    bca_interval,
    bootstrap_kinds,
    bootstrap_sums,
    bootstrap_weights,
    cell_means,
    centred_p,
    percentile_interval,
)

__all__ = [
    "Bootstrap",
    "Kinds",
    "Resampling",
    "Units",
    "acceleration",
    "basic_interval",
    "bca_interval",
    "bootstrap_kinds",
    "bootstrap_sums",
    "bootstrap_weights",
    "cell_means",
    "centred_p",
    "percentile_interval",
]

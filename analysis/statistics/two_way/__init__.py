"""Design-based intervals of means over participants and items."""

from analysis.statistics.two_way.means import (
    Layout,
    Spread,
    TwoWayMeans,
    band_factor,
    cell_weights,
    largest_deviations,
    two_way_means,
)

__all__ = [
    "Layout",
    "Spread",
    "TwoWayMeans",
    "band_factor",
    "cell_weights",
    "largest_deviations",
    "two_way_means",
]

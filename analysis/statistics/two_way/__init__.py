"""Design-based intervals of means over participants and items."""

from analysis.statistics.two_way.bands import band_factors, largest_deviations
from analysis.statistics.two_way.means import (
    Layout,
    Spread,
    TwoWayMeans,
    cell_weights,
    two_way_means,
)

__all__ = [
    "Layout",
    "Spread",
    "TwoWayMeans",
    "band_factors",
    "cell_weights",
    "largest_deviations",
    "two_way_means",
]

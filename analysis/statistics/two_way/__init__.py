"""Design-based intervals of means over participants and items."""

from analysis.statistics.two_way.bands import band_factor, largest_deviations
from analysis.statistics.two_way.means import (
    Spread,
    TwoWayMeans,
    cell_weights,
    two_way_means,
)

TWO_WAY_WORDS = (
    "Student’s t intervals over participants and items (positive parts of the two-way variance "
    "components, Satterthwaite’s degrees of freedom)"
)
"""How intervals were found, for a methods paragraph."""

__all__ = [
    "TWO_WAY_WORDS",
    "Spread",
    "TwoWayMeans",
    "band_factor",
    "cell_weights",
    "largest_deviations",
    "two_way_means",
]

"""Estimates with their limits, as rows of results.json have them."""

from analysis.mixed.marginal import Estimate
from analysis.statistics.proportions import Interval


def limits_row(part: Interval | Estimate, name: str = "estimate") -> dict[str, float]:
    """Return an estimate by its name, with ``ci_low`` and ``ci_high``."""
    return {name: part.estimate, "ci_low": part.ci_low, "ci_high": part.ci_high}


def named_row(part: Interval | Estimate, name: str) -> dict[str, float]:
    """Return one of several estimates of a row: its limits bear its name, too."""
    return {name: part.estimate, f"{name}_low": part.ci_low, f"{name}_high": part.ci_high}

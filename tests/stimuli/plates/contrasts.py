"""The contrasts that plates are tried at."""

from stimuli.colour.spaces import Axis

DEFAULT_CONTRAST: dict[Axis, float] = {"deutan": 0.040, "protan": 0.035, "tritan": 0.060}


def contrast_ladder(low: float = 0.015, high: float = 0.097, rungs: int = 8) -> tuple[float, ...]:
    """Return contrasts (Δu′v′) in equal ratios from low to high, rounded to 1e-5."""
    if not (0 < low < high and rungs >= 2):
        raise ValueError(f"a ladder of {rungs} rungs from {low} to {high} can't be made")
    return tuple(round(low * (high / low) ** (i / (rungs - 1)), 5) for i in range(rungs))

"""The effect that a simulation takes as true: how much sooner one method has images recognised."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sooner:
    """One method against all others, which are alike.

    Attributes
    ----------
    odds_ratio
        Of recognition at a step by that method to the reference's; 1 is no effect.
    recognised
        What it adds to recognition by the last step, averaged over people and images.
    steps
        What it adds to the mean number of steps; below 0 for a method that is better.
    """

    odds_ratio: float
    recognised: float
    steps: float

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"x{self.odds_ratio:g}"

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"odds_ratio": self.odds_ratio}

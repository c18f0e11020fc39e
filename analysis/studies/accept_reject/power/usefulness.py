"""The effect that a simulation takes as true: what explanations bring."""

from dataclasses import dataclass

from analysis.power.grid import Grid


@dataclass(frozen=True, slots=True)
class Usefulness:
    """Usefulness of explanations: differences of the probability of acceptance in time.

    Attributes
    ----------
    system, expert
        Of S's explanations, and of E's.
    """

    system: float
    expert: float

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        return f"S{self.system:g}/E{self.expert:g}"

    @property
    def mean(self) -> float:
        """Usefulness averaged over S and E."""
        return (self.system + self.expert) / 2

    @property
    def difference(self) -> float:
        """Usefulness of S's explanations less that of E's."""
        return self.system - self.expert

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"effect": self.system, "effect_expert": self.expert}


def grid_of(
    participants: tuple[int, ...],
    items: tuple[int, ...],
    effects: tuple[float, ...],
    effect_expert: float | None,
    runs: int,
) -> Grid:
    """Return all combinations. With `effect_expert` None, E's explanations bring what S's bring."""
    put_in = (Usefulness(s, s if effect_expert is None else effect_expert) for s in effects)
    return Grid(participants, items, tuple(put_in), runs)

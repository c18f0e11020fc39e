"""The effect that a simulation takes as true: what explanations bring, and what harm they do."""

from dataclasses import dataclass

from analysis.power.grid import Grid
from stimuli.errors import UserError

MOST_HARM = 5.0


@dataclass(frozen=True, slots=True)
class Usefulness:
    """What explanations bring, and what harm they do.

    Attributes
    ----------
    system, expert
        Usefulness of S's explanations, and of E's: differences of the probability of acceptance in
        time.
    harm
        By how much explanations lower d′ on matched controls.
    """

    system: float
    expert: float
    harm: float = 0.0

    @property
    def name(self) -> str:
        """The effect in a run's key."""
        harm = f"/H{self.harm:g}" if self.harm else ""
        return f"S{self.system:g}/E{self.expert:g}{harm}"

    @property
    def difference(self) -> float:
        """Usefulness of S's explanations less that of E's."""
        return self.system - self.expert

    def columns(self) -> dict[str, float]:
        """Return the effect as it stands in the table of results."""
        return {"effect": self.system, "effect_expert": self.expert, "harm": self.harm}


def effects_of(option: str, text: str) -> tuple[tuple[float, float], ...]:
    """Return effects written as ``USEFULNESS`` or ``USEFULNESS:HARM``, with commas between.

    Returns
    -------
    tuple
        Pairs of usefulness and harm, ascending, each once.

    Raises
    ------
    UserError
        For anything else.
    """
    found = set()
    for part in text.split(","):
        try:
            usefulness, harm = (float(number) + 0.0 for number in (part + ":0").split(":")[:2])
            if part.count(":") > 1:
                raise ValueError(part)
        except ValueError:
            raise UserError(
                f"{option} {text}: must be as in 0,0.1:0.5 (usefulness, or usefulness:fall of d′)"
            ) from None
        if not -1 <= usefulness <= 1:
            raise UserError(f"{option} {text}: a difference of probabilities is between -1 and 1")
        if not 0 <= harm <= MOST_HARM:
            raise UserError(f"{option} {text}: a fall of d′ is between 0 and {MOST_HARM:g}")
        found.add((usefulness, harm))
    return tuple(sorted(found))


def grid_of(
    participants: tuple[int, ...],
    items: tuple[int, ...],
    effects: tuple[tuple[float, float], ...],
    effect_expert: float | None,
    runs: int,
) -> Grid:
    """Return all combinations. With `effect_expert` None, E's explanations bring what S's bring."""
    put_in = (Usefulness(s, s if effect_expert is None else effect_expert, h) for s, h in effects)
    return Grid(participants, items, tuple(put_in), runs)

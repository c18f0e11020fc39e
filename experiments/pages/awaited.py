"""Which presses a page waits for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from experiments.engine.input import Press
from experiments.screens.parts import Area


@dataclass(frozen=True, slots=True)
class Awaited:
    """The presses that end a wait.

    Attributes
    ----------
    keys
        Any of them.
    chord
        Whether the chord's modifiers have to be down too.
    since_s
        A press counts from then on; None from when the page came.
    areas
        Where a click stands for a key, by the key.
    """

    keys: frozenset[str]
    chord: bool = False
    since_s: float | None = None
    areas: Mapping[str, Area] = field(default_factory=dict)

    def is_met_by(self, press: Press, after_s: float) -> bool:
        """Return whether a key's press ends the wait, if it came after a time."""
        return press.key in self.keys and press.chord == self.chord and press.t_s > after_s

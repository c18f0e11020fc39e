"""A made-up model: each word or value has a weight, and their sum decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from stimuli.studies.simulatability.inputs import Edit, TableInput, TextInput

AnyInput = TextInput | TableInput
SUBJECTS: Final = (
    "plot", "cast", "story", "music", "ending", "camera", "script", "pace", "humour", "dialogue",
)  # fmt: skip
OPINIONS: Final = {
    "wonderful": 2.0, "moving": 1.5, "clever": 1.2, "warm": 0.9, "funny": 0.7, "solid": 0.4,
    "slow": -0.5, "clumsy": -0.8, "flat": -1.1, "noisy": -1.3, "dull": -1.6, "awful": -2.1,
}  # fmt: skip
FRAMES: Final = (
    ("the", "*", "is", "!", ",", "the", "*", "was", "!", "and", "the", "*", "!"),
    ("with", "its", "!", "*", "and", "!", "*", ",", "the", "*", "seems", "!"),
    ("a", "!", "*", ",", "although", "the", "*", "is", "!", "and", "the", "*", "rather", "!"),
)
"""Sentences, with places for a subject (``*``) and an opinion (``!``)."""
COLUMNS: Final = {
    "Age": {"Age ≤ 28": -0.9, "28 < Age ≤ 37": -0.2, "37 < Age ≤ 48": 0.5, "Age > 48": 0.8},
    "Education": {"School": -1.2, "Vocational": -0.3, "Bachelor": 0.7, "Master": 1.4},
    "Work": {"Private": 0.1, "State": 0.3, "Own business": 0.6, "Other": -0.6},
    "Hours": {"Hours ≤ 20": -1.1, "20 < Hours ≤ 40": -0.1, "40 < Hours ≤ 50": 0.6, "Hours > 50": 1},
    "Home": {"Town": 0.0, "Village": 0.0, "Suburb": 0.0, "Coast": 0.0},
    "Savings": {"None": -0.8, "Some": 0.2, "Many": 1.3, "Unknown": -0.4},
    "Commute": {"On foot": 0.0, "By bicycle": 0.0, "By bus": 0.0, "By car": 0.0},
    "Children": {"No child": 0.1, "One": 0.2, "Two": -0.1, "Three or more": -0.3},
}


@dataclass(frozen=True, slots=True)
class SketchModel:
    """A linear model of a domain, and what its inputs can hold.

    Attributes
    ----------
    domain, classes
        As in the pack; the negative class first.
    weights
        Of every part that an input may hold.
    """

    domain: str
    classes: tuple[str, str]
    weights: Mapping[str, float]

    def weight(self, part: str) -> float:
        """Return a part's weight; 0 of what carries none."""
        return self.weights.get(part, 0.0)

    def margin(self, given: AnyInput) -> float:
        """Return the evidence for the positive class; never quite 0."""
        return round(sum(map(self.weight, given.parts)), 6) + 0.05

    def output(self, given: AnyInput) -> str:
        """Return the class that an input is said to be of."""
        return self.classes[self.margin(given) > 0]

    def drawn(self, rng: np.random.Generator) -> AnyInput:
        """Draw an input."""
        if self.domain == "tabular":
            values = tuple(str(rng.choice(list(levels))) for levels in COLUMNS.values())
            return TableInput(columns=tuple(COLUMNS), values=values)
        holes = {"*": SUBJECTS, "!": tuple(OPINIONS)}
        frame = FRAMES[int(rng.integers(len(FRAMES)))]
        return TextInput(tokens=tuple(str(rng.choice(holes.get(one, (one,)))) for one in frame))

    def levels(self, given: AnyInput, place: int) -> tuple[str, ...]:
        """Return what else could stand at a place; empty where nothing could."""
        part = given.parts[place]
        if isinstance(given, TableInput):
            known: Sequence[str] = tuple(COLUMNS[given.columns[place]])
        else:
            known = next((some for some in (SUBJECTS, tuple(OPINIONS)) if part in some), ())
        return tuple(level for level in known if level != part)

    def changed(self, given: AnyInput, most: int, rng: np.random.Generator) -> tuple[Edit, ...]:
        """Draw up to so many edits; one of them changes what carries no weight.

        So no path to the boundary, which changes weights alone, tells the output on it.
        """
        places = [place for place in range(len(given.parts)) if self.levels(given, place)]
        idle = [place for place in places if not self._matters(given, place)]
        count = int(rng.integers(1, most + 1))
        others = rng.choice(places, size=min(count - 1, len(places)), replace=False)
        chosen = {int(rng.choice(idle)), *map(int, others)}
        return tuple(self._edit(given, place, rng) for place in sorted(chosen))

    def path(self, given: AnyInput) -> tuple[tuple[Edit, ...], ...]:
        """Return the edits so far, step by step, until the output changes: largest first."""
        sign = 1 if self.margin(given) > 0 else -1
        best = {
            place: min(self.levels(given, place), key=lambda level: sign * self.weight(level))
            for place in range(len(given.parts))
            if self._matters(given, place)
        }
        gain = {place: sign * (self.weight(given.parts[place]) - self.weight(to))
                for place, to in best.items()}  # fmt: skip
        steps: list[tuple[Edit, ...]] = []
        margin = sign * self.margin(given)
        for place in sorted(gain, key=lambda place: (-gain[place], place)):
            edit = Edit(place=place, old=given.parts[place], new=best[place])
            steps.append((*(steps[-1] if steps else ()), edit))
            margin -= gain[place]
            if margin < 0:
                break
        return tuple(tuple(sorted(step, key=lambda edit: edit.place)) for step in steps)

    def _matters(self, given: AnyInput, place: int) -> bool:
        return any(self.weight(level) for level in self.levels(given, place))

    def _edit(self, given: AnyInput, place: int, rng: np.random.Generator) -> Edit:
        new = str(rng.choice(self.levels(given, place)))
        return Edit(place=place, old=given.parts[place], new=new)

"""A domain with models that need no training: sums of weights."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from stimuli.studies.simulatability.stimulus import Edit, TableInput
from xai_backend.studies.simulatability.trained import Labelled, Trained

COLUMNS = tuple("ABCDEFGH")
LEVELS = ("0", "1", "2", "3")


def latents(inputs):
    """Return one-hot rows, shape (n, 32)."""
    codes = np.array([[int(value) for value in one.values] for one in inputs])
    return np.eye(len(LEVELS))[codes].reshape(len(codes), -1)


@dataclass(frozen=True)
class Sum:
    """A model whose margin is the sum of the values' weights, and a likeness to some rows."""

    weights: np.ndarray
    prototypes: tuple[TableInput, ...] = ()
    prototype_labels: tuple[str, ...] = ()
    classes: tuple[str, str] = ("no", "yes")

    def margins(self, inputs):
        """Return the sums."""
        return latents(inputs) @ self.weights.ravel()

    def latents(self, inputs):
        """Return what the sums are of."""
        return latents(inputs)

    def margins_without(self, instance):
        """Return the sums with each value's weight left out: weights sum to 0 in a column."""
        own = [self.weights[place, int(value)] for place, value in enumerate(instance.values)]
        return sum(own) - np.array(own)

    def scores(self, inputs):
        """Return the classes' scores, which lie half the sum from zero."""
        return np.outer(self.margins(inputs), (-0.5, 0.5))

    def scores_without(self, instance):
        """Return the scores with each value left out."""
        return np.outer(self.margins_without(instance), (-0.5, 0.5))

    def likeness(self, inputs):
        """Return exp(-|z - p|²)."""
        rows, others = latents(inputs), latents(self.prototypes)
        return np.exp(-((rows[:, None] - others[None]) ** 2).sum(axis=2))


@dataclass(frozen=True)
class Space:
    """Any values but the row's own."""

    columns: tuple[str, ...] = COLUMNS
    levels: dict = field(default_factory=lambda: dict.fromkeys(COLUMNS, LEVELS))
    shares: dict = field(default_factory=lambda: dict.fromkeys(COLUMNS, np.full(4, 0.25)))

    def changes(self, instance, most_edits, rng):
        """Draw up to so many edits."""
        for _ in range(2000):
            places = rng.choice(len(COLUMNS), size=rng.integers(1, most_edits + 1), replace=False)
            yield tuple(
                Edit(
                    place=int(place),
                    old=instance.values[place],
                    new=str(rng.choice([v for v in LEVELS if v != instance.values[place]])),
                )
                for place in sorted(places)
            )


@cache
def made_up(rows: int = 1200, unlike: float = 0.3, seed: int = 1) -> Trained:
    """Return a domain; `unlike` is how far the second model's weights are from the first's."""
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(len(COLUMNS), len(LEVELS)))
    weights -= weights.mean(axis=1, keepdims=True)
    model = Sum(weights)
    splits = {"train": [], "validation": [], "test": []}
    for number in range(rows):
        instance = TableInput(columns=COLUMNS, values=tuple(map(str, rng.choice(LEVELS, 8))))
        label = model.classes[int(model.margins([instance])[0] + rng.normal() > 0)]
        split = ("train", "validation", "test", "test")[number % 4]
        splits[split].append(Labelled(f"{number}", instance, label))
    known = splits["train"][:10]
    other = Sum(
        weights + unlike * rng.normal(size=weights.shape),
        tuple(row.instance for row in known),
        tuple(row.label for row in known),
    )
    return Trained("tabular", model, other, splits, Space(), (0.8, 0.8))

"""What a robot remembers of examples: outputs, and what their explanations said."""

from collections import defaultdict
from dataclasses import dataclass, field
from math import log
from statistics import mean

from participants.studies.simulatability.robots.reading import Feature, Reading, features_of
from stimuli.studies.simulatability.inputs import TableInput, TextInput

UNSEEN: int = 1
"""Added to each class's count of a feature, so that one example doesn't decide all."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Examples of one domain.

    Attributes
    ----------
    outputs
        Examples by presentation: features, and the output's sign (1: the positive class).
    weights
        Weights of features as explanations gave them.
    """

    outputs: dict[str, tuple[frozenset[Feature], int]] = field(default_factory=dict)
    weights: dict[Feature, list[float]] = field(default_factory=lambda: defaultdict(list))

    def keep(self, name: str, given: TextInput | TableInput, sign: int) -> None:
        """Remember an example's output."""
        self.outputs[name] = frozenset(features_of(given)), sign

    def keep_reading(self, given: TextInput | TableInput, reading: Reading) -> None:
        """Remember what an explanation said."""
        features = features_of(given)
        for place, weight in reading.weights.items():
            self.weights[features[place]].append(weight)
        for (place, value), weight in reading.new.items():
            self.weights[features[place][0], value.lower()].append(weight)

    def by_examples(self, feature: Feature) -> float:
        """Return how much a feature speaks for the positive class by the examples' outputs.

        The log of the ratio of both classes' counts, as in naive Bayes with add-one smoothing.
        """
        signs = [sign for features, sign in self.outputs.values() if feature in features]
        positive = signs.count(1)
        return log((positive + UNSEEN) / (len(signs) - positive + UNSEEN))

    def by_explanations(self, feature: Feature) -> float:
        """Return how much a feature speaks for the positive class by explanations; 0: unknown."""
        weights = self.weights.get(feature)
        return mean(weights) if weights else 0.0

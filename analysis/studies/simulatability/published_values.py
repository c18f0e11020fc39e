"""What the published study reports: Tables 1 to 5, as data.

Hase & Bansal (2020), Evaluating explainable AI: which algorithmic explanations help users predict
model behavior? Accuracies and changes are percentage points, half-widths those of 95 % intervals.
The answers of its users were never published, so none of this can be computed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from analysis.studies.simulatability.trials import Condition
from analysis.studies.simulatability.words import ALL, COUNTERFACTUAL, FORWARD
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS

REFERENCE: Final = (
    "Hase & Bansal (2020), Evaluating Explainable AI: Which Algorithmic Explanations Help Users "
    "Predict Model Behavior? 39 tests by 29 people, 2,166 items answered in both phases."
)
REMARK: Final = (
    "The raw answers of the published study were never published: its numbers can’t be computed "
    "again. Its Change includes practice, because it had no arm without explanations."
)

TEXT, TABULAR = "text", "tabular"
TABLES: Final[Mapping[Condition, str]] = {
    (TEXT, ALL): "Table 1",
    (TABULAR, ALL): "Table 1",
    (ALL, FORWARD): "Table 2",
    (ALL, COUNTERFACTUAL): "Table 2",
}


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a method in a condition: items, points, half the interval's width, p."""

    n: int
    change: float
    half_width: float
    p: float


def _of_methods(*rows: tuple[int, float, float, float]) -> dict[str, Change]:
    return {method: Change(*row) for method, row in zip(PUBLISHED_METHODS, rows, strict=True)}


CHANGE: Final[Mapping[Condition, Mapping[str, Change]]] = {
    (TEXT, ALL): _of_methods(
        (190, 0.99, 9.58, 0.834),
        (181, 1.71, 9.43, 0.704),
        (223, 3.68, 9.67, 0.421),
        (230, -1.93, 13.25, 0.756),
        (320, 3.80, 11.09, 0.486),
    ),
    (TABULAR, ALL): _of_methods(
        (179, 11.25, 8.83, 0.014),
        (215, 5.01, 8.58, 0.234),
        (192, 1.68, 10.07, 0.711),
        (182, 5.27, 10.08, 0.271),
        (254, 0.33, 10.30, 0.952),
    ),
    (ALL, FORWARD): _of_methods(
        (190, 5.70, 9.05, 0.197),
        (199, 0.86, 10.48, 0.869),
        (223, -2.64, 9.59, 0.566),
        (205, -0.92, 11.87, 0.876),
        (286, -2.07, 8.51, 0.618),
    ),
    (ALL, COUNTERFACTUAL): _of_methods(
        (179, 5.25, 10.59, 0.309),
        (197, 5.66, 7.91, 0.140),
        (192, 9.53, 8.55, 0.032),
        (207, 2.48, 11.62, 0.667),
        (288, 7.36, 9.38, 0.122),
    ),
}
"""Tables 1 and 2, in the order of `PUBLISHED_METHODS`."""
PRE: Final[Mapping[Condition, tuple[int, float]]] = {
    (TEXT, ALL): (1144, 62.67),
    (TABULAR, ALL): (1022, 70.74),
    (ALL, FORWARD): (1103, 69.71),
    (ALL, COUNTERFACTUAL): (1063, 63.13),
}
"""Items, and accuracy before explanations over users."""
RATED: Final[Mapping[str, tuple[int, ...]]] = {
    TEXT: (144, 133, 191, 224, 240),
    TABULAR: (130, 175, 144, 144, 192),
}
"""Table 3: ratings by method, in the order of `PUBLISHED_METHODS`; its means aren't at hand."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Ratings in Table 5: how many, their mean, half the interval's width, their SD."""

    n: int
    mean: float
    half_width: float
    sd: float


BY_MODEL: Final[Mapping[tuple[str, bool], Rating]] = {
    (TEXT, True): Rating(464, 4.44, 0.49, 1.89),
    (TEXT, False): Rating(468, 4.12, 0.67, 1.81),
    (TABULAR, True): Rating(391, 5.09, 0.27, 1.64),
    (TABULAR, False): Rating(394, 4.64, 0.27, 1.69),
}
"""Table 5: by domain, and whether the model was right."""
PREDICTING: Final[Mapping[str, int]] = {TEXT: 640, TABULAR: 515}
"""Predictions from which rating was related to being right."""
TASK: Final = "task model"
MODELS: Final[Mapping[tuple[str, str], float]] = {
    (TEXT, TASK): 80.93,
    (TEXT, "prototype network"): 80.64,
    (TABULAR, TASK): 83.49,
    (TABULAR, "prototype network"): 81.90,
}
"""Table 4: per cent of the test split that is right, by domain and model."""

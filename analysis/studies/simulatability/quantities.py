"""What several questions of simulatability estimate."""

from typing import Final

from analysis.questions.estimates import Quantity
from analysis.report.wording import grouped, signed
from analysis.studies.simulatability.words import tenth

CHANGE_POINTS = Quantity(
    "change_points", "Change", "Accuracy after explanations less that before.", signed, "points"
)
DIFFERENCE = Quantity(
    "difference_points", "Difference", "Change of a method less that of the arm without "
    "explanations.", signed, "points",
)  # fmt: skip
AFTER = Quantity(
    "after_difference_points", "Difference", "Accuracy after explanations of a method less that of "
    "the arm without explanations.", signed, "points",
)  # fmt: skip
BEFORE = Quantity(
    "before_difference_points", "Difference", "Accuracy before the explanations of a test, of "
    "people who took the other test first: that with a method less that without explanations.",
    signed, "points",
)  # fmt: skip
POOLED = Quantity(
    "pooled_difference_points", "Difference", "All methods with explanations, each of the same "
    "weight, less the arm without.", signed, "points",
)  # fmt: skip
EFFECT = Quantity(
    "effect_points", "Effect", "What a method’s explanations add in a test, by the analysis that "
    "decides; `measured` names the quantity.", signed, "points",
)  # fmt: skip
METHOD_EFFECTS: Final = (EFFECT, CHANGE_POINTS, DIFFERENCE, AFTER, BEFORE, POOLED)
"""What each method’s explanations add."""

PEOPLE = Quantity("people", "Participants", "Participants.", grouped, "n")
PRE_SHRUNKEN = Quantity(
    "pre_shrunken_percent", "Before", "Accuracy before explanations, shrunken over methods.",
    tenth, "shrunken, %",
)  # fmt: skip
PRE_RIGHT = Quantity("pre_percent", "Before", "Accuracy before explanations.", tenth, "%")
POST_RIGHT = Quantity("post_percent", "After", "Accuracy after explanations.", tenth, "%")
SHRUNKEN_CHANGE = Quantity(
    "shrunken_change_points", "Change", "Accuracy after explanations less the shrunken accuracy "
    "before them.", signed, "points",
)  # fmt: skip
PUBLISHED_CHANGE = Quantity(
    "published_change_points", "Change", "Mean of the replicates of the published bootstrap, as "
    "the paper prints it.", signed, "points",
)  # fmt: skip
HALF_WIDTH = Quantity(
    "published_half_width", "Half-width", "Half the width of the interval of an estimate by the "
    "published bootstrap, as printed after ±.",
)  # fmt: skip
REPLICATES = Quantity(
    "replicates",
    "Replicates",
    "Replicates that gave a value, of the n that were drawn.",
    grouped,
)
CHANGES: Final = (
    PEOPLE, PRE_SHRUNKEN, PRE_RIGHT, POST_RIGHT, SHRUNKEN_CHANGE, PUBLISHED_CHANGE, HALF_WIDTH,
    REPLICATES,
)  # fmt: skip
"""What the published bootstrap says of Change."""

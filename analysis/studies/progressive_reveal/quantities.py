"""What several questions estimate of rounds: how much was uncovered, and what was recognised."""

from typing import Final

from analysis.questions.estimates import Quantity
from analysis.report.wording import (
    bare_percent,
    number,
    points,
    points_tenth,
    rounded,
    signed,
    whole_percent,
)

RECOGNISED: Final = "recognised"
ALL_LAST_STEP: Final = "all_last_step"
READINGS: Final = (RECOGNISED, ALL_LAST_STEP)
"""Which rounds the average of uncovered pixels takes: the recognised ones, or all of them."""

SHARE = Quantity(
    "uncovered_share", "Uncovered",
    "Share of the image uncovered on average in completed rounds. Reading recognised: recognised "
    "rounds; all_last_step: all of them, unrecognised ones with their last pixels.",
    bare_percent, "% of image",
)  # fmt: skip
RATE = Quantity(
    "recognition_rate", "Recognised", "Share of completed rounds that were recognised.",
    whole_percent, "%",
)  # fmt: skip

HAZARD = Quantity(
    "hazard", "Hazard",
    "Share recognised at a step of the rounds that saw it whole, unrecognised before.",
    whole_percent,
)  # fmt: skip
REACHED = Quantity(
    "recognised_by_step", "Recognised",
    "Share recognised by the end of a step, all rounds (product-limit estimate).", whole_percent,
)  # fmt: skip
MODELLED = Quantity(
    "modelled_by_step", "Model",
    "The same by the discrete-time model, averaged over participants and images.", whole_percent,
    "%",
)  # fmt: skip
MEAN_STEPS = Quantity(
    "mean_steps", "Mean steps",
    "Steps begun until recognition; unrecognised rounds count with all steps.", rounded(number, 1),
)  # fmt: skip
RESTRICTED = Quantity(
    "restricted_share", "Restricted mean",
    "Mean share of the image uncovered up to recognition, restricted image by image; recognition "
    "in the middle of its step.", bare_percent, "% of image",
)  # fmt: skip
RESTRICTED_END = Quantity(
    "restricted_share_at_end", "Within steps",
    "The same with recognition at the lower or the upper end of its step.", bare_percent,
    "% of image",
)  # fmt: skip

RECOGNISED_LESS = Quantity(
    "recognised_difference", "recognised by the end, points",
    "Recognition by the end less another method's.", points, "points",
)  # fmt: skip
STEPS_LESS = Quantity(
    "steps_difference", "mean steps", "Mean steps less another method's.", signed
)  # fmt: skip
RESTRICTED_LESS = Quantity(
    "restricted_difference", "restricted mean, points of the image",
    "Restricted mean share less another method's.", points_tenth,
)  # fmt: skip
LESS_BY_STEP = Quantity(
    "recognised_difference_by_step", "Difference",
    "Recognition by the end of a step less the reference's, by means.", points,
)  # fmt: skip

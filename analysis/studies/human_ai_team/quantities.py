"""What several questions of human_ai_team estimate.

A difference has the id of what is compared, and ``_difference`` after it.
"""

from collections.abc import Mapping
from typing import Final

from analysis.questions.estimates import Quantity
from analysis.report.wording import number, points
from analysis.studies.human_ai_team.words import hundredths, tenths

ACCURACY, OVER, UNDER = "accuracy", "over_reliance", "under_reliance"
TOLD_APART: Final = "discrimination"
D_PRIME, CRITERION = "d_prime", "criterion"
COMPARED: Final = (ACCURACY, OVER, UNDER, TOLD_APART)
"""What hypotheses and verdicts are about."""

MEAN = Quantity(
    ACCURACY, "Mean",
    "Share of right answers: mean over participants; by the model, of the base’s labels.",
    hundredths, "%",
)  # fmt: skip
MEASURES: Final[Mapping[str, Quantity]] = {
    quantity.id: quantity
    for quantity in (
        MEAN,
        Quantity("reliance", "Followed", "Share of the AI’s labels that were accepted.", tenths),
        Quantity(
            OVER, "Over-reliance", "Share of the AI’s wrong labels that were accepted.", tenths
        ),
        Quantity(
            UNDER, "Under-reliance", "Share of the AI’s right labels that were rejected.", tenths
        ),
        Quantity(
            "appropriate_reliance", "Appropriate reliance",
            "Share of answers that accept a right label or reject a wrong one.", tenths,
        ),
        Quantity(
            TOLD_APART, "Discrimination",
            "How much more often right labels were accepted than wrong ones.", tenths,
        ),
        Quantity(
            "switch_fraction", "switched to the AI’s answer",
            "Share of the AI’s differing answers for which one’s own was given up.", tenths,
        ),
        Quantity(
            "relative_ai_reliance", "relative AI reliance (RAIR)",
            "The same where one’s own answer was wrong and the AI’s right.", tenths,
        ),
        Quantity(
            "relative_self_reliance", "relative self-reliance (RSR)",
            "Share of own right answers that were kept against a wrong AI.", tenths,
        ),
        Quantity(
            D_PRIME, "d′",
            "Sensitivity d′ to whether the label is right, of all answers of an arm, with the "
            "log-linear correction.",
            number,
        ),
        Quantity(
            CRITERION, "c", "Criterion c of the same; above zero it leans to rejecting.", number
        ),
    )
}  # fmt: skip
"""Measures of an arm, by their names."""
DIFFERENCES: Final[Mapping[str, Quantity]] = {
    name: Quantity(
        f"{name}_difference",
        heading,
        f"{heading} of an arm less that of another; `by` says by which analysis.",
        *((number,) if name in (D_PRIME, CRITERION) else (points, "points")),
    )
    for name, heading in (
        (ACCURACY, "Right answers"),
        (OVER, "Over-reliance"),
        (UNDER, "Under-reliance"),
        (TOLD_APART, "Discrimination"),
        (D_PRIME, "d′"),
        (CRITERION, "c"),
    )
}
"""The same of one arm less another."""
TESTED: Final = tuple(DIFFERENCES[name] for name in COMPARED)
"""The differences that hypotheses and verdicts are about."""
VERDICT = Quantity(
    "verdict_of_arm", "Verdict", "What an arm does against the reference; its verdict says it."
)

SD = Quantity(
    "accuracy_sd", "SD", "Standard deviation of participants’ right answers, divided by n − 1.",
    hundredths, "n − 1",
)  # fmt: skip
SD_N = Quantity("accuracy_sd_n", "SD", "The same, divided by n.", hundredths, "n")
MEDIAN = Quantity("accuracy_median", "Median", "Median of the same.", hundredths, "%")
LOWEST = Quantity("accuracy_lowest", "Lowest", "The lowest of them.", hundredths, "%")
HIGHEST = Quantity("accuracy_highest", "Highest", "The highest of them.", hundredths, "%")
RIGHT = Quantity("right_answers", "Right", "Right answers of all n answers of an arm.", tenths)
OF_ARM: Final = (MEAN, SD, SD_N, MEDIAN, LOWEST, HIGHEST, RIGHT)

SHIFT = Quantity(
    "accuracy_shift", "Shift",
    "Hodges and Lehmann’s shift of participants’ right answers, over participants only.",
    points, "points",
)  # fmt: skip
MOST_U = Quantity("most_u", "Largest U", "The largest that U of the same test can be.")
EFFECT = Quantity("accuracy_r", "Rank-biserial r", "Effect size of the same test.")
T_DIFFERENCE = Quantity(
    "accuracy_mean_difference", "Difference", "Difference of means, over participants only.",
    points, "points",
)  # fmt: skip
G = Quantity("accuracy_g", "Hedges’ g", "Effect size of the same test.")
OF_PAIR: Final = (SHIFT, MOST_U, EFFECT, T_DIFFERENCE, G, DIFFERENCES[ACCURACY])

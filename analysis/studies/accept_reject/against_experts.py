"""Whether S is worse than, like or better than E: the estimate, its verdict, and its words.

accept_reject_accuracy and power simulations of both studies take them from here.
"""

from collections.abc import Callable
from typing import Any, Final

from analysis.power.question import Verdicts
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, Estimates, Quantity
from analysis.questions.registered import Criterion
from analysis.report.deciding import MEANS, THESE, ruled_out
from analysis.report.parts import Fact
from analysis.report.wording import estimated, interval, points, unsigned_points
from analysis.statistics.estimate import Estimate
from analysis.statistics.proportions import deciding, true_verdict
from analysis.studies.accept_reject.words import limits_words

AGAINST_E: Final = Quantity(
    "p_s_less_p_e", "p_S − p_E", "Share of S's solutions that is accepted, less that of E's.",
    points, "percentage points",
)  # fmt: skip
VERDICT: Final = "comparison"
VERDICT_MEANINGS: Final = {
    "worse": "the 95 % interval of p_S − p_E lies below the margin",
    "like": "its 90 % interval lies within the margin",
    "better": "its 95 % interval lies above the margin",
    "undecided": "none of these",
}


def compared(part: Estimate, margin: float, by: str = MEANS, n: int | None = None) -> EstimateRow:
    """Return S against E (Saralajew et al. 2022, section 2.1).

    Parameters
    ----------
    part
        p_S − p_E.
    margin
        The equivalence margin, a difference of shares.
    by
        Whom it is of: `THESE` people, or `MEANS` of people in general.
    n
        Trials.
    """
    return Contrast(AGAINST_E, {"solver": "S", AGAINST: "E", "by": by}, part, n).row(margin)


def of_all(
    part: Estimate, general: Estimate | None, margin: float, *, few: bool, n: int | None = None
) -> tuple[EstimateRow, ...]:
    """Return S against E; of a few people, then also S against E in general."""
    main = compared(part, margin, THESE if few else MEANS, n)
    return (main,) if general is None else (main, compared(general.no_narrower(part), margin))


def in_general(answer: Estimates) -> EstimateRow | None:
    """Return S against E for people in general, if they stand beside those of a few people."""
    return next(iter(answer.rows(AGAINST_E)[1:]), None)


def alike(margin: float, question: str) -> Criterion:
    """Return the test that S and E are accepted alike; its row is of a question."""
    return Criterion(
        "p_S − p_E", AGAINST_E, {"solver": "S", AGAINST: "E"}, "within", margin, (THESE, MEANS),
        question,
    )  # fmt: skip


def verdict_sentence(row: EstimateRow) -> str:
    """Return whether S is worse than, like or better than E, with the interval that decides."""
    level, (low, high) = deciding(row.verdict, (row.ci_low, row.ci_high), (row.low_90, row.high_90))
    numbers = (
        f"(p_S − p_E = {points(row.estimate)} points, {level} % interval "
        f"{interval(low, high, points)}, margin {unsigned_points(row.margin)})"
    )
    if row.verdict == "undecided":
        return f"{_undecided(row)} {numbers}"
    words = {"worse": "worse than E", "like": "like E", "better": "better than E"}
    return f"S is {words[row.verdict]} {numbers}"


def _undecided(row: EstimateRow) -> str:
    """Return what an undecided comparison still shows."""
    if row.ci_low is not None and row.ci_high is not None and row.ci_low * row.ci_high > 0:
        less = "less" if row.ci_high < 0 else "more"
        return f"S is accepted {less} often than E; whether by the margin or more is undecided"
    out = ruled_out(row.low_90, row.high_90, row.margin)
    if not out:
        return "it is undecided whether S is worse than, like or better than E"
    between = "worse than E or like it" if out == "not better" else "like E or better"
    return f"it is undecided whether S is {between}; S is {out} by the margin"


def verdict_fact(row: EstimateRow, of: str) -> Fact:
    """Return a verdict with the difference: "undecided" alone has no direction."""
    ends = estimated(points, row.estimate, row.ci_low, row.ci_high)
    return Fact(row.verdict, of if row.estimate is None else f"{of}: {ends} points")


def difference_words(row: EstimateRow) -> str:
    """Return S's acceptance less E's with its intervals and the verdict."""
    return (
        f"p_S − p_E = {points(row.estimate)} points {limits_words(row)}, 90 % interval "
        f"{interval(row.low_90, row.high_90, points)}: {row.verdict} at a margin of "
        f"{unsigned_points(row.margin)} points"
    )


def verdicts(difference: Callable[[Any], float], margin: float) -> Verdicts:
    """Return the verdicts on S against E.

    Parameters
    ----------
    difference
        Returns p_S − p_E for a simulated effect.
    margin
        Of the protocol, on the probability scale. At the margin nothing is right to say.
    """

    def right(effect: Any) -> str:
        return true_verdict(round(difference(effect), 12), margin)

    return Verdicts(
        VERDICT, "S against E", VERDICT_MEANINGS, "undecided", right, "power_comparison"
    )

"""What a kind of help does, named: help, over-reliance, under-reliance, harm, or like."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from analysis.questions.estimates import AGAINST, EstimateRow, levels, row_of, select
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.studies.human_ai_team.differences import ALPHA, Rule
from analysis.studies.human_ai_team.quantities import DIFFERENCES, TOLD_APART, VERDICT
from analysis.studies.human_ai_team.quantities import OVER as OVER_RELIANCE
from analysis.studies.human_ai_team.quantities import UNDER as UNDER_RELIANCE

HELP, OVER, UNDER, HARM = "help", "over-reliance", "under-reliance", "harm"
BOTH: Final = (OVER_RELIANCE, UNDER_RELIANCE)
LIKE: Final = "like the reference"
NOTHING: Final = "no clear difference"
FEW: Final = "too few participants"
VERDICTS: Final[Mapping[str, str]] = {
    HELP: "right and wrong labels are told apart better, and wrong labels aren't accepted more",
    OVER: "more of the AI's wrong labels are accepted, and labels aren't told apart better",
    f"{HELP}, at the price of over-reliance": "labels are told apart better, though more wrong "
    "ones are accepted",
    f"{HELP}, at the price of under-reliance": "labels are told apart better, though more right "
    "ones are rejected",
    UNDER: "more of the AI's right labels are rejected, and labels aren't told apart better",
    HARM: "labels are told apart worse, though neither reliance differs clearly",
    "less over-reliance": "fewer wrong labels are accepted; that labels are told apart better "
    "isn't clear",
    "less under-reliance": "fewer right labels are rejected; that labels are told apart better "
    "isn't clear",
    LIKE: "the 90 % intervals of over- and of under-reliance lie within the margin",
    NOTHING: "no difference is significant, and a difference as large as the margin isn't ruled "
    "out",
    FEW: f"an arm has fewer than {FEW_PARTICIPANTS} participants, so nothing is concluded",
}
"""What each verdict says."""


Difference = tuple[float | None, float | None]
"""An estimate, and its p after Holm over its family."""


def verdict_rows(pairs: Sequence[EstimateRow], rule: Rule) -> Iterator[EstimateRow]:
    """Yield a verdict on each arm against the reference, from the differences on one base.

    A quantity counts as changed if its difference is significant at 5 % after Holm's correction
    over its family. An arm that raises over-reliance is never said to help unless labels are told
    apart better, whatever becomes of accuracy: accepting more is right more often wherever the AI
    is mostly right. An arm is like the reference if nothing is changed, and two one-sided tests at
    5 % rule out differences of the margin in both reliances.

    Parameters
    ----------
    pairs
        Differences with p after Holm, by one analysis (see `pair_rows`).
    rule
        Reference, margin, and how many people there are.
    """
    if rule.reference is None:
        return
    of_reference = select(pairs, **{AGAINST: rule.reference})
    for method in levels(of_reference, "method"):
        of_method = select(of_reference, method=method)
        yield EstimateRow(
            quantity=VERDICT.id, of=of_method[0].of, verdict=_verdict_on(of_method, rule)
        )


def _verdict_on(pairs: Sequence[EstimateRow], rule: Rule) -> str:
    if rule.few(*(pairs[0].of[name] for name in ("method", AGAINST))):
        return FEW
    rows = {name: row_of(pairs, DIFFERENCES[name]) for name in (TOLD_APART, *BOTH)}
    named = verdict({name: (row.estimate, row.p_adjusted) for name, row in rows.items()})
    if named == NOTHING and all(_is_like(rows[name]) for name in BOTH):
        return LIKE
    return named


def _is_like(row: EstimateRow) -> bool:
    """Whether a difference is known, varies, and lies within the margin."""
    low, high, margin = row.low_90, row.high_90, row.margin
    if low is None or high is None or margin is None:
        return False
    return -margin < low < high < margin


def verdict(differences: Mapping[str, Difference]) -> str:
    """Return what an arm does, from its differences to the reference by quantity."""
    discrimination = _sign(differences[TOLD_APART])
    over, under = _sign(differences[OVER_RELIANCE]), _sign(differences[UNDER_RELIANCE])
    if discrimination > 0:
        if over > 0:
            return f"{HELP}, at the price of over-reliance"
        return f"{HELP}, at the price of under-reliance" if under > 0 else HELP
    if over > 0:
        return OVER
    if under > 0:
        return UNDER
    if discrimination < 0:
        return HARM
    if over < 0:
        return "less over-reliance"
    return "less under-reliance" if under < 0 else NOTHING


def _sign(difference: Difference) -> int:
    """Return whether a difference lies above zero (1) or below (−1); 0 if it isn't clear."""
    estimate, p = difference
    if estimate is None or p is None or not p < ALPHA:
        return 0
    return 1 if estimate > 0 else -1

"""What a kind of help does, named: help, over-reliance, under-reliance, harm, or like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from analysis.report.about import about
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.statistics.proportions import judge
from analysis.studies.human_ai_team.rates import (
    ACCURACY,
    ALPHA,
    TOLD_APART,
    PairEffect,
    of_quantity,
)
from analysis.studies.human_ai_team.rates import OVER as OVER_RELIANCE
from analysis.studies.human_ai_team.rates import UNDER as UNDER_RELIANCE
from analysis.studies.human_ai_team.trials import ALL, Answers

HELP, OVER, UNDER, HARM = "help", "over-reliance", "under-reliance", "harm"
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an arm does; differences of probabilities, the arm less the reference."""

    method: Annotated[str, about("The arm.")]
    reference: Annotated[str, about("The arm that it is compared with.")]
    verdict: Annotated[str, about("What it does.")]
    accuracy: Annotated[float | None, about("Difference in right answers.")]
    over_reliance: Annotated[float | None, about("Difference in over-reliance.")]
    under_reliance: Annotated[float | None, about("Difference in under-reliance.")]
    discrimination: Annotated[float | None, about("Difference in discrimination.")]
    base: Annotated[
        str, about("Images: all that were shown, natural, or occurring (natural, bins weighted).")
    ] = ALL
    by: Annotated[str, about("The analysis that decides: model or means.")] = "model"


@dataclass(frozen=True, slots=True)
class Rule:
    """By which rule verdicts are given.

    Attributes
    ----------
    reference
        The arm that others are compared with; without a reference no verdict is given.
    margin
        Differences of probabilities below it don't matter.
    people
        Participants by arm.
    """

    reference: str | None
    margin: float
    people: Mapping[str, int]

    @classmethod
    def of(cls, answers: Answers, margin: float) -> "Rule":
        """Return the rule for answers."""
        people = answers.frame.groupby("method")["participant"].nunique()
        return cls(answers.reference, margin, {str(arm): int(n) for arm, n in people.items()})

    def few(self, *arms: str) -> bool:
        """Whether an arm has too few participants to conclude anything."""
        return min(self.people.get(arm, 0) for arm in arms) < FEW_PARTICIPANTS


def verdict_rows(
    pairs: Sequence[PairEffect], rule: Rule, base: str = ALL, by: str = "model"
) -> tuple[Verdict, ...]:
    """Return a verdict on each arm against the reference.

    A quantity counts as changed if its difference is significant at 5 % after Holm's correction
    over the family. An arm that raises over-reliance is never said to help unless labels are told
    apart better, whatever becomes of accuracy: accepting more is right more often wherever the AI
    is mostly right. An arm is like the reference if nothing is changed, and two one-sided tests at
    5 % rule out differences of the margin in both reliances.

    Parameters
    ----------
    pairs
        Differences with p after Holm (see `corrected`).
    rule
        Reference, margin, and how many people there are.
    base, by
        What they are averaged over, and by which analysis.
    """
    if rule.reference is None:
        return ()
    own: dict[str, dict[str, PairEffect]] = {}
    for row in pairs:
        if row.second == rule.reference:
            own.setdefault(row.first, {})[row.quantity] = row
    return tuple(
        Verdict(
            method,
            rule.reference,
            _verdict_on(method, found, rule),
            **{name: row.estimate for name, row in found.items()},
            base=base,
            by=by,
        )
        for method, found in own.items()
    )


def _verdict_on(method: str, found: Mapping[str, PairEffect], rule: Rule) -> str:
    if rule.few(method, str(rule.reference)):
        return FEW
    named = verdict({name: (row.estimate, row.p_family) for name, row in found.items()})
    both = (found[OVER_RELIANCE], found[UNDER_RELIANCE])
    if named == NOTHING and all(_like(row, rule.margin) for row in both):
        return LIKE
    return named


def _like(row: PairEffect, margin: float) -> bool:
    """Whether a difference is known, varies, and lies within the margin."""
    narrow = row.narrow
    if not narrow.ci_high > narrow.ci_low:
        return False
    return judge(row.wide, narrow, margin) == "like"


Shown = Literal["better", "worse", "like", "not better", "not worse", "undecided", "unknown"]
SHOWN: Final[Mapping[str, str]] = {
    "better": "{first} is better by the margin or more",
    "worse": "{second} is better by the margin or more",
    "like": "they differ by less than the margin",
    "not better": "{first} isn’t better by the margin",
    "not worse": "{second} isn’t better by the margin",
    "undecided": "undecided",
    "unknown": "unknown",
}
"""What a difference against the margin shows, in words."""


@dataclass(frozen=True, slots=True)
class AgainstMargin:
    """Right answers of two arms against the margin; differences of probabilities."""

    base: Annotated[str, about("Images: all that were shown, natural, or occurring.")]
    first: Annotated[str, about("The first arm.")]
    second: Annotated[str, about("The second arm.")]
    estimate: Annotated[float | None, about("Right answers, first less second.")]
    low_90: Annotated[float | None, about("Its lower 90 % limit.")]
    high_90: Annotated[float | None, about("Its upper 90 % limit.")]
    shown: Annotated[
        Shown,
        about(
            "What is shown: better or worse (the 95 % interval lies beyond the margin), like (the "
            "90 % interval lies within it), not better or not worse (it lies below the upper or "
            "above the lower margin), undecided; unknown with fewer than five participants in an "
            "arm."
        ),
    ]


def against_margin(
    pairs: Sequence[PairEffect], rule: Rule, base: str = ALL
) -> tuple[AgainstMargin, ...]:
    """Return what each pair of arms shows of right answers against the margin."""
    return tuple(
        AgainstMargin(
            base,
            row.first,
            row.second,
            row.estimate,
            row.low_90,
            row.high_90,
            "unknown" if rule.few(row.first, row.second) else _shown(row, rule.margin),
        )
        for row in of_quantity(pairs, ACCURACY)
    )


def _shown(row: PairEffect, margin: float) -> Shown:
    wide, narrow = row.wide, row.narrow
    if not narrow.ci_high > narrow.ci_low:
        return "unknown"
    if (found := judge(wide, narrow, margin)) != "undecided":
        return found
    if narrow.ci_high < margin:
        return "not better"
    return "not worse" if narrow.ci_low > -margin else "undecided"


Difference = tuple[float | None, float | None]
"""An estimate, and its p after Holm over the family."""


def verdict(found: Mapping[str, Difference]) -> str:
    """Return what an arm does, from its differences to the reference by quantity."""
    told = _sign(found[TOLD_APART])
    over, under = _sign(found[OVER_RELIANCE]), _sign(found[UNDER_RELIANCE])
    if told > 0:
        if over > 0:
            return f"{HELP}, at the price of over-reliance"
        return f"{HELP}, at the price of under-reliance" if under > 0 else HELP
    if over > 0:
        return OVER
    if under > 0:
        return UNDER
    if told < 0:
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

"""Differences between arms, and what they show against the margin.

Hypotheses and verdicts rest on families of differences, the same by means and by the mixed model.
The primary one has one test an arm: discrimination, which alone says whether help helps.
Discrimination is 1 − over-reliance − under-reliance, and right answers are a weighted sum of the
same two errors. So one family of all four would spend most of Holm's correction on tests of the
same. The two errors are the secondary family; right answers, which the paper tests, have their own.
Holm's correction limits false claims to 5 % a family, whichever arm they are about.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from analysis.questions.cells import Cells, Key
from analysis.questions.estimates import AGAINST, Contrast, EstimateRow, family
from analysis.report.deciding import MEANS
from analysis.report.missing import FEW_PARTICIPANTS
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Estimate
from analysis.studies.human_ai_team.quantities import (
    ACCURACY,
    COMPARED,
    DIFFERENCES,
    OVER,
    TOLD_APART,
    UNDER,
)
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.strata import Base, strata
from analysis.studies.human_ai_team.trials import ALL, NATURAL, Answers

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "right answers": (ACCURACY,),
    "over- and under-reliance": (OVER, UNDER),
    "discrimination": (TOLD_APART,),
}
"""Quantities that are corrected together, by what their family is called; the last is primary."""
FAMILY: Final = (
    "every arm against the reference, by families: discrimination (primary), over- and "
    "under-reliance, and right answers"
)
"""The families of Holm's correction, as protocol, preregistration, report and power name them."""
ALPHA: Final = 0.05
SHOWN: Final[Mapping[str, str]] = {
    "better": "{first} is better by the margin or more",
    "worse": "{second} is better by the margin or more",
    "like": "they differ by less than the margin",
    "not better": "{first} isn’t better by the margin",
    "not worse": "{second} isn’t better by the margin",
    "undecided": "undecided",
    "unknown": "unknown",
}
"""What a difference in right answers shows against the margin: its verdict, in words.

Better or worse: the 95 % interval lies beyond the margin. Like: the 90 % interval lies within it.
Not better or not worse: the 90 % interval lies below the upper or above the lower margin. Unknown:
an arm has too few participants, or nothing varies.
"""


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


Pair = tuple[str, str, str]
"""Quantity, first and second arm."""
Tests = Mapping[Pair, Estimate]
"""The first less the second."""
NO_SPREADS: Final[Mapping[Pair, float | None]] = {}


def pair_rows(
    tests: Tests, base: str, by: str, rule: Rule, spreads: Mapping[Pair, float | None] = NO_SPREADS
) -> tuple[EstimateRow, ...]:
    """Return differences with p and limits after Holm over each family (`FAMILIES`).

    Without a reference a family has every pair of arms. Those in right answers have a verdict
    against the margin.

    Parameters
    ----------
    tests
        The differences.
    base, by
        What they are averaged over, and by which analysis.
    rule
        Reference, margin, and how many people there are.
    spreads
        Standard deviations of single answers, as far as they are known.
    """

    def inside(contrast: Contrast) -> bool:
        return rule.reference in (None, contrast.of[AGAINST])

    rows: list[EstimateRow] = []
    for names in FAMILIES.values():
        contrasts = [
            Contrast(
                DIFFERENCES[name],
                {"base": base, "by": by, "method": arm, AGAINST: other},
                value,
                sd=spreads.get((name, arm, other)),
            )
            for (name, arm, other), value in tests.items()
            if name in names
        ]
        rows += family(contrasts, rule.margin, inside)
    return tuple(replace(row, verdict=_verdict_of(row, rule)) for row in rows)


def _verdict_of(row: EstimateRow, rule: Rule) -> str:
    """Return what a difference in right answers shows; of others, whether they show anything."""
    low, high = row.low_90, row.high_90
    if low is None or high is None or not low < high:
        return "unknown"
    if rule.few(row.of["method"], row.of[AGAINST]):
        return "unknown"
    if row.quantity != DIFFERENCES[ACCURACY].id:
        return ""
    if row.verdict != "undecided":
        return row.verdict
    if high < rule.margin:
        return "not better"
    return "not worse" if low > -rule.margin else "undecided"


def mean_pairs(answers: Answers, rates: Rates, part: str, margin: float) -> tuple[EstimateRow, ...]:
    """Return all differences of arms by means over participants and images, on one part."""
    of_part = answers.part(part)
    tests = {
        (name, *pair): rates.difference(name, part, *pair)
        for name in COMPARED
        for pair in of_part.pairs()
    }
    spreads = {key: rates.spread(key[0], part, *key[1:]) for key in tests}
    return pair_rows(tests, part, MEANS, Rule.of(of_part, margin), spreads)


def weighted_pairs(
    answers: Answers, base: Base, plan: Resampling, margin: float
) -> tuple[EstimateRow, ...]:
    """Return all differences by means on a base whose kinds of images have weights of their own."""
    natural = answers.part(NATURAL) if answers.parts != (ALL,) else answers
    frame = natural.frame.assign(kind=strata(natural.frame))
    by = {"method": natural.arms, "kind": (*base.right, *base.wrong)}
    cells = Cells.of(frame, "correct", by, plan)
    tests = {}
    for name, (_, of_wrong, of_right) in quantity_weights(base.mix).items():
        kinds = {kind: of_right * share for kind, share in base.right.items()} | {
            kind: of_wrong * share for kind, share in base.wrong.items()
        }
        for first, second in natural.pairs():
            weights: dict[Key, float] = {
                (arm, kind): sign * weight
                for arm, sign in ((first, 1), (second, -1))
                for kind, weight in kinds.items()
            }
            tests[name, first, second] = cells.estimate(weights)
    return pair_rows(tests, base.name, MEANS, Rule.of(natural, margin))


def most_freedom(answers: Answers, first: str, second: str) -> int:
    """Return the largest degrees of freedom that the model's difference of two arms can have.

    A variance that was estimated as zero, or a slope that was left out, must not make a difference
    more certain than this number of participants can make it.
    """
    frame = answers.frame
    rows = frame[frame["method"].isin([first, second])]
    people = int(rows["participant"].nunique())
    both = int(rows.groupby("method")["participant"].nunique().sum()) > people
    return max(people - (1 if both else 2), 1)


def quantity_weights(mix: float) -> dict[str, tuple[float, float, float]]:
    """Return each quantity's constant, and its weights of P(right answer | wrong and | right).

    Parameters
    ----------
    mix
        Share of right labels, 0 to 1.
    """
    return {
        ACCURACY: (0.0, 1 - mix, mix),
        OVER: (1.0, -1.0, 0.0),
        UNDER: (1.0, 0.0, -1.0),
        TOLD_APART: (-1.0, 1.0, 1.0),
    }

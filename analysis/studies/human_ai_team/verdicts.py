"""What a kind of help does, named: help, over-reliance, under-reliance, harm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from analysis.report.about import about
from analysis.studies.human_ai_team.model import PairEffect

HELP, OVER, UNDER, HARM = "help", "over-reliance", "under-reliance", "harm"
NOTHING: Final = "no clear difference"
ALPHA: Final = 0.05
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
    NOTHING: "no difference is significant",
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


def verdict_rows(pairs: Sequence[PairEffect], reference: str | None) -> tuple[Verdict, ...]:
    """Return a verdict on each arm against the reference, by the model's averaged differences.

    A quantity counts as changed where its difference is significant at 5 % after Holm's
    correction over the arms that are compared with the reference. An arm that raises
    over-reliance is never said to help unless labels are told apart better, whatever becomes of
    accuracy: accepting more is right more often wherever the AI is mostly right.

    Parameters
    ----------
    pairs
        The model's, see `effects_of`.
    reference
        The arm that others are compared with; without one nothing is named.
    """
    if reference is None:
        return ()
    own: dict[str, dict[str, PairEffect]] = {}
    for row in pairs:
        if row.second == reference:
            own.setdefault(row.first, {})[row.quantity] = row
    return tuple(
        Verdict(
            method,
            reference,
            verdict({name: (row.estimate, row.p_reference) for name, row in found.items()}),
            **{name: row.estimate for name, row in found.items()},
        )
        for method, found in own.items()
    )


Difference = tuple[float | None, float | None]
"""An estimate, and its p after Holm over the arms that are compared with the reference."""


def verdict(found: Mapping[str, Difference]) -> str:
    """Return what an arm does, from its differences to the reference by quantity."""
    told = _sign(found["discrimination"])
    over, under = _sign(found["over_reliance"]), _sign(found["under_reliance"])
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
    """Return whether a difference lies above zero (1) or below (−1); 0 where it isn't clear."""
    estimate, p = difference
    if estimate is None or p is None or not p < ALPHA:
        return 0
    return 1 if estimate > 0 else -1

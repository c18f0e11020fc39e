"""How leads keep the guidelines where the right decision needs no colour vision.

Right digits that a lead may not see don't count: who rejects them complies. Nor do controls whose
explanation may mislead: leads who are misled are a result, and no reason to leave them out.
"""

from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.rates import share
from analysis.studies.accept_reject.trials import (
    ANYONE_SEES,
    MUST_REJECT,
    NEVER_TRUE,
    ScoredTrials,
)
from stimuli.studies.accept_reject.protocol import Analysis

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class GroupCompliance:
    """How a lead decided on one group of controls, and whether that is enough."""

    name: Annotated[str, about("The group: anyone, must_reject or all.")]
    right: Annotated[int, about("Right decisions.")]
    rate: Annotated[float | None, about("Their share, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]
    n: Annotated[int, about("Controls of the group.")]
    minimum: Annotated[float, about("The least share of right decisions.")]
    judged: Annotated[bool, about("Whether there were enough controls to judge by.")]
    enough: Annotated[bool, about("Whether the share reaches the minimum; true if not judged.")]


@dataclass(frozen=True, slots=True)
class Kept:
    """How a lead decided on one group of controls, and the least share of right decisions.

    Attributes
    ----------
    name
        ``anyone`` (controls that anyone sees), ``must_reject`` (plates without a numeral and
        no-solution, in the run without explanations), or ``all`` (the one group of protocols
        with one threshold).
    right
        Right decisions, and all; an unanswered trial is not an acceptance.
    minimum, least
        Of the share, and of the number of controls from which it is judged; from the protocol.
    """

    name: str
    right: Count
    minimum: float
    least: int

    @property
    def judged(self) -> bool:
        """Whether there were enough controls to judge by."""
        return self.right.n >= max(1, self.least)

    @property
    def enough(self) -> bool:
        """Whether the share reaches the minimum; so where it isn't judged."""
        return not self.judged or self.right.rate >= self.minimum

    def row(self) -> GroupCompliance:
        """Return it as results.json has it."""
        return GroupCompliance(
            name=self.name,
            right=self.right.successes,
            **asdict(share(self.right)),
            minimum=self.minimum,
            judged=self.judged,
            enough=self.enough,
        )


def compliance(
    judged: ScoredTrials, lead: Array, leads: int, rules: Analysis
) -> list[tuple[Kept, ...]]:
    """Return each lead's compliance, by the protocol's two thresholds or its one.

    Parameters
    ----------
    judged
        All trials.
    lead, leads
        (n,) place of each trial's lead, and their number.
    rules
        The protocol's minimums.
    """
    groups = [
        (name, minimum, _counts(right, asked, lead, leads))
        for name, minimum, right, asked in _groups(judged.frame, rules)
    ]
    return [
        tuple(
            Kept(name, counts[place], minimum, rules.least_controls)
            for name, minimum, counts in groups
        )
        for place in range(leads)
    ]


def minimums(rules: Analysis) -> dict[str, float]:
    """Return the least share of right decisions by group of controls."""
    if rules.has_two_thresholds:
        return {"anyone": rules.anyone_minimum, "must_reject": rules.must_reject_minimum}
    return {"all": rules.compliance_minimum}


def _groups(frame: pd.DataFrame, rules: Analysis) -> list[tuple[str, float, Array, Array]]:
    """Return each group's name and minimum, and which trials were right and which are its own."""
    accepts = (frame["decision"] == "accept").to_numpy()
    kind = frame["control_kind"].where(frame["solver"] == "control")
    seen = kind.isin(ANYONE_SEES).to_numpy()
    if not rules.has_two_thresholds:
        never = kind.isin(NEVER_TRUE).to_numpy()
        right = (seen & accepts) | (never & ~accepts)
        return [("all", rules.compliance_minimum, right, seen | never)]
    never = (kind.isin(MUST_REJECT) & ~frame["explained"]).to_numpy(dtype=bool)
    return [
        ("anyone", rules.anyone_minimum, seen & accepts, seen),
        ("must_reject", rules.must_reject_minimum, never & ~accepts, never),
    ]


def _counts(right: Array, asked: Array, lead: Array, leads: int) -> list[Count]:
    found, n = (np.bincount(lead[rows], minlength=leads).tolist() for rows in (right, asked))
    return [Count(*pair) for pair in zip(found, n, strict=True)]

"""Each lead by themselves: compliance, reading of contours, usefulness, a verdict."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.proportions import Count, Interval, mover
from analysis.studies.accept_reject.rates import Rates, cell_counts, share, usefulness_rows
from analysis.studies.accept_reject.trials import MUST_ACCEPT, MUST_REJECT, NOISES, ScoredTrials
from analysis.studies.accept_reject.words import VERDICTS
from stimuli.studies.accept_reject.protocol import Analysis

Array = np.ndarray

Outcome = Literal[
    "profits",
    "hindered",
    "no_profit_shown",
    "from_explanation",
    "perhaps_from_explanation",
    "indiscriminate",
    "not_compliant",
    "sham",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Lead:
    """One lead's results.

    Attributes
    ----------
    participant, robot
        Code; name of the response model, empty for a person.
    compliance
        Right decisions on controls whose right answer needs no colour vision.
    rates
        The seven cells.
    pooled
        Acceptance of S's and E's solutions together: with less without explanation.
    with_contour, without_contour
        Accepted plates without a numeral, with a digit-shaped contour and without one.
    reading
        Their difference with its 90 % interval.
    flagged
        Whether the lead accepts from the explanation.
    outcome
        The verdict.
    """

    participant: str
    robot: str
    compliance: Count
    rates: Rates
    pooled: Interval
    with_contour: Count
    without_contour: Count
    reading: Interval
    flagged: bool
    outcome: Outcome

    @property
    def name(self) -> str:
        """Code, and the robot's name where there is one."""
        return f"{self.participant} ({self.robot})" if self.robot else self.participant


def each_lead(judged: ScoredTrials, rules: Analysis) -> list[Lead]:
    """Return every lead's results, by code.

    Everything rests on counts by lead and cell, taken once over all trials.
    """
    lead, codes = pd.factorize(judged.frame["participant"], sort=True)
    accepted, n = cell_counts(judged, lead, len(codes))
    right, asked = _compliance_counts(judged.frame, lead, len(codes))
    robots = _robots(judged.frame, lead, len(codes))
    sham = set(judged.frame.loc[judged.frame["sham"], "participant"])
    wrong = _wrong_digits(judged.frame, lead, len(codes))
    return [
        _lead(
            str(code),
            robots[place],
            Count(right[place], asked[place]),
            Rates(tuple(map(Count, accepted[place], n[place])), None),
            wrong[place],
            code in sham,
            rules,
        )
        for place, code in enumerate(codes)
    ]


def _lead(
    code: str,
    robot: str,
    compliance: Count,
    rates: Rates,
    wrong: Interval,
    sham: bool,
    rules: Analysis,
) -> Lead:
    s_without, s_with, e_without, e_with, plain, s_like, e_like = rates.counts
    without, with_ = _together(s_without, e_without), _together(s_with, e_with)
    pooled = mover([with_, without], [1, -1])
    contour = _together(s_like, e_like)
    reading = mover([contour, plain], [1, -1], level=0.90)
    signs = _Signs(reading, wrong, sham)
    flagged = bool(reading.estimate >= rules.contour_reading_limit and reading.ci_low > 0)
    return Lead(
        participant=code,
        robot=robot,
        compliance=compliance,
        rates=rates,
        pooled=pooled,
        with_contour=contour,
        without_contour=plain,
        reading=reading,
        flagged=flagged,
        outcome=_outcome(pooled, signs, flagged, compliance, rules),
    )


def _compliance_counts(frame: pd.DataFrame, lead: Array, leads: int) -> tuple[list, list]:
    """Return right decisions, and all, on controls whose answer doesn't depend on vision.

    Wrong digits, plates without a numeral and no-solution must not be accepted, ever;
    high-contrast right digits must be. Right digits that the lead may not see don't count:
    a lead who rejects them complies.
    """
    control = frame["solver"] == "control"
    accepts = frame["decision"] == "accept"
    reject = control & frame["control_kind"].isin(MUST_REJECT)
    accept = control & frame["control_kind"].isin(MUST_ACCEPT)
    right = ((reject & ~accepts) | (accept & accepts)).to_numpy()
    asked = (reject | accept).to_numpy()
    return (
        np.bincount(lead[right], minlength=leads).tolist(),
        np.bincount(lead[asked], minlength=leads).tolist(),
    )


def excluded(leads: list[Lead], rules: Analysis) -> list[dict[str, Any]]:
    """Return whom the second analysis leaves out, and why."""
    rows = []
    for lead in leads:
        reasons = []
        if lead.compliance.n and lead.compliance.rate < rules.compliance_minimum:
            reasons.append("compliance below the minimum")
        if lead.flagged:
            reasons.append("accepts from the explanation")
        if reasons:
            rows.append(
                {
                    "participant": lead.participant,
                    "robot": lead.robot,
                    "reason": "; ".join(reasons),
                    "compliance": lead.compliance.rate,
                    "n": lead.compliance.n,
                }
            )
    return rows


def contour_rows(leads: list[Lead]) -> list[dict[str, Any]]:
    """Return every lead's acceptance of digit-shaped contours without a numeral."""
    return [
        {
            "participant": lead.participant,
            "robot": lead.robot,
            "solver": solver,
            **share(lead.rates.counts[cell]),
            "flagged": lead.flagged,
        }
        for lead in leads
        for solver, cell in (("S", 5), ("E", 6))
        if lead.rates.counts[cell].n
    ]


def participant_rows(leads: list[Lead], cutoff_s: float) -> list[dict[str, Any]]:
    """Return each lead's results as they stand in results.json."""
    return [
        {
            "participant": lead.participant,
            "robot": lead.robot,
            "compliance": share(lead.compliance),
            "accepted": {
                name: share(lead.rates.counts[cell])
                for cell, name in enumerate(("S_without", "S_with", "E_without", "E_with"))
            },
            "accepted_pooled": {
                "without": share(_together(lead.rates.counts[0], lead.rates.counts[2])),
                "with": share(_together(lead.rates.counts[1], lead.rates.counts[3])),
            },
            "usefulness": usefulness_rows(lead.rates, cutoff_s),
            "usefulness_pooled": limits_row(lead.pooled),
            "contour": {
                "with": share(lead.with_contour),
                "without": share(lead.without_contour),
                "difference": limits_row(lead.reading),
            },
            "flagged": lead.flagged,
            "outcome": lead.outcome,
            "verdict": VERDICTS[lead.outcome],
        }
        for lead in leads
    ]


@dataclass(frozen=True, slots=True)
class _Signs:
    """What else a rise in acceptance may come from: contours, acceptance of anything."""

    reading: Interval
    wrong: Interval
    sham: bool


def _wrong_digits(frame: pd.DataFrame, lead: Array, leads: int) -> list[Interval]:
    """Return the rise in accepting wrong digits in time, with its 90 % interval, by lead."""
    noise = (frame["solver"] == "control") & frame["control_kind"].isin(NOISES)
    accepted = frame["accepted"].astype(bool)
    counts = []
    for explained in (True, False):
        own = (noise & (frame["explained"] == explained)).to_numpy()
        counts.append([np.bincount(lead[rows], minlength=leads) for rows in (own & accepted, own)])
    (hits, with_), (more, without) = counts
    return [
        mover([Count(int(hits[k]), int(with_[k])), Count(int(more[k]), int(without[k]))],
              [1, -1], level=0.90)
        for k in range(leads)
    ]  # fmt: skip


def _outcome(
    pooled: Interval, signs: _Signs, flagged: bool, compliance: Count, rules: Analysis
) -> Outcome:
    """Return a lead's verdict.

    More acceptance is a profit only if it exceeds, by the protocol's margin at least, the same
    lead's rise on plates without a numeral and the rise on wrong digits.
    """
    reading, wrong = signs.reading, signs.wrong
    if flagged:
        return "from_explanation"
    if compliance.n and compliance.rate < rules.compliance_minimum:
        return "not_compliant"
    if not pooled.known:
        return "sham" if signs.sham else "unknown"
    if pooled.ci_low > 0:
        beyond = pooled.estimate - reading.estimate
        if reading.known and beyond < rules.margin:
            return "perhaps_from_explanation"
        alike = wrong.ci_low > 0 and pooled.estimate - wrong.estimate < rules.margin
        return "indiscriminate" if alike else "profits"
    return "hindered" if pooled.ci_high < 0 else "no_profit_shown"


def _together(first: Count, second: Count) -> Count:
    return Count(first.successes + second.successes, first.n + second.n)


def _robots(frame: pd.DataFrame, lead: Array, leads: int) -> list[str]:
    """Return the first response model that each lead's rows name; empty for people."""
    if "robot" not in frame:
        return [""] * leads
    first = frame["robot"].groupby(lead).first().reindex(range(leads))
    return [str(name) if isinstance(name, str) else "" for name in first]

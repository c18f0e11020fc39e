"""Each lead by themselves: compliance, reading of contours, usefulness, a verdict."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.proportions import UNKNOWN, Count, Interval, mover
from analysis.studies.accept_reject.compliance import Kept, compliance
from analysis.studies.accept_reject.contour import ContourReading, Plates, contour_reading
from analysis.studies.accept_reject.rates import Rates, cell_counts, share, usefulness_rows
from analysis.studies.accept_reject.trials import NOISE, ScoredTrials
from analysis.studies.accept_reject.words import GROUPS, VERDICTS
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
    kept
        Right decisions on controls whose right answer needs no colour vision, by group.
    rates
        The seven cells.
    pooled
        Acceptance of S's and E's solutions together: with explanation minus without.
    plates
        Accepted plates without a numeral, with a digit-shaped contour and without one.
    reading
        Their difference with its 90 % interval.
    shrunken
        The same drawn towards all leads'; unknown where no model could be fitted.
    flagged
        Whether the lead accepts from the explanation.
    outcome
        The verdict.
    """

    participant: str
    robot: str
    kept: tuple[Kept, ...]
    rates: Rates
    pooled: Interval
    plates: Plates
    reading: Interval
    shrunken: Interval
    flagged: bool
    outcome: Outcome

    @property
    def name(self) -> str:
        """Code, and the robot's name where there is one."""
        return f"{self.participant} ({self.robot})" if self.robot else self.participant


def each_lead(judged: ScoredTrials, rules: Analysis) -> tuple[list[Lead], ContourReading]:
    """Return every lead's results, by code, and how reading the contour was judged.

    Everything rests on counts by lead and cell, taken once over all trials.
    """
    lead, codes = pd.factorize(judged.frame["participant"], sort=True)
    accepted, n = cell_counts(judged, lead, len(codes))
    kept = compliance(judged, lead, len(codes), rules)
    robots = _robots(judged.frame, lead, len(codes))
    sham = set(judged.frame.loc[judged.frame["sham"], "participant"])
    wrong = _wrong_digits(judged, lead, len(codes))
    rates = [Rates(tuple(map(Count, *pair)), None) for pair in zip(accepted, n, strict=True)]
    plates = [_plates(str(code), own) for code, own in zip(codes, rates, strict=True)]
    contour = contour_reading(plates, rules.contour_reading_limit)
    leads = [
        _lead(
            plates[place],
            robots[place],
            kept[place],
            rates[place],
            _Signs(_reading(plates[place]), wrong[place], code in sham),
            contour,
            rules,
        )
        for place, code in enumerate(codes)
    ]
    return leads, contour


def _lead(
    plates: Plates,
    robot: str,
    kept: tuple[Kept, ...],
    rates: Rates,
    signs: "_Signs",
    contour: ContourReading,
    rules: Analysis,
) -> Lead:
    s_without, s_with, e_without, e_with = rates.counts[:4]
    pooled = mover([_together(s_with, e_with), _together(s_without, e_without)], [1, -1])
    flagged = plates.participant in contour.flagged
    return Lead(
        participant=plates.participant,
        robot=robot,
        kept=kept,
        rates=rates,
        pooled=pooled,
        plates=plates,
        reading=signs.reading,
        shrunken=contour.shrunken.get(plates.participant, UNKNOWN),
        flagged=flagged,
        outcome=_outcome(pooled, signs, flagged, kept, rules),
    )


def _plates(code: str, rates: Rates) -> Plates:
    plain, s_like, e_like = rates.counts[4:]
    return Plates(code, _together(s_like, e_like), plain)


def _reading(plates: Plates) -> Interval:
    return mover([plates.with_contour, plates.without_contour], [1, -1], level=0.90)


def excluded(leads: list[Lead]) -> list[dict[str, Any]]:
    """Return whom the second analysis leaves out, and why."""
    rows = []
    for lead in leads:
        reasons = [f"too few right decisions on {GROUPS[own.name]}" for own in _failed(lead.kept)]
        if lead.flagged:
            reasons.append("accepts from the explanation")
        if reasons:
            rows.append(
                {
                    "participant": lead.participant,
                    "robot": lead.robot,
                    "reason": "; ".join(reasons),
                    "compliance": [own.row() for own in lead.kept],
                }
            )
    return rows


def _failed(kept: tuple[Kept, ...]) -> list[Kept]:
    return [own for own in kept if not own.enough]


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
            "compliance": [own.row() for own in lead.kept],
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
                "with": share(lead.plates.with_contour),
                "without": share(lead.plates.without_contour),
                "difference": limits_row(lead.reading),
                "shrunken": limits_row(lead.shrunken),
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


def _wrong_digits(judged: ScoredTrials, lead: Array, leads: int) -> list[Interval]:
    """Return the rise in accepting wrong digits in time, with its 90 % interval, by lead.

    Of matched ones alone: the others' contours mislead on purpose.
    """
    frame = judged.frame
    noise = (frame["solver"] == "control") & (frame["control_kind"] == NOISE) & ~judged.aside
    accepted = frame["accepted"].astype(bool)
    counts = []
    for explained in (True, False):
        own = (noise & (frame["explained"] == explained)).to_numpy()
        hits, n = (np.bincount(lead[rows], minlength=leads) for rows in (own & accepted, own))
        counts.append([Count(*pair) for pair in zip(hits.tolist(), n.tolist(), strict=True)])
    return [mover(pair, [1, -1], level=0.90) for pair in zip(*counts, strict=True)]


def _outcome(
    pooled: Interval, signs: _Signs, flagged: bool, kept: tuple[Kept, ...], rules: Analysis
) -> Outcome:
    """Return a lead's verdict.

    More acceptance is a profit only if it exceeds, by the protocol's margin at least, the same
    lead's rise on plates without a numeral and the rise on wrong digits.
    """
    reading, wrong = signs.reading, signs.wrong
    if flagged:
        return "from_explanation"
    if _failed(kept):
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

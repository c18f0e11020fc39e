"""Each lead by themselves: compliance, reading of contours, usefulness, a verdict."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Annotated, Final, Literal

import numpy as np
import pandas as pd

from analysis.questions.cells import Cells
from analysis.questions.estimates import (
    EstimateRow,
    Estimates,
    Of,
    Quantity,
    estimate_row,
    share_row,
)
from analysis.report.about import about
from analysis.report.wording import points
from analysis.statistics.proportions import UNKNOWN, Count, Interval, mover
from analysis.studies.accept_reject.exclusions import (
    ContourReading,
    GroupCompliance,
    Plates,
    compliance,
    contour_reading,
)
from analysis.studies.accept_reject.quantities import ACCEPTED, BOTH, GAIN, RAW, WITHOUT_NUMERAL
from analysis.studies.accept_reject.rates import (
    CONTOURS,
    acceptance_rows,
    counted_cells,
    usefulness_rows,
)
from analysis.studies.accept_reject.trials import NOISE, ScoredTrials
from analysis.studies.accept_reject.words import GROUPS, TENTHS, VERDICTS
from stimuli.studies.accept_reject.protocol import Analysis

KEPT: Final = Quantity(
    "controls_right", "Controls right", "Share of right decisions on a group of controls.", TENTHS
)
READING: Final = Quantity(
    "contour_reading", "Reading the contour",
    "A lead's acceptance of plates without a numeral with a digit-shaped contour less that "
    "without one.", points,
)  # fmt: skip
SHRUNKEN: Final = Quantity(
    "contour_reading_shrunken", "Reading the contour",
    "The same by the model of all leads, drawn towards theirs.", points,
)  # fmt: skip

Array = np.ndarray

Outcome = Literal[
    "profits",
    "hindered",
    "undecided",
    "from_explanation",
    "perhaps_from_explanation",
    "indiscriminate",
    "not_compliant",
    "sham",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class ExcludedLead:
    """A lead whom the second analysis leaves out."""

    participant: Annotated[str, about("Code.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    reason: Annotated[str, about("Why.")]
    compliance: Annotated[tuple[GroupCompliance, ...], about("Decisions on controls, by group.")]


@dataclass(frozen=True, slots=True)
class JudgedLead:
    """A lead, and the verdict; the lead's numbers are among the estimates."""

    participant: Annotated[str, about("Code.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    compliance: Annotated[tuple[GroupCompliance, ...], about("Decisions on controls, by group.")]
    flagged: Annotated[bool, about("Whether the lead accepts from the explanation.")]
    outcome: Annotated[Outcome, about("The verdict, a word.")]
    verdict: Annotated[str, about("The verdict in words.")]


@dataclass(frozen=True, slots=True)
class LeadResult(JudgedLead):
    """A lead on the page, with the lead's own numbers; trials are taken as independent."""

    numbers: Estimates

    @property
    def judged(self) -> JudgedLead:
        """The lead without the numbers."""
        return JudgedLead(*(getattr(self, field.name) for field in fields(JudgedLead)))

    def gain(self, solver: str) -> EstimateRow:
        """Return the lead's usefulness, raw, for S, for E, or for both together."""
        return self.numbers.row(GAIN, solver=solver, part=RAW)

    def without_numeral(self, contour: str) -> EstimateRow:
        """Return the lead's acceptance of plates without a numeral, with or without a contour."""
        return self.numbers.row(WITHOUT_NUMERAL, contour=contour)


def each_lead(judged: ScoredTrials, rules: Analysis) -> tuple[list[LeadResult], ContourReading]:
    """Return every lead's results, by code, and how reading the contour was judged.

    Everything rests on counts by lead and cell, taken once over all trials.
    """
    lead, codes = pd.factorize(judged.frame["participant"], sort=True)
    cells = counted_cells(judged, lead, len(codes))
    plates = [_plates(str(code), cell) for code, cell in zip(codes, cells, strict=True)]
    contour = contour_reading(plates, rules.contour_reading_limit)
    sham = set(judged.frame.loc[judged.frame["sham"], "participant"])
    by_lead = zip(
        plates,
        cells,
        compliance(judged, lead, len(codes), rules),
        _robots(judged.frame, lead, len(codes)),
        _wrong_digits(judged, lead, len(codes)),
        strict=True,
    )
    leads = []
    for lead_plates, rates, groups, robot, wrong in by_lead:
        code = lead_plates.participant
        signs = _Signs(
            pooled=mover([_pooled(rates, "with"), _pooled(rates, "without")], [1, -1]),
            reading=mover(
                [lead_plates.with_contour, lead_plates.without_contour], [1, -1], level=0.90
            ),
            wrong=wrong,
            sham=code in sham,
            complies=all(group.enough for group in groups),
            flagged=code in contour.flagged,
        )
        outcome = _outcome(signs, rules)
        shrunken = contour.shrunken.get(code, UNKNOWN)
        whose = {"participant": code}
        rows = (*_kept(groups, whose), *_numbers(rates, lead_plates, signs, shrunken, whose))
        leads.append(
            LeadResult(
                code, robot, groups, signs.flagged, outcome, VERDICTS[outcome], Estimates(rows)
            )
        )
    return leads, contour


def _kept(groups: tuple[GroupCompliance, ...], whose: Of) -> Iterator[EstimateRow]:
    for group in groups:
        yield share_row(KEPT, {**whose, "controls": group.name}, group.count)


def _numbers(
    rates: Cells, plates: Plates, signs: "_Signs", shrunken: Interval, whose: Of
) -> Iterator[EstimateRow]:
    """Yield a lead's own numbers."""
    both = {**whose, "solver": BOTH}
    yield from acceptance_rows(rates, whose)
    for name in ("without", "with"):
        yield share_row(ACCEPTED, both | {"explanation": name}, _pooled(rates, name))
    yield from usefulness_rows(rates, whose)
    yield estimate_row(GAIN, both | {"part": RAW}, signs.pooled)
    yield share_row(WITHOUT_NUMERAL, {**whose, "contour": "with"}, plates.with_contour)
    for name in CONTOURS:
        yield share_row(WITHOUT_NUMERAL, {**whose, "contour": name}, rates.counts[name,])
    for quantity, part in ((READING, signs.reading), (SHRUNKEN, shrunken)):
        yield estimate_row(quantity, whose, part.estimate, low_90=part.ci_low, high_90=part.ci_high)


def _pooled(rates: Cells, explanation: str) -> Count:
    """Return S's and E's solutions together."""
    return _together(*(rates.counts[f"{solver} {explanation}",] for solver in ("S", "E")))


def _plates(code: str, rates: Cells) -> Plates:
    with_ = _together(*(rates.counts[f"{solver}_like",] for solver in ("S", "E")))
    return Plates(code, with_, rates.counts["without",])


def excluded(leads: list[LeadResult]) -> tuple[ExcludedLead, ...]:
    """Return whom the second analysis leaves out, and why."""
    rows = []
    for lead in leads:
        failed = [GROUPS[group.name] for group in lead.compliance if not group.enough]
        reasons = [f"too few right decisions on {controls}" for controls in failed]
        if lead.flagged:
            reasons.append("accepts from the explanation")
        if reasons:
            why = "; ".join(reasons)
            rows.append(ExcludedLead(lead.participant, lead.robot, why, lead.compliance))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _Signs:
    """What a lead's verdict rests on.

    Attributes
    ----------
    pooled
        Acceptance of S's and E's solutions together: with explanation minus without.
    reading, wrong
        The rise on plates without a numeral by a contour, and on wrong digits by explanations, with
        90 % intervals.
    sham, complies, flagged
        Whether the lead is in the sham group, kept the guidelines, and accepts from the
        explanation.
    """

    pooled: Interval
    reading: Interval
    wrong: Interval
    sham: bool
    complies: bool
    flagged: bool


def _wrong_digits(judged: ScoredTrials, lead: Array, leads: int) -> list[Interval]:
    """Return the rise in accepting wrong digits in time, with its 90 % interval, by lead.

    Of matched ones alone: the others' contours mislead on purpose.
    """
    frame = judged.frame
    noise = (frame["solver"] == "control") & (frame["control_kind"] == NOISE) & ~judged.aside
    accepted = frame["accepted"].astype(bool)
    counts = []
    for explained in (True, False):
        trials = (noise & (frame["explained"] == explained)).to_numpy()
        hits, n = (np.bincount(lead[rows], minlength=leads) for rows in (trials & accepted, trials))
        counts.append([Count(*pair) for pair in zip(hits.tolist(), n.tolist(), strict=True)])
    return [mover(pair, [1, -1], level=0.90) for pair in zip(*counts, strict=True)]


def _outcome(signs: _Signs, rules: Analysis) -> Outcome:
    """Return a lead's verdict.

    More acceptance is a profit only if it exceeds, by the protocol's margin at least, the same
    lead's rise on plates without a numeral and the rise on wrong digits.
    """
    pooled, reading, wrong = signs.pooled, signs.reading, signs.wrong
    if signs.flagged:
        return "from_explanation"
    if not signs.complies:
        return "not_compliant"
    if not pooled.known:
        return "sham" if signs.sham else "unknown"
    if pooled.ci_low > 0:
        beyond = pooled.estimate - reading.estimate
        if reading.known and beyond < rules.margin:
            return "perhaps_from_explanation"
        alike = wrong.ci_low > 0 and pooled.estimate - wrong.estimate < rules.margin
        return "indiscriminate" if alike else "profits"
    return "hindered" if pooled.ci_high < 0 else "undecided"


def _together(first: Count, second: Count) -> Count:
    return Count(first.successes + second.successes, first.n + second.n)


def _robots(frame: pd.DataFrame, lead: Array, leads: int) -> list[str]:
    """Return the first response model that each lead's rows name; empty for people."""
    if "robot" not in frame:
        return [""] * leads
    first = frame["robot"].groupby(lead).first().reindex(range(leads))
    return [str(name) if isinstance(name, str) else "" for name in first]

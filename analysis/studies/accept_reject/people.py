"""Each lead by themselves: compliance, reading of contours, usefulness, a verdict."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

import numpy as np
import pandas as pd

from analysis.questions.cells import Cells
from analysis.questions.estimates import EstimateRow, Estimates, Quantity, again, estimate_row
from analysis.report.about import about
from analysis.report.wording import points
from analysis.statistics.proportions import UNKNOWN, Count, Interval, mover
from analysis.studies.accept_reject.exclusions import (
    ContourReading,
    GroupCompliance,
    Kept,
    Plates,
    compliance,
    contour_reading,
)
from analysis.studies.accept_reject.quantities import ACCEPTED, BOTH, GAIN, RAW, WITHOUT_NUMERAL
from analysis.studies.accept_reject.rates import (
    acceptance_rows,
    counted_cells,
    share_row,
    usefulness_rows,
)
from analysis.studies.accept_reject.trials import NOISE, ScoredTrials
from analysis.studies.accept_reject.words import GROUPS, VERDICTS
from stimuli.studies.accept_reject.protocol import Analysis

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
    "no_profit_shown",
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

    def gain(self, solver: str) -> EstimateRow:
        """Return the lead's usefulness, raw, for S, for E, or for both together."""
        return self.numbers.row(GAIN, solver=solver, part=RAW)

    def accepted(self, explanation: str) -> EstimateRow:
        """Return the lead's acceptance of S's and E's solutions together."""
        return self.numbers.row(ACCEPTED, solver=BOTH, explanation=explanation)

    def without_numeral(self, contour: str) -> EstimateRow:
        """Return the lead's acceptance of plates without a numeral, with or without a contour."""
        return self.numbers.row(WITHOUT_NUMERAL, contour=contour)


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
        The same drawn towards all leads'; unknown if no model could be fitted.
    flagged
        Whether the lead accepts from the explanation.
    outcome
        The verdict.
    """

    participant: str
    robot: str
    kept: tuple[Kept, ...]
    rates: Cells
    pooled: Interval
    plates: Plates
    reading: Interval
    shrunken: Interval
    flagged: bool
    outcome: Outcome

    @property
    def name(self) -> str:
        """Code, and the robot's name if there is one."""
        return f"{self.participant} ({self.robot})" if self.robot else self.participant


def each_lead(judged: ScoredTrials, rules: Analysis) -> tuple[list[Lead], ContourReading]:
    """Return every lead's results, by code, and how reading the contour was judged.

    Everything rests on counts by lead and cell, taken once over all trials.
    """
    lead, codes = pd.factorize(judged.frame["participant"], sort=True)
    rates = counted_cells(judged, lead, len(codes))
    kept = compliance(judged, lead, len(codes), rules)
    robots = _robots(judged.frame, lead, len(codes))
    sham = set(judged.frame.loc[judged.frame["sham"], "participant"])
    wrong = _wrong_digits(judged, lead, len(codes))
    plates = [_plates(str(code), own) for code, own in zip(codes, rates, strict=True)]
    contour = contour_reading(plates, rules.contour_reading_limit)
    leads = [
        _lead(
            plates[place],
            robots[place],
            rates[place],
            _Signs(_reading(plates[place]), wrong[place], code in sham, kept[place]),
            contour,
            rules,
        )
        for place, code in enumerate(codes)
    ]
    return leads, contour


def _lead(
    plates: Plates,
    robot: str,
    rates: Cells,
    signs: "_Signs",
    contour: ContourReading,
    rules: Analysis,
) -> Lead:
    pooled = mover([_pooled(rates, "with"), _pooled(rates, "without")], [1, -1])
    flagged = plates.participant in contour.flagged
    return Lead(
        participant=plates.participant,
        robot=robot,
        kept=signs.kept,
        rates=rates,
        pooled=pooled,
        plates=plates,
        reading=signs.reading,
        shrunken=contour.shrunken.get(plates.participant, UNKNOWN),
        flagged=flagged,
        outcome=_outcome(pooled, signs, flagged, rules),
    )


def _pooled(rates: Cells, explanation: str) -> Count:
    """Return S's and E's solutions together."""
    return _together(*(rates.counts[f"{solver} {explanation}",] for solver in ("S", "E")))


def _plates(code: str, rates: Cells) -> Plates:
    with_ = _together(*(rates.counts[f"{solver}_like",] for solver in ("S", "E")))
    return Plates(code, with_, rates.counts["without",])


def _reading(plates: Plates) -> Interval:
    return mover([plates.with_contour, plates.without_contour], [1, -1], level=0.90)


def excluded(leads: list[Lead]) -> tuple[ExcludedLead, ...]:
    """Return whom the second analysis leaves out, and why."""
    rows = []
    for lead in leads:
        reasons = [f"too few right decisions on {GROUPS[own.name]}" for own in _failed(lead.kept)]
        if lead.flagged:
            reasons.append("accepts from the explanation")
        if reasons:
            groups = tuple(own.row() for own in lead.kept)
            rows.append(ExcludedLead(lead.participant, lead.robot, "; ".join(reasons), groups))
    return tuple(rows)


def _failed(kept: tuple[Kept, ...]) -> list[Kept]:
    return [own for own in kept if not own.enough]


def contour_readings(leads: list[Lead]) -> Iterator[EstimateRow]:
    """Yield every lead's acceptance of digit-shaped contours without a numeral."""
    for lead in leads:
        for contour in ("S_like", "E_like"):
            count = lead.rates.counts[contour,]
            if count.n:
                of = {"participant": lead.participant, "contour": contour}
                yield share_row(WITHOUT_NUMERAL, of, count)


def judged_lead(lead: Lead) -> JudgedLead:
    """Return a lead with the verdict."""
    compliance = tuple(own.row() for own in lead.kept)
    return JudgedLead(
        lead.participant, lead.robot, compliance, lead.flagged, lead.outcome,
        VERDICTS[lead.outcome],
    )  # fmt: skip


def lead_numbers(lead: Lead) -> tuple[EstimateRow, ...]:
    """Return a lead's own numbers."""
    both, plates = {"solver": BOTH}, lead.plates
    rows = [
        *acceptance_rows(lead.rates),
        *(
            share_row(ACCEPTED, both | {"explanation": name}, _pooled(lead.rates, name))
            for name in ("without", "with")
        ),
        *usefulness_rows(lead.rates),
        estimate_row(GAIN, both | {"part": RAW}, lead.pooled),
        share_row(WITHOUT_NUMERAL, {"contour": "with"}, plates.with_contour),
        share_row(WITHOUT_NUMERAL, {"contour": "without"}, plates.without_contour),
        _by_90(READING, lead.reading),
        _by_90(SHRUNKEN, lead.shrunken),
    ]
    return again(rows, participant=lead.participant)


def _by_90(quantity: Quantity, part: Interval) -> EstimateRow:
    """Return an estimate whose limits are those of a 90 % interval."""
    row = EstimateRow(quantity=quantity.id, estimate=part.estimate)
    return replace(row, low_90=part.ci_low, high_90=part.ci_high)


@dataclass(frozen=True, slots=True)
class _Signs:
    """What else a lead's acceptance may come from, and how the lead kept the guidelines."""

    reading: Interval
    wrong: Interval
    sham: bool
    kept: tuple[Kept, ...]


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


def _outcome(pooled: Interval, signs: _Signs, flagged: bool, rules: Analysis) -> Outcome:
    """Return a lead's verdict.

    More acceptance is a profit only if it exceeds, by the protocol's margin at least, the same
    lead's rise on plates without a numeral and the rise on wrong digits.
    """
    reading, wrong = signs.reading, signs.wrong
    if flagged:
        return "from_explanation"
    if _failed(signs.kept):
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

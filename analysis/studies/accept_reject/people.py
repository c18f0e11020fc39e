"""Each lead by themselves: compliance, reading of contours, usefulness, a verdict."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.proportions import UNKNOWN, Count, Interval, mover
from analysis.studies.accept_reject.exclusions import (
    ContourReading,
    GroupCompliance,
    Kept,
    Plates,
    compliance,
    contour_reading,
)
from analysis.studies.accept_reject.rates import (
    Gain,
    Rates,
    Share,
    cell_counts,
    share,
    usefulness_rows,
)
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
class ExcludedLead:
    """A lead whom the second analysis leaves out."""

    participant: Annotated[str, about("Code.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    reason: Annotated[str, about("Why.")]
    compliance: Annotated[tuple[GroupCompliance, ...], about("Decisions on controls, by group.")]


@dataclass(frozen=True, slots=True)
class Limits:
    """A difference of shares with its limits; null where it isn't known."""

    estimate: Annotated[float | None, about("The difference, −1 to 1.")]
    ci_low: Annotated[float | None, about("Its lower limit.")]
    ci_high: Annotated[float | None, about("Its upper limit.")]


@dataclass(frozen=True, slots=True)
class BothRuns:
    """A lead's acceptance of S's and E's solutions together."""

    unexplained: Annotated[Share, about("In the run without explanations.")]
    explained: Annotated[Share, about("In the run with explanations.")]


@dataclass(frozen=True, slots=True)
class LeadContour:
    """A lead's acceptance of plates without a numeral."""

    with_contour: Annotated[Share, about("Of plates with a digit-shaped contour.")]
    without_contour: Annotated[Share, about("Of plates without one.")]
    difference: Annotated[Limits, about("Their difference, with its 90 % interval.")]
    shrunken: Annotated[
        Limits, about("The same by the model of all leads, with its 90 % interval.")
    ]


@dataclass(frozen=True, slots=True)
class LeadResult:
    """A lead's own results; intervals take the lead's trials as independent."""

    participant: Annotated[str, about("Code.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    compliance: Annotated[tuple[GroupCompliance, ...], about("Decisions on controls, by group.")]
    accepted: Annotated[
        dict[str, Share], about("Acceptance, by solver and run: S_without, S_with and so on.")
    ]
    accepted_pooled: Annotated[BothRuns, about("Acceptance of S's and E's solutions together.")]
    usefulness: Annotated[tuple[Gain, ...], about("Usefulness, raw and net.")]
    usefulness_pooled: Annotated[Limits, about("Usefulness of both, with its 95 % interval.")]
    contour: Annotated[LeadContour, about("Reading of contours.")]
    flagged: Annotated[bool, about("Whether the lead accepts from the explanation.")]
    outcome: Annotated[Outcome, about("The verdict, a word.")]
    verdict: Annotated[str, about("The verdict in words.")]


@dataclass(frozen=True, slots=True)
class ContourShare:
    """A lead's acceptance of plates without a numeral, with a contour like a solver's."""

    participant: Annotated[str, about("Code.")]
    robot: Annotated[str, about("The response model; empty for a person.")]
    solver: Annotated[str, about("The solver whose contours it is like: S or E.")]
    rate: Annotated[float | None, about("Share accepted, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]
    n: Annotated[int, about("Plates.")]
    flagged: Annotated[bool, about("Whether the lead accepts from the explanation.")]


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
    rates: Rates
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
        kept=signs.kept,
        rates=rates,
        pooled=pooled,
        plates=plates,
        reading=signs.reading,
        shrunken=contour.shrunken.get(plates.participant, UNKNOWN),
        flagged=flagged,
        outcome=_outcome(pooled, signs, flagged, rules),
    )


def _plates(code: str, rates: Rates) -> Plates:
    plain, s_like, e_like = rates.counts[4:]
    return Plates(code, _together(s_like, e_like), plain)


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


def contour_rows(leads: list[Lead]) -> tuple[ContourShare, ...]:
    """Return every lead's acceptance of digit-shaped contours without a numeral."""
    return tuple(
        ContourShare(
            participant=lead.participant,
            robot=lead.robot,
            solver=solver,
            **asdict(share(lead.rates.counts[cell])),
            flagged=lead.flagged,
        )
        for lead in leads
        for solver, cell in (("S", 5), ("E", 6))
        if lead.rates.counts[cell].n
    )


def lead_results(leads: list[Lead], cutoff_s: float) -> tuple[LeadResult, ...]:
    """Return each lead's results as results.json has them."""
    return tuple(_lead_result(lead, cutoff_s) for lead in leads)


def _lead_result(lead: Lead, cutoff_s: float) -> LeadResult:
    s_without, s_with, e_without, e_with = counts = lead.rates.counts[:4]
    named = zip(("S_without", "S_with", "E_without", "E_with"), counts, strict=True)
    return LeadResult(
        participant=lead.participant,
        robot=lead.robot,
        compliance=tuple(own.row() for own in lead.kept),
        accepted={name: share(count) for name, count in named},
        accepted_pooled=BothRuns(
            unexplained=share(_together(s_without, e_without)),
            explained=share(_together(s_with, e_with)),
        ),
        usefulness=usefulness_rows(lead.rates, cutoff_s),
        usefulness_pooled=Limits(**limits_row(lead.pooled)),
        contour=LeadContour(
            with_contour=share(lead.plates.with_contour),
            without_contour=share(lead.plates.without_contour),
            difference=Limits(**limits_row(lead.reading)),
            shrunken=Limits(**limits_row(lead.shrunken)),
        ),
        flagged=lead.flagged,
        outcome=lead.outcome,
        verdict=VERDICTS[lead.outcome],
    )


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

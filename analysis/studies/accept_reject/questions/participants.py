"""Who decided, on which plates, who is left out, and each lead by themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.question import Lacking, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportTable, as_mapping, cut
from analysis.report.methods import blank
from analysis.report.parts import Column, Fact
from analysis.report.results import (
    all_simulated,
    coded_name,
    counted,
    robots_first,
    sample_facts,
    values,
)
from analysis.report.wording import count, grouped, listed, number, percent
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.exclusions import kept_words, minimums
from analysis.studies.accept_reject.leads import compliance_cells
from analysis.studies.accept_reject.people import (
    KEPT,
    READING,
    SHRUNKEN,
    ExcludedLead,
    JudgedLead,
    LeadResult,
)
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, WITHOUT_NUMERAL
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import (
    GROUP_HEADINGS,
    SOLVER,
    TENTHS,
    experts_called,
    granted,
)
from stimuli.images.sets import NO_SOLUTION
from stimuli.maps.origin import IMPORTED, PEOPLE, RESPONSE_MODEL
from stimuli.maps.relevance import DISCS
from stimuli.studies.accept_reject.protocol import AcceptReject, Explanation
from stimuli.studies.accept_reject.tables import NO_NUMERAL


@dataclass(frozen=True, slots=True)
class ShownSolutions:
    """How good a solver's shown solutions were, apart from controls."""

    solver: Annotated[str, about("Who gave them: S or E.")]
    items: Annotated[int, about("Plates, each at each rung.")]
    right: Annotated[float | None, about("Share of right solutions, 0 to 1.")]
    no_solution: Annotated[float | None, about("Share of “no solution”.")]


@dataclass(frozen=True, slots=True)
class AllSolutions:
    """What a solver made of all plates with a numeral, from the item table."""

    solver: Annotated[str, about("Who gave them: S or E.")]
    items: Annotated[int, about("Plates.")]
    right: Annotated[float | None, about("Share of right solutions, 0 to 1.")]
    no_solution: Annotated[float | None, about("Share of “no solution”.")]
    region_area: Annotated[float | None, about("Mean area of regions, share of the plate.")]
    region_iou: Annotated[float | None, about("Mean overlap of S's and E's regions, IoU.")]


@dataclass(frozen=True, slots=True)
class Participants(Estimates):
    """Who decided, on which plates, and under which rules leads are left out."""

    cutoff_s: Annotated[float, about("The primary decision time, seconds.")]
    cutoff_mode: Annotated[
        str,
        about("internal: later acceptances don't count; visible: the plate left the screen then."),
    ]
    limit_s: Annotated[float, about("The longest decision time, seconds.")]
    methods: Annotated[list[str], about("Methods of S's explanations.")]
    experts: Annotated[list[str], about("Experts who gave E's solutions.")]
    expert_origins: Annotated[list[str], about("Who made them: people, response_model, imported.")]
    systems: Annotated[list[str], about("Systems that gave S's solutions.")]
    orders: Annotated[list[str], about("Orders of the runs.")]
    axes: Annotated[list[str], about("Confusion lines of the plates.")]
    rungs: Annotated[list[int], about("Rungs of the ladder of contrasts.")]
    compliance_minimums: Annotated[
        dict[str, float], about("Least share of right decisions, by group of controls.")
    ]
    least_controls: Annotated[int, about("Fewest controls by which a group is judged.")]
    contour_reading_limit: Annotated[
        float, about("Rise by a contour from which on a lead accepts from the explanation.")
    ]
    by_hand: Annotated[list[str], about("Participants who were left out by hand.")]
    by_rule: Annotated[
        tuple[ExcludedLead, ...], about("Leads whom the second analysis leaves out.")
    ]
    leads: Annotated[tuple[JudgedLead, ...], about("Each lead's verdict.")]
    solutions: Annotated[tuple[ShownSolutions, ...], about("Quality of the shown solutions.")]
    items: Annotated[tuple[AllSolutions, ...], about("Quality of the solutions of all plates.")]


def compute(data: LeadData) -> Participants:
    """Return who decided on what, and each lead's results."""
    judged, rules = data.judged, data.protocol.analysis
    frame = judged.frame
    system, experts = (frame[frame["solver"] == solver] for solver in ("S", "E"))
    solved = frame[frame["solver"] != "control"]
    return Participants(
        tuple(row for lead in data.leads for row in lead.numbers.estimates),
        cutoff_s=judged.cutoff_s,
        cutoff_mode=judged.mode,
        limit_s=judged.limit_s,
        methods=values(system, "method"),
        experts=values(experts, "solver_id"),
        expert_origins=values(experts, "solver_origin"),
        systems=values(system, "solver_id"),
        orders=values(frame, "order"),
        axes=values(solved, "axis"),
        rungs=cast(list[int], values(solved, "rung")),
        compliance_minimums=minimums(rules),
        least_controls=rules.least_controls,
        contour_reading_limit=rules.contour_reading_limit,
        by_hand=list(data.left_out),
        by_rule=data.excluded,
        leads=tuple(lead.judged for lead in data.leads),
        solutions=_shown_solutions(judged),
        items=_all_solutions(data.dataset.items),
    )


def leads_of(sample: Participants) -> list[LeadResult]:
    """Return each lead with the lead's own numbers."""
    numbers: dict[str, list[EstimateRow]] = {}
    for row in sample.rows(ACCEPTED, GAIN, WITHOUT_NUMERAL):
        numbers.setdefault(row.of["participant"], []).append(row)
    return [
        LeadResult(**as_mapping(lead), numbers=Estimates(tuple(numbers[lead.participant])))
        for lead in sample.leads
    ]


def _shown_solutions(judged: ScoredTrials) -> tuple[ShownSolutions, ...]:
    """Return how good the shown solutions were, if the table says it."""
    frame = judged.frame
    if "true_label" not in frame or "shown_label" not in frame:
        return ()
    rows = []
    # S may answer differently at another rung.
    solved = [name for name in ("item", "axis", "rung") if name in frame]
    for solver in ("S", "E"):
        solutions = frame[frame["solver"] == solver].drop_duplicates(solved)
        if len(solutions):
            right = float((solutions["true_label"] == solutions["shown_label"]).mean())
            unsolved = float((solutions["shown_label"] == NO_SOLUTION).mean())
            rows.append(ShownSolutions(solver, len(solutions), right, unsolved))
    return tuple(rows)


def _all_solutions(items: pd.DataFrame | None) -> tuple[AllSolutions, ...]:
    """Return what S and E made of all items; nothing without an item table."""
    if items is None or "true_label" not in items:
        return ()
    rows = []
    for solver, column in (("S", "model_label"), ("E", "expert_label")):
        if column not in items or items[column].isna().all():
            continue
        solutions = items[items[column].notna() & (items["true_label"] != NO_NUMERAL)]
        rows.append(
            AllSolutions(
                solver=solver,
                items=len(solutions),
                right=float((solutions[column] == solutions["true_label"]).mean()),
                no_solution=float((solutions[column] == NO_SOLUTION).mean()),
                region_area=_mean(solutions, "region_area"),
                region_iou=_mean(solutions, "region_iou"),
            )
        )
    return tuple(rows)


def _mean(frame: pd.DataFrame, column: str) -> float | None:
    return float(frame[column].mean()) if column in frame else None


def compliance_columns() -> list[Column]:
    """Return a column for each group of controls: how many a lead decided rightly."""
    return [
        Column(
            heading,
            lambda row, name=name: next(
                kept_words(group) for group in row.compliance if group.name == name
            ),
            str,
            "controls right",
        )
        for name, heading in GROUP_HEADINGS.items()
    ]


def _excluded_cells(row: ExcludedLead) -> dict[str, Any]:
    named = {"participant": row.participant, "robot": row.robot, "reason": row.reason}
    return named | compliance_cells(row.compliance)


EXCLUSIONS = ReportTable(
    "exclusions",
    lambda sample: [_excluded_cells(row) for row in sample.by_rule],
    "Leads left out of the second analysis.",
    (Column("Lead", coded_name), Column("Why", "reason"), *compliance_columns()),
    shown="by_rule",
    cut=lambda rows: cut(rows, "leads", "exclusions", lambda _: True, "by code"),
    otherwise="No lead is left out by rule.",
)

_SOLUTIONS = (
    SOLVER,
    Column("n", "items", grouped, "plate × rung"),
    Column("Right", "right", TENTHS),
    Column("No solution", "no_solution", TENTHS),
)
SOLUTIONS = ReportTable(
    "", "solutions", "The solutions that were shown, apart from controls.", _SOLUTIONS
)
ITEMS = ReportTable(
    "",
    "items",
    "All plates with a numeral, from the item table.",
    (
        *_SOLUTIONS,
        Column("Mean area of regions", "region_area", TENTHS, "of the plate"),
        Column("Overlap of S’s and E’s", "region_iou", number, "mean IoU"),
    ),
)


def _facts(sample: Participants, whole: Whole) -> list[Fact]:
    data = whole.frame.data
    facts = sample_facts(data, "lead", data.trials, "trials", "plate")
    return [*facts, Fact(f"{sample.cutoff_s:g} s", "primary decision time")]


def _headline(sample: Participants, whole: Whole) -> list[str]:
    """Say first if robots stand in for leads or for experts."""
    experts = (
        f"E’s solutions and explanations come from {experts_called(sample)} (response models)."
    )
    sentences = [experts] if RESPONSE_MODEL in sample.expert_origins else []
    return [*robots_first(whole.frame.data, "lead"), *sentences]


def _methods(sample: Participants, whole: Whole) -> list[str]:
    """Return the design: from the table, and what it doesn't contain from the protocol."""
    data, rules = whole.frame.data, cast(AcceptReject, whole.protocol)
    robots = " (response models)" if all_simulated(data) else ""
    parts = [
        f"In total, {counted(data, 'lead')}{robots} decided on {grouped(data.trials)} "
        f"task–solution pairs made from {count(data.items, 'pseudoisochromatic plate')}.",
        f"Solutions came from a classifier (S) and from {_experts(sample)}; the lead wasn’t "
        "told which.",
    ]
    if data.protocol_known:
        parts.append(
            f"Plates measured {rules.plates.size_deg:g}° across; figure and ground differed along "
            f"{_axes(sample)} confusion line in cone excitation, at {_rungs(sample, rules)}."
        )
    parts.append(_runs(sample))
    if not data.protocol_known:
        return [
            *parts,
            blank(
                "plates, controls, practice and the course of a trial, since no protocol came with "
                "the data"
            ),
        ]
    return [*parts, _trial(rules), region_sentence(rules.explanation), _controls(rules),
            _session(rules)]  # fmt: skip


def _experts(sample: Participants) -> str:
    number, kinds = len(sample.experts), sample.expert_origins
    noun = "simulated expert" if kinds == [RESPONSE_MODEL] else "expert"
    who = count(number, noun) if number else f"an unstated number of {noun}s"
    if kinds == [PEOPLE]:
        return f"{who} with normal colour vision (E)"
    if RESPONSE_MODEL in kinds:
        part = "" if kinds == [RESPONSE_MODEL] else "some of them "
        return f"{who} (E; {part}response models)"
    return f"{who} (E), whose answers were imported" if kinds == [IMPORTED] else f"{who} (E)"


def _axes(sample: Participants) -> str:
    return f"the {listed(sample.axes)}" if sample.axes else "the lead’s own"


def _rungs(sample: Participants, rules: AcceptReject) -> str:
    ladders: Mapping[str, Any] = {
        axis: getattr(rules.plates, f"ladder_{axis}", ()) for axis in sample.axes
    }
    pairs = [
        f"rung {rung} of the ladder ({axis} Δu′v′ {ladder[rung - 1]:g})"
        for axis, ladder in ladders.items()
        for rung in sample.rungs
        if 0 < rung <= len(ladder)
    ]
    few = 0 < len(pairs) <= 3
    return listed(pairs) if few else "the rung of the ladder of contrasts set for each lead"


def _runs(sample: Participants) -> str:
    methods = listed(sample.methods) if sample.methods else "S and E"
    return (
        f"There were two runs, without and with explanations, {_order(sample.orders)}; "
        f"explanations were regions from {methods}, "
        "drawn in the same way for S and E. Leads were instructed to accept a digit only if they "
        "saw it in the plate."
    )


def _order(orders: list[str]) -> str:
    if not orders:
        return "in an unknown order (the table has no order)"
    if len(orders) == 1:
        return f"in one order ({orders[0].replace('_', ' ')})"
    return "in an order counterbalanced over leads"


def _trial(rules: AcceptReject) -> str:
    trial = rules.trial
    together = f"After {trial.fixation_s:g} s of fixation, plate and solution appeared together"
    if trial.cutoff_mode == "internal":
        return f"{together} and stayed until the answer, for {trial.limit_s:g} s at most."
    return f"{together}; answers were accepted for {trial.limit_s:g} s at most."


def region_sentence(explanation: Explanation) -> str:
    """Return how regions were made."""
    text = (
        "The area of S’s region was that of E’s painting of the same plate."
        if explanation.area == "yoked"
        else f"Every region covered {percent(explanation.fixed_area)} of the plate’s disc."
    )
    if explanation.outline == "discs":
        text += (
            f" Regions were drawn as separate equal discs, {DISCS} if there was room, on the most "
            "relevant places; controls in the same way."
        )
    return text


def _controls(rules: AcceptReject) -> str:
    shares = rules.solutions.shares
    controls = {
        "wrong digits": shares.wrong_digit,
        "right digits": shares.right_digit,
        "plates without a numeral": shares.no_numeral,
        "high-contrast right digits": shares.high_contrast,
        "no-solution": shares.no_solution,
    }
    planned = listed([f"{name} {percent(value)}" for name, value in controls.items()])
    return f"Planned shares of controls were the same in both runs: {planned}."


def _session(rules: AcceptReject) -> str:
    solutions, session = rules.solutions, rules.session
    return (
        f"Each run had {count(solutions.trials_per_run, 'trial')}, after "
        f"{count(solutions.practice_trials, 'practice trial')} with feedback, with a break "
        f"every {count(session.break_every_trials, 'trial')} and one of at least "
        f"{session.between_runs_s:g} s between the runs; answers were given by "
        f"{session.device}, with counterbalanced sides."
    )


def _lacking(data: LeadData, _: Participants | None) -> list[Lacking]:
    if data.dataset.items is not None:
        return []
    result = "the solutions of S and E of all plates, and the overlap of their regions"
    return [Lacking(result, "there is no item table")]


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    quantities=(KEPT, ACCEPTED, GAIN, WITHOUT_NUMERAL, READING, SHRUNKEN),
    compute=compute,
    step="judging leads",
    parts=(EXCLUSIONS, SOLUTIONS, ITEMS),
    facts=_facts,
    headline=_headline,
    methods=_methods,
    needs={
        "purpose": "selection of the main sessions",
        "true_label": "how good the shown solutions were",
        "shown_label": "how good the shown solutions were",
    },
    lacking=_lacking,
)
"""Who decided, and each lead."""


def time_granted(here: Within[Any]) -> str:
    """Return within what time an acceptance counts."""
    return granted(here.whole.of(PARTICIPANTS))

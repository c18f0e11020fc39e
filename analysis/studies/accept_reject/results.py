"""Every number of the report, in one place."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from analysis.data.json_values import plain
from analysis.data.tables import Dataset
from analysis.report.checks import general_checks
from analysis.report.estimates import limits_row
from analysis.report.incidents import incident_results
from analysis.report.results import bootstrap_results, finished, take_trials
from analysis.statistics.bootstrap import Resampling, Units
from analysis.statistics.curves import Curve, curves_and_differences, decision_times
from analysis.statistics.proportions import LEVEL
from analysis.studies.accept_reject import rates as r
from analysis.studies.accept_reject.blinding import blinding_results
from analysis.studies.accept_reject.checks import design_checks
from analysis.studies.accept_reject.compliance import minimums
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.disagreement import disagreements
from analysis.studies.accept_reject.explainers import compare_explainers
from analysis.studies.accept_reject.harm import harm_results
from analysis.studies.accept_reject.missing import unavailable_results
from analysis.studies.accept_reject.model import model_results
from analysis.studies.accept_reject.people import (
    contour_rows,
    each_lead,
    excluded,
    participant_rows,
)
from analysis.studies.accept_reject.primary import primary_results
from analysis.studies.accept_reject.published import published_rows
from analysis.studies.accept_reject.response_times import response_times
from analysis.studies.accept_reject.run_effect import run_effect
from analysis.studies.accept_reject.sample import (
    describe_data,
    item_summary,
    participant_flow,
    remarks,
    shown_solutions,
    timing,
)
from analysis.studies.accept_reject.seen import seen_results
from analysis.studies.accept_reject.sentences import headline_sentences
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials, judge_trials
from stimuli.studies.accept_reject.protocol import AcceptReject

SCHEMA = "results/1.3"
CURVE_REPLICATES = 1000
EQUIVALENCE_LEVEL = 0.90

Step = Callable[[str], None]


def analyse_accept_reject(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Step = lambda _: None
) -> dict[str, Any]:
    """Return every result of accept_reject as plain JSON values.

    The report is made from these alone.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no trial is left to analyse.
    """
    protocol: AcceptReject = dataset.protocol
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    taken = take_trials(dataset, purpose, left_out)
    step("judging trials")
    judged = judge_trials(taken.kept, protocol)
    leads, contour = each_lead(judged, rules)
    gone = excluded(leads)
    step("measuring rates over leads and plates")
    rates = r.measure(judged, plan)
    controls = Controls(judged, plan)
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": dataset.study,
        "data": describe_data(dataset, judged, taken),
        "protocol": protocol.resolved(),
        "levels": {"interval": LEVEL, "equivalence_interval": EQUIVALENCE_LEVEL},
        "acceptance": r.acceptance_rows(rates, judged.cutoff_s),
        "usefulness": r.usefulness_rows(rates, judged.cutoff_s),
        "comparison": r.comparison(rates, judged.cutoff_s, rules.margin),
        "ratio": r.ratio(rates),
        "contour_reading": contour_rows(leads),
        "contour_overall": _contour_overall(rates),
        "contour_model": contour.row,
        "participants": participant_rows(leads, judged.cutoff_s),
        "flow": participant_flow(dataset, taken, judged, gone),
        "incidents": incident_results(dataset.sessions),
        "exclusions": {
            "compliance_minimums": minimums(rules),
            "least_controls": rules.least_controls,
            "contour_reading_limit": rules.contour_reading_limit,
            "by_hand": list(left_out),
            "by_rule": gone,
        },
        "timing": timing(judged, dataset.sessions),
        **_curves(judged, plan.at_most(CURVE_REPLICATES)),
        "controls": {
            "kinds": controls.kind_rows(),
            "detection": controls.detection_rows(),
            "diagnostics": controls.diagnostic_rows(),
        },
        "solutions": shown_solutions(judged),
        "items": item_summary(dataset.items),
    }
    step("repeating under other choices")
    results["sensitivity"] = _sensitivity(judged, taken.kept, protocol, gone, plan, rates)
    results["run_effect"] = run_effect(judged, plan)
    results["explainers"] = compare_explainers(judged)
    results["blinding"] = blinding_results(
        judged, plan, lambda label, some: _repeated(label, some, plan, protocol)
    )
    step("fitting the mixed models")
    results["model"] = model_results(judged)
    results["controls"] |= harm_results(judged, controls, rules.margin)
    results["disagreements"] = disagreements(results)
    results["primary"] = primary_results(results, rates)
    results["response_times"] = response_times(judged)
    results["intervals"] = r.intervals(rates, plan)
    results["bootstrap"] = bootstrap_results(plan, drawn=judged.participants > 1)
    results["seen"] = seen_results(dataset.pack)
    results["missing"] = unavailable_results(dataset, judged, results)
    results["notes"] = [*dataset.notes, *judged.notes, *remarks(results)]
    step("checking the data")
    checks = [
        *general_checks(dataset.trials, judged.frame, dataset.sessions, judged.limit_s),
        *design_checks(judged, protocol, dataset.protocol_known),
    ]
    results = finished(results, checks, headline_sentences)
    return {**results, "published": plain(published_rows(results))}


def _contour_overall(rates: r.Rates) -> dict[str, Any]:
    return {
        name: {**limits_row(rates.rate(cell), "rate"), "n": rates.counts[cell].n}
        for name, cell in (("without", 4), ("S_like", 5), ("E_like", 6))
    }


def _curves(judged: ScoredTrials, plan: Resampling) -> dict[str, list[dict[str, Any]]]:
    """Return acceptance over decision time, and what an explanation adds to it."""
    cell = r.cells_of(judged)
    inside = (cell >= 0) & (cell < len(CELLS))
    frame = judged.frame[inside]
    if frame.empty:
        return {"curves": [], "curve_differences": []}
    accept_s = frame["accept_s"].to_numpy()
    times = decision_times(accept_s, judged.limit_s, (judged.cutoff_s,))
    units = Units.of(frame["participant"], frame["item"])
    cells = cell[inside]
    pairs = ((1, 0), (3, 2))  # with and without, of S and of E
    curves, differences = curves_and_differences(
        accept_s, cells, len(CELLS), pairs, times, units, plan
    )
    return {
        "curves": [
            {"solver": solver, "explained": explained, **_curve_row(curve)}
            for (solver, explained), curve in zip(CELLS, curves, strict=True)
            if curve.n
        ],
        "curve_differences": [
            {"solver": solver, **_curve_row(curve)}
            for solver, curve in zip("SE", differences, strict=True)
            if curve is not None
        ],
    }


def _curve_row(curve: Curve) -> dict[str, Any]:
    return {
        "n": curve.n,
        "time_s": curve.time_s.tolist(),
        "rate": curve.rate.tolist(),
        "ci_low": curve.ci_low.tolist(),
        "ci_high": curve.ci_high.tolist(),
        "band_low": curve.band_low.tolist(),
        "band_high": curve.band_high.tolist(),
    }


def _sensitivity(
    judged: ScoredTrials,
    chosen: pd.DataFrame,
    protocol: AcceptReject,
    gone: list[dict[str, Any]],
    plan: Resampling,
    rates: r.Rates,
) -> list[dict[str, Any]]:
    rows = [_repeated("all leads (intention to treat)", judged, plan, protocol, rates)]
    codes = [row["participant"] for row in gone]
    if codes:
        second = judged.measured(~judged.frame["participant"].isin(codes))
        rows.append(_repeated("without the leads excluded by rule", second, plan, protocol))
    if "rt_corrected_s" in chosen and chosen["rt_corrected_s"].notna().any():
        corrected = judge_trials(chosen, protocol, "rt_corrected_s")
        rows.append(_repeated("times less the rig's lag", corrected, plan, protocol))
    first = judged.frame["first_run"]
    if first.notna().all() and judged.frame["explained"][first.astype(bool)].nunique() == 2:
        only = judged.measured(first.astype(bool))
        rows.append(_repeated("first run of each lead only (between leads)", only, plan, protocol))
    return rows


def _repeated(
    label: str,
    judged: ScoredTrials,
    plan: Resampling,
    protocol: AcceptReject,
    rates: r.Rates | None = None,
) -> dict[str, Any]:
    if not len(judged.frame):
        return {
            "analysis": label,
            "participants": 0,
            "trials": 0,
            "acceptance": [],
            "usefulness": [],
            "comparison": None,
        }
    rates = rates or r.measure(judged, plan)
    return {
        "analysis": label,
        "participants": judged.participants,
        "trials": len(judged.frame),
        "acceptance": r.acceptance_rows(rates, judged.cutoff_s),
        "usefulness": r.usefulness_rows(rates, judged.cutoff_s),
        "comparison": r.comparison(rates, judged.cutoff_s, protocol.analysis.margin),
    }

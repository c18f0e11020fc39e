"""Every number of the report, in one place."""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from analysis.bootstrap import Plan, Units
from analysis.curves import acceptance_curves, decision_times
from analysis.json_values import plain
from analysis.studies.accept_reject import rates as r
from analysis.studies.accept_reject.controls import Controls
from analysis.studies.accept_reject.model import model_results
from analysis.studies.accept_reject.people import (
    contour_rows,
    each_lead,
    excluded,
    participant_rows,
)
from analysis.studies.accept_reject.sentences import headline_sentences
from analysis.studies.accept_reject.trials import Judged, judge_trials
from analysis.tables import Dataset, select_purpose
from stimuli.errors import UserError
from stimuli.protocol.accept_reject import AcceptReject

SCHEMA = "results/1.0"
CURVE_REPLICATES = 1000
FEW_PARTICIPANTS = 5
SOFTWARE = ("gpboost", "formulae", "statsmodels", "scipy", "numpy", "pandas")

Step = Callable[[str], None]


def analyse_accept_reject(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Step = lambda _: None
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Return every result of accept_reject as plain JSON values, and the judged trials.

    Parameters
    ----------
    dataset
        Trials and protocol.
    purpose
        Which sessions; None for main, or the one purpose that there is.
    left_out
        Participants to leave out of everything.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no trial is left to analyse.
    """
    protocol: AcceptReject = dataset.protocol
    rules = protocol.analysis
    plan = Plan(rules.replicates, rules.seed)
    chosen, purpose_taken, purpose_words = select_purpose(dataset.trials, purpose)
    chosen = chosen[~chosen["participant"].isin(left_out)].reset_index(drop=True)
    if chosen.empty:
        raise UserError(f"{dataset.source}: no trials are left after exclusions")
    step("judging trials")
    judged = judge_trials(chosen, protocol)
    leads = each_lead(judged, rules)
    gone = excluded(leads, rules)
    step("resampling participants and items")
    rates = r.measure(judged, plan)
    controls = Controls(judged, plan)
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": dataset.study,
        "data": _data(dataset, judged, purpose_taken, purpose_words),
        "acceptance": r.acceptance_rows(rates, judged.cutoff_s),
        "usefulness": r.usefulness_rows(rates, judged.cutoff_s),
        "comparison": r.comparison(rates, judged.cutoff_s, rules.margin),
        "ratio": r.ratio(rates),
        "contour_reading": contour_rows(leads),
        "contour_overall": _contour_overall(rates),
        "participants": participant_rows(leads, judged.cutoff_s),
        "flow": _flow(dataset, chosen, purpose_taken, left_out, judged, gone),
        "exclusions": {
            "compliance_minimum": rules.compliance_minimum,
            "contour_reading_limit": rules.contour_reading_limit,
            "by_hand": list(left_out),
            "by_rule": gone,
        },
        "timing": _timing(judged),
        "curves": _curves(judged, Plan(min(CURVE_REPLICATES, rules.replicates), rules.seed)),
        "controls": {
            "kinds": controls.kind_rows(),
            "detection": controls.detection_rows(),
            "wrong_digits": controls.harm(),
        },
        "solutions": _solutions(judged),
    }
    step("repeating under other choices")
    results["sensitivity"] = _sensitivity(judged, chosen, protocol, gone, plan, rates)
    step("fitting the mixed model")
    results["model"] = model_results(judged)
    results["intervals"] = r.interval_words(rates)
    results["bootstrap"] = {
        "kind": "two-way, percentile" if rates.draws is not None else "none: one participant",
        "replicates": plan.replicates if rates.draws is not None else 0,
        "seed": plan.seed,
    }
    results["missing"] = _missing(dataset, judged, results)
    results["notes"] = [*dataset.notes, *judged.notes]
    results["versions"] = {name: version(name) for name in SOFTWARE}
    results = plain(results)
    results["headline"] = headline_sentences(results)
    return results, judged.frame


def _data(dataset: Dataset, judged: Judged, purpose: str, words: str) -> dict[str, Any]:
    frame = judged.frame
    return {
        "source": dataset.source,
        "purpose": purpose,
        "purpose_words": words,
        "participants": judged.participants,
        "items": int(frame["item"].nunique()),
        "trials": len(frame),
        "pack_ids": _values(frame, "pack_id"),
        "protocol_hashes": _values(frame, "protocol_hash"),
        "protocol": dataset.protocol.name,
        "protocol_source": dataset.protocol_source,
        "cutoff_s": judged.cutoff_s,
        "cutoff_mode": judged.mode,
        "limit_s": judged.limit_s,
        "methods": _values(frame[frame["solver"] == "S"], "method"),
        "experts": _values(frame[frame["solver"] == "E"], "solver_id"),
        "systems": _values(frame[frame["solver"] == "S"], "solver_id"),
        "orders": _values(frame, "order"),
    }


def _values(frame: pd.DataFrame, column: str) -> list[str]:
    return sorted(frame[column].dropna().unique().tolist()) if column in frame else []


def _flow(
    dataset: Dataset,
    chosen: pd.DataFrame,
    purpose: str,
    left_out: Sequence[str],
    judged: Judged,
    gone: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    everyone = dataset.trials
    before = chosen["participant"].nunique() + len(
        set(left_out) & set(everyone[_of_purpose(everyone, purpose)]["participant"])
    )
    second = judged.frame[~judged.frame["participant"].isin([row["participant"] for row in gone])]
    steps = [
        ("in the table", everyone["participant"].nunique(), len(everyone)),
        (f"of purpose {purpose}" if purpose else "taken", before, int(_of_purpose(everyone, purpose).sum())),
        ("left out by hand (--exclude)", len(left_out), None),
        ("analysed (intention to treat)", judged.participants, len(judged.frame)),
        ("left out by rule", len(gone), len(judged.frame) - len(second)),
        ("in the second analysis", second["participant"].nunique(), len(second)),
    ]
    return [{"step": s, "participants": int(p), "trials": t} for s, p, t in steps]


def _of_purpose(frame: pd.DataFrame, purpose: str) -> pd.Series:
    if not purpose:
        return pd.Series(True, index=frame.index)
    return frame["purpose"] == purpose


def _contour_overall(rates: r.Rates) -> dict[str, Any]:
    said = {}
    for name, cell in (("without", 4), ("S_like", 5), ("E_like", 6)):
        part = rates.rate(cell)
        said[name] = {
            "rate": part.estimate,
            "ci_low": part.ci_low,
            "ci_high": part.ci_high,
            "n": rates.counts[cell].n,
        }
    return said


def _timing(judged: Judged) -> dict[str, Any]:
    frame = judged.frame
    rigs = []
    if "rig" in frame:
        for rig, own in frame.groupby("rig", dropna=False):
            dropped = own["frames_dropped"] if "frames_dropped" in own else None
            rigs.append(
                {
                    "rig": rig,
                    "participants": own["participant"].nunique(),
                    "trials": len(own),
                    "trials_with_drops": None if dropped is None else int((dropped > 0).sum()),
                    "frames_dropped": None if dropped is None else int(dropped.sum()),
                    "median_rt_s": own["rt_s"].median(),
                }
            )
    answers = []
    for (solver, explained), own in frame.groupby(["solver", "explained"]):
        for decision, times in own.groupby("decision"):
            low, middle, high = times["rt_s"].quantile([0.25, 0.5, 0.75])
            answers.append(
                {
                    "solver": solver,
                    "explained": bool(explained),
                    "decision": decision,
                    "n": len(times),
                    "median_rt_s": middle,
                    "q25_rt_s": low,
                    "q75_rt_s": high,
                }
            )
    return {"rigs": rigs, "answers": answers}


def _curves(judged: Judged, plan: Plan) -> list[dict[str, Any]]:
    cell = r.cells_of(judged)
    inside = (cell >= 0) & (cell < len(r.CELLS))
    frame = judged.frame[inside]
    if frame.empty:
        return []
    accept_s = frame["accept_s"].to_numpy()
    times = decision_times(accept_s, judged.limit_s, (judged.cutoff_s,))
    units = Units.of(frame["participant"], frame["item"])
    found = acceptance_curves(accept_s, cell[inside], len(r.CELLS), times, units, plan)
    return [
        {
            "solver": solver,
            "explained": explained,
            "n": curve.n,
            "time_s": curve.time_s.tolist(),
            "rate": curve.rate.tolist(),
            "ci_low": curve.ci_low.tolist(),
            "ci_high": curve.ci_high.tolist(),
        }
        for (solver, explained), curve in zip(r.CELLS, found, strict=True)
        if curve.n
    ]


def _solutions(judged: Judged) -> list[dict[str, Any]]:
    """How good the shown solutions were, where the table says it."""
    frame = judged.frame
    if "true_label" not in frame or "shown_label" not in frame:
        return []
    rows = []
    for solver in ("S", "E"):
        own = frame[frame["solver"] == solver].drop_duplicates("item")
        if len(own):
            right = own["true_label"] == own["shown_label"]
            rows.append(
                {
                    "solver": solver,
                    "items": len(own),
                    "right": float(right.mean()),
                    "no_solution": float((own["shown_label"] == "no_solution").mean()),
                }
            )
    return rows


def _sensitivity(
    judged: Judged,
    chosen: pd.DataFrame,
    protocol: AcceptReject,
    gone: list[dict[str, Any]],
    plan: Plan,
    rates: r.Rates,
) -> list[dict[str, Any]]:
    rows = [_repeated("all leads (intention to treat)", judged, plan, protocol, rates)]
    codes = [row["participant"] for row in gone]
    if codes:
        second = judged.of(~judged.frame["participant"].isin(codes))
        rows.append(_repeated("without the leads excluded by rule", second, plan, protocol))
    if "rt_corrected_s" in chosen and chosen["rt_corrected_s"].notna().any():
        corrected = judge_trials(chosen, protocol, "rt_corrected_s")
        rows.append(_repeated("times less the rig's lag", corrected, plan, protocol))
    first = judged.frame["first_run"]
    if first.notna().all() and judged.frame["explained"][first.astype(bool)].nunique() == 2:
        only = judged.of(first.astype(bool))
        rows.append(_repeated("first run of each lead only (between leads)", only, plan, protocol))
    return rows


def _repeated(
    label: str, judged: Judged, plan: Plan, protocol: AcceptReject, rates: r.Rates | None = None
) -> dict[str, Any]:
    if not len(judged.frame):
        return {"analysis": label, "participants": 0, "trials": 0, "acceptance": [],
                "usefulness": [], "comparison": None}
    rates = rates or r.measure(judged, plan)
    return {
        "analysis": label,
        "participants": judged.participants,
        "trials": len(judged.frame),
        "acceptance": r.acceptance_rows(rates, judged.cutoff_s),
        "usefulness": r.usefulness_rows(rates, judged.cutoff_s),
        "comparison": r.comparison(rates, judged.cutoff_s, protocol.analysis.margin),
    }


_ABSENT = {
    "purpose": "selection of the main sessions",
    "order": "run and order in the model, and the first-run contrast",
    "control_kind": "controls, compliance, exclusion by rule, contour reading and net usefulness",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
    "rt_corrected_s": "the result with times less the rig's lag",
    "true_label": "how good the shown solutions were",
    "shown_label": "how good the shown solutions were",
}


def _missing(dataset: Dataset, judged: Judged, results: dict[str, Any]) -> list[dict[str, str]]:
    rows = [
        {"result": result, "reason": f"the table has no column {column}"}
        for column, result in _ABSENT.items()
        if column in dataset.absent
    ]
    for row in results["acceptance"]:
        if row["n"] == 0:
            run = "with" if row["explained"] else "without"
            rows.append(
                {
                    "result": f"acceptance of {row['solver']} {run} explanation, and what rests on it",
                    "reason": "there are no such trials",
                }
            )
    if "control_kind" not in dataset.absent:
        for kind, what in ((4, "no contour"), (5, "an S-like contour"), (6, "an E-like contour")):
            if not (r.cells_of(judged) == kind).any():
                rows.append(
                    {
                        "result": "usefulness net of contour reading",
                        "reason": f"there are no plates without a numeral with {what}",
                    }
                )
    if results["ratio"]["reason"]:
        rows.append({"result": "the ratio p_S / p_E or its limits", "reason": results["ratio"]["reason"]})
    if not results["model"]["fitted"]:
        rows.append({"result": "the mixed model", "reason": results["model"]["reason"]})
    elif not results["model"]["converged"]:
        rows.append(
            {
                "result": "inference from the mixed model, and averaged probabilities",
                "reason": "the fit isn't sound; see the model's notes",
            }
        )
    if judged.participants < FEW_PARTICIPANTS:
        reason = f"there are only {judged.participants} participants: intervals are too narrow"
        if judged.participants == 1:
            reason = "there is one participant: intervals speak of this person on such plates"
        rows.append({"result": "conclusions about other people", "reason": reason})
    return rows

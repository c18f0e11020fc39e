"""Who and what the results rest on: people, trials, timing, solutions."""

import itertools
from typing import Any

import numpy as np
import pandas as pd

from analysis.data.sessions import Sessions
from analysis.data.tables import Dataset
from analysis.report.flow import arms_of, intake, leaving, stage
from analysis.report.results import Taken, describe, simulated_participants, values
from analysis.report.timing import timing_results
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import ORDER_WORDS, experts_called
from stimuli.images.predictions import NO_SOLUTION
from stimuli.studies.accept_reject.tables import NO_NUMERAL

FEW_EXPERTS = 5
TIME_BINS = 30
_SOLVER_ORDER = ("S", "E", "control")
_DECISION_ORDER = ("accept", "reject", "none")


def describe_data(dataset: Dataset, judged: ScoredTrials, taken: Taken) -> dict[str, Any]:
    """Return what was analysed, and under which rules."""
    frame = judged.frame
    solved = frame[frame["solver"] != "control"]
    return {
        **describe(dataset, frame, taken),
        "cutoff_s": judged.cutoff_s,
        "cutoff_mode": judged.mode,
        "limit_s": judged.limit_s,
        "methods": values(frame[frame["solver"] == "S"], "method"),
        "experts": values(frame[frame["solver"] == "E"], "solver_id"),
        "expert_origins": values(frame[frame["solver"] == "E"], "solver_origin"),
        "systems": values(frame[frame["solver"] == "S"], "solver_id"),
        "orders": values(frame, "order"),
        "axes": values(solved, "axis"),
        "rungs": values(solved, "rung"),
        "simulated_participants": simulated_participants(frame),
    }


def participant_flow(
    dataset: Dataset, taken: Taken, judged: ScoredTrials, gone: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return participants and trials from the journals to the second analysis."""
    everyone, frame = dataset.trials, judged.frame
    reasons = dict.fromkeys(row["reason"] for row in gone)
    by_rule, rest = [], frame
    for reason in reasons:
        codes = [row["participant"] for row in gone if row["reason"] == reason]
        smaller = rest[~rest["participant"].isin(codes)]
        by_rule.append(leaving(reason, rest, smaller))
        rest = smaller
    return [
        *intake(
            dataset,
            leaving(f"of another purpose than {taken.purpose}", everyone, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("practice, or accepted without a time", taken.kept, frame),
        ),
        stage(
            "analysed by intention to treat",
            frame,
            by_rule,
            arms_of(frame, "order", lambda order: ORDER_WORDS.get(order, order)),
        ),
        stage("second analysis, without those left out by rule", rest),
    ]


def timing(judged: ScoredTrials, sessions: Sessions | None) -> dict[str, Any]:
    """Return timing by rig, and decision times by solver, explanation and decision."""
    frame = judged.frame
    answers = []
    groups = dict(list(frame.groupby(["solver", "explained"])))
    for solver, explained in itertools.product(_SOLVER_ORDER, (False, True)):
        own = groups.get((solver, explained), frame.iloc[:0])
        for decision in _DECISION_ORDER:
            trials = own[own["decision"] == decision]
            if trials.empty:
                continue
            times = trials["rt_s"].dropna()
            low, middle, high = times.quantile([0.25, 0.5, 0.75]) if len(times) else [None] * 3
            answers.append(
                {
                    "solver": solver,
                    "explained": bool(explained),
                    "decision": decision,
                    "n": len(trials),
                    "median_rt_s": middle,
                    "q25_rt_s": low,
                    "q75_rt_s": high,
                }
            )
    return {
        **timing_results(frame, sessions),
        "answers": answers,
        "histogram": _histogram(frame, judged.limit_s),
    }


def _histogram(frame: pd.DataFrame, limit_s: float) -> dict[str, Any] | None:
    """Return counts of decision times in bins of equal ratio; None without a time."""
    times = frame["rt_s"].dropna()
    if times.empty:
        return None
    positive = times[times > 0]
    low = max(0.1, min(0.4, float(positive.min()))) if len(positive) else 0.4
    edges = np.geomspace(low, max(limit_s, float(times.max())), TIME_BINS + 1)
    panels = []
    for (solver, explained), own in frame.groupby(["solver", "explained"]):
        counts = {
            name: np.histogram(own.loc[own["decision"] == decision, "rt_s"].dropna(), edges)[0]
            for name, decision in (("accepted", "accept"), ("rejected", "reject"))
        }
        panels.append({"solver": solver, "explained": bool(explained), **counts})
    outside = int((times < low).sum())
    return {"edges_s": edges, "panels": panels, "quicker": outside}


def shown_solutions(judged: ScoredTrials) -> list[dict[str, Any]]:
    """How good the shown solutions were, where the table says it."""
    frame = judged.frame
    if "true_label" not in frame or "shown_label" not in frame:
        return []
    rows = []
    # S may answer otherwise at another rung.
    solved = [name for name in ("item", "axis", "rung") if name in frame]
    for solver in ("S", "E"):
        own = frame[frame["solver"] == solver].drop_duplicates(solved)
        if len(own):
            right = own["true_label"] == own["shown_label"]
            rows.append(
                {
                    "solver": solver,
                    "items": len(own),
                    "right": float(right.mean()),
                    "no_solution": float((own["shown_label"] == NO_SOLUTION).mean()),
                }
            )
    return rows


def item_summary(items: pd.DataFrame | None) -> list[dict[str, Any]]:
    """Return what S and E made of all items, from the item table; empty where there is none."""
    if items is None or "true_label" not in items:
        return []
    rows = []
    for solver, column in (("S", "model_label"), ("E", "expert_label")):
        if column not in items or items[column].isna().all():
            continue
        own = items[items[column].notna() & (items["true_label"] != NO_NUMERAL)]
        rows.append(
            {
                "solver": solver,
                "items": len(own),
                "right": float((own[column] == own["true_label"]).mean()),
                "no_solution": float((own[column] == NO_SOLUTION).mean()),
                "region_area": _mean(own, "region_area"),
                "region_iou": _mean(own, "region_iou"),
            }
        )
    return rows


def _mean(frame: pd.DataFrame, column: str) -> float | None:
    return float(frame[column].mean()) if column in frame else None


def remarks(results: dict[str, Any]) -> list[str]:
    """Return what limits the results, one sentence each."""
    experts = results["data"]["experts"]
    if 0 < len(experts) < FEW_EXPERTS:
        called = experts_called(results["data"])
        who = f"one of the {called}" if len(experts) == 1 else f"{len(experts)} {called}"
        return [f"E is {who}: p_E belongs to them, not to experts at large."]
    return []

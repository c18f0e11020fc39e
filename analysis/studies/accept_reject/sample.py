"""Who and what the results rest on: people, trials, timing, solutions."""

import itertools
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.studies.accept_reject.trials import Judged
from analysis.tables import Dataset
from stimuli.studies.accept_reject.tables import NO_NUMERAL, NO_SOLUTION

FEW_EXPERTS = 5
_SOLVER_ORDER = ("S", "E", "control")


def describe_data(dataset: Dataset, judged: Judged, purpose: str, words: str) -> dict[str, Any]:
    """Return what was analysed, and under which rules."""
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


def participant_flow(
    dataset: Dataset,
    chosen: pd.DataFrame,
    purpose: str,
    left_out: Sequence[str],
    judged: Judged,
    gone: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return participants and trials from the table to the second analysis."""
    everyone = dataset.trials
    before = chosen["participant"].nunique() + len(
        set(left_out) & set(everyone[_of_purpose(everyone, purpose)]["participant"])
    )
    second = judged.frame[~judged.frame["participant"].isin([row["participant"] for row in gone])]
    steps = [
        ("in the table", everyone["participant"].nunique(), len(everyone)),
        (
            f"of purpose {purpose}" if purpose else "taken",
            before,
            int(_of_purpose(everyone, purpose).sum()),
        ),
        ("left out by hand (--exclude)", len(left_out), None),
        ("analysed (intention to treat)", judged.participants, len(judged.frame)),
        ("left out by rule", len(gone), len(judged.frame) - len(second)),
        ("in the second analysis", second["participant"].nunique(), len(second)),
    ]
    return [{"step": s, "participants": int(p), "trials": t} for s, p, t in steps]


def timing(judged: Judged) -> dict[str, Any]:
    """Return dropped frames by rig, and decision times by solver, explanation and decision."""
    frame = judged.frame
    rigs = []
    if "rig" in frame:
        for rig, own in frame.groupby("rig", dropna=False):
            dropped = own.get("frames_dropped")
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
    groups = dict(list(frame.groupby(["solver", "explained"])))
    for solver, explained in itertools.product(_SOLVER_ORDER, (False, True)):
        own = groups.get((solver, explained), frame.iloc[:0])
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


def shown_solutions(judged: Judged) -> list[dict[str, Any]]:
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
        who = "one expert" if len(experts) == 1 else f"{len(experts)} experts"
        return [f"E is {who}: p_E belongs to them, not to experts at large."]
    return []


def _values(frame: pd.DataFrame, column: str) -> list[str]:
    return sorted(frame[column].dropna().unique().tolist()) if column in frame else []


def _of_purpose(frame: pd.DataFrame, purpose: str) -> pd.Series:
    if not purpose:
        return pd.Series(True, index=frame.index)
    return frame["purpose"] == purpose

"""How sure people say they are of a prediction, and how often they are then right."""

from typing import Any, Final

import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling, bootstrap_weights
from analysis.statistics.confidence import type_2_areas
from analysis.statistics.proportions import Count, wilson
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import POST, PRE

Row = dict[str, Any]

STEPS: Final = 4
MOST_REPLICATES: Final = 1000
"""A curve's area needs more work in each replicate than sums do."""


def confidence_results(predictions: Predictions, plan: Resampling) -> dict[str, list[Row]] | None:
    """Return accuracy by the step of the rating, by method and phase; None without ratings.

    Returns
    -------
    dict
        ``steps``: ``method, phase, step, n``, ``rate`` (share of right predictions) with Wilson's
        limits, and ``calibrated``, the share of a calibrated person, steps being spread evenly
        from chance (½) to 1; ``methods``: ``gap``, mean distance of the two over the answers, and
        ``auroc`` with limits over people and items: how often a right prediction was rated surer
        than a wrong one (½: ratings tell nothing).
    """
    sure = predictions.sure
    if sure.empty:
        return None
    rows: dict[str, list[Row]] = {"steps": [], "methods": []}
    for method in predictions.methods:
        for phase in (PRE, POST):
            own = sure[(sure["method"] == method) & (sure["phase"] == phase)]
            if own.empty:
                continue
            head = {"method": method, "phase": phase}
            steps = [{**head, **_step(own, step)} for step in range(1, STEPS + 1)]
            rows["steps"] += steps
            rows["methods"].append({**head, **_tells(own.reset_index(drop=True), steps, plan)})
    return rows


def _step(own: pd.DataFrame, step: int) -> Row:
    right = own.loc[own["confidence"] == step, "correct"]
    found = wilson(Count(int(right.sum()), len(right)))
    return {
        "step": step,
        "n": len(right),
        **limits_row(found, "rate"),
        "calibrated": 0.5 + 0.5 * (step - 1) / (STEPS - 1),
    }


def _tells(own: pd.DataFrame, steps: list[Row], plan: Resampling) -> Row:
    rating, right = own["confidence"].to_numpy(float), own["correct"].to_numpy(float) > 0
    gaps = [row["n"] * abs(row["rate"] - row["calibrated"]) for row in steps if row["n"]]
    found = bootstrap_weights(
        lambda weights: type_2_areas(rating, right, weights),
        units_of(own),
        plan.at_most(MOST_REPLICATES),
    )
    return {"n": len(own), "gap": sum(gaps) / len(own), **limits_row(found.interval(), "auroc")}

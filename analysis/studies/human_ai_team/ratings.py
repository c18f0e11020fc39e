"""How sure people say they are, and how often they are then right."""

from typing import Any, Final

import numpy as np

from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling, bootstrap_weights
from analysis.statistics.confidence import type_2_areas
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.trials import Answers

Row = dict[str, Any]

STEPS: Final = 4
MOST_REPLICATES: Final = 1000
"""A curve's area needs more work in each replicate than sums do."""


def rating_results(answers: Answers, plan: Resampling) -> dict[str, list[Row]] | None:
    """Return accuracy by the step of the rating, and type-2 AUROC, by arm; None without ratings.

    Returns
    -------
    dict
        ``steps``: each arm's share of right answers at each step, with Wilson's limits, and the
        share that a calibrated person would have there, steps being spread evenly from chance
        (½) to 1; ``arms``: ``gap``: mean distance of the two over the answers; ``auroc`` with
        limits over people and images: how often a right answer was rated surer than a wrong one
        (Galvin et al. 2003; ½: ratings tell nothing).
    """
    known = np.isfinite(answers.frame["rating"].to_numpy(dtype=float))
    if not known.any():
        return None
    rated = answers.of(known)
    steps = [row for arm in rated.arms for row in _steps(rated, arm)]
    return {"steps": steps, "arms": [_arm(rated, arm, steps, plan) for arm in rated.arms]}


def _steps(rated: Answers, arm: str) -> list[Row]:
    own = rated.frame[rated.frame["method"] == arm]
    rows = []
    for step in range(1, STEPS + 1):
        right = own.loc[own["rating"] == step, "correct"]
        found = wilson(Count(int(right.sum()), len(right)))
        rows.append(
            {
                "method": arm,
                "step": step,
                "n": len(right),
                **limits_row(found, "rate"),
                "calibrated": 0.5 + 0.5 * (step - 1) / (STEPS - 1),
            }
        )
    return rows


def _arm(rated: Answers, arm: str, steps: list[Row], plan: Resampling) -> Row:
    own = rated.of(rated.frame["method"] == arm)
    rating, right = own.frame["rating"].to_numpy(float), own.frame["correct"].to_numpy(bool)
    levels = [row for row in steps if row["method"] == arm and row["n"]]
    gaps = [row["n"] * abs(row["rate"] - row["calibrated"]) for row in levels]
    found = bootstrap_weights(
        lambda weights: type_2_areas(rating, right, weights),
        own.units(),
        plan.at_most(MOST_REPLICATES),
    )
    return {
        "method": arm,
        "n": len(rating),
        "gap": sum(gaps) / len(rating),
        **limits_row(found.interval(), "auroc"),
    }

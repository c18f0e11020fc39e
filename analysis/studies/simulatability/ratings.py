"""How good people find explanations, and whether their ratings tell when they are right.

As published: ratings of examples and of counterfactual tests together (Tables 3 and 5), and right
predictions by rating in the counterfactual test after explanations (section 5.3).
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.studies.simulatability.block_draws import Plan, each_block, same_number
from analysis.studies.simulatability.change import plan_of
from analysis.studies.simulatability.published_bootstrap import (
    MEAN_REPLICATES,
    Resampled,
    mean_replicates,
)
from analysis.studies.simulatability.trials import Predictions, units_of
from analysis.studies.simulatability.words import ALL, COUNTERFACTUAL, DOMAINS
from stimuli.studies.simulatability.protocol import Simulatability

Array = np.ndarray
Row = dict[str, Any]

PREDICTING_REPLICATES: Final = 15_000
LEAST: Final = 10
"""Predictions that a logistic regression needs at least."""
_STEPS: Final = 30
_REACHED: Final = 1e-6


def rating_results(predictions: Predictions, protocol: Simulatability) -> dict[str, Any] | None:
    """Return ratings by method and by the model's correctness, and what they predict.

    Returns
    -------
    dict or None
        None without ratings. ``methods``: ``domain, method, n, participants, mean, sd`` and the
        mean's ``half_width, ci_low, ci_high``; ``by_model``: the same by ``model_right``;
        ``predicting``: ``domain, scale, n`` and what a step of the rating adds to the probability
        of a right prediction, ``points`` with ``ci_low, ci_high, p``.
    """
    ratings = predictions.ratings
    if ratings.empty:
        return None
    rows: dict[str, list[Row]] = {"methods": [], "by_model": [], "predicting": []}
    for domain in (name for name in DOMAINS if (ratings["domain"] == name).any()):
        own = ratings[ratings["domain"] == domain].reset_index(drop=True)
        plan = plan_of(protocol, domain, ALL, "ratings", MEAN_REPLICATES)
        rows["methods"] += _means(own, "method", _order(own["method"], predictions.methods), plan)
        known = own[own["model_right"].notna()].reset_index(drop=True)
        if len(known):
            plan = plan_of(protocol, domain, ALL, "ratings by model", MEAN_REPLICATES)
            rows["by_model"] += _means(known, "model_right", [1.0, 0.0], plan)
        plan = plan_of(protocol, domain, COUNTERFACTUAL, "predicting", PREDICTING_REPLICATES)
        rows["predicting"] += _predicting(own, plan)
    return rows


def _order(found: pd.Series, methods: Sequence[str]) -> list[str]:
    there = set(found)
    return [*(m for m in methods if m in there), *sorted(there - set(methods))]


def _means(own: pd.DataFrame, column: str, levels: Sequence[Any], plan: Plan) -> list[Row]:
    cells = np.column_stack([own[column] == level for level in levels]).astype(float)
    values = own["rating"].to_numpy(dtype=float)
    replicates = mean_replicates(values, cells, own, plan)
    rows = []
    for place, level in enumerate(levels):
        mine = values[cells[:, place] > 0]
        if not len(mine):
            continue
        found = Resampled.of(replicates[:, place])
        people = own.loc[cells[:, place] > 0, "participant"].nunique()
        rows.append(
            {
                "domain": own["domain"].iloc[0],
                column: level if column == "method" else bool(level),
                "n": len(mine),
                "participants": int(people),
                "mean": float(mine.mean()),
                "sd": float(mine.std(ddof=1)) if len(mine) > 1 else None,
                "half_width": found.half_width,
                "ci_low": found.ci_low,
                "ci_high": found.ci_high,
            }
        )
    return rows


def _predicting(own: pd.DataFrame, plan: Plan) -> Iterator[Row]:
    """Yield what ratings say of predictions after explanations, in the counterfactual test."""
    used = own[(own["test"] == COUNTERFACTUAL) & own["correct"].notna()].reset_index(drop=True)
    if len(used) < LEAST or used["correct"].nunique() < 2:
        return
    right = used["correct"].to_numpy(dtype=float)
    scales = {
        "absolute": used["rating"].to_numpy(dtype=float),
        "within_user": _normalised(used, ["participant"]),
        "within_item": _normalised(used, ["method", "item"]),
    }
    for scale, rating in scales.items():
        known = np.isfinite(rating)
        if known.sum() < LEAST or np.ptp(rating[known]) == 0 or np.ptp(right[known]) == 0:
            continue
        steps = (4.0, 5.0) if scale == "absolute" else (0.0, 1.0)
        rows, part = used[known].reset_index(drop=True), (rating[known], right[known], steps)
        estimate = float(step_effects(np.ones((1, len(rows))), *part)[0])
        found = Resampled.of(_drawn(rows, part, plan))
        yield {
            "domain": rows["domain"].iloc[0],
            "scale": scale,
            "n": len(rows),
            "points": 100 * estimate,
            "ci_low": 100 * found.ci_low,
            "ci_high": 100 * found.ci_high,
            "p": found.p,
        }


def _drawn(rows: pd.DataFrame, part: tuple[Array, Array, tuple[float, float]], plan: Plan) -> Array:
    units = units_of(rows)

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        return step_effects(same_number(units, rng, replicates).astype(float), *part)

    return each_block(compute, plan, len(rows))


def _normalised(used: pd.DataFrame, by: list[str]) -> Array:
    """Return (n,) ratings less their group's mean over its SD (n − 1); NaN where that is 0."""
    groups = used.groupby(by)["rating"]
    sd = groups.transform("std").to_numpy(dtype=float)
    away = (used["rating"] - groups.transform("mean")).to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sd > 0, away / sd, np.nan)


def step_effects(weights: Array, rating: Array, right: Array, steps: tuple[float, float]) -> Array:
    """Return (tables,) how the probability of being right changes over a step of the rating.

    A logistic regression of being right on the rating is fitted to each table by Newton's steps;
    NaN where it has no maximum.

    Parameters
    ----------
    weights
        (tables, n) how often each row is in a table.
    rating, right
        (n,) the rating; 1 where the prediction is right, else 0.
    steps
        The two ratings.
    """
    values, place = np.unique(rating, return_inverse=True)
    level = np.eye(len(values))[place]
    n, hits = weights @ level, weights @ (level * right[:, None])
    centre = values.mean()
    x, beta = values - centre, np.zeros((len(weights), 2))
    for _ in range(_STEPS):
        p = expit(beta[:, :1] + beta[:, 1:] * x)
        residual, weight = hits - n * p, n * p * (1 - p)
        slope = np.stack([residual.sum(axis=1), residual @ x], axis=1)
        a, b, d = weight.sum(axis=1), weight @ x, weight @ x**2
        with np.errstate(divide="ignore", invalid="ignore"):
            move = np.stack(
                [d * slope[:, 0] - b * slope[:, 1], a * slope[:, 1] - b * slope[:, 0]], axis=1
            ) / (a * d - b * b)[:, None]  # fmt: skip
        beta += np.clip(move, -4, 4)
        if np.nanmax(np.abs(move), initial=0.0) < 1e-9:
            break
    # Where ratings tell right from wrong without an exception the slope grows for ever.
    lost = ~(np.abs(move) < _REACHED).all(axis=1)
    found = expit(beta[:, :1] + beta[:, 1:] * (np.array(steps) - centre))
    return np.where(lost, np.nan, found[:, 1] - found[:, 0])

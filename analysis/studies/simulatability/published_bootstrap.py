"""The published bootstrap: Change of each method, ratings, and what ratings say of being right.

As the published study's code has it (Hase & Bansal 2020, section 5): users are resampled, then
unique items; users are pooled over methods within a condition. Accuracy before explanations is
shrunken over methods, accuracy after them is the raw mean. Values are percentage points, ratings
points of the scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.statistics.proportions import LEVEL
from analysis.studies.simulatability.block_draws import Plan, TrimmedBlocks, each_block, same_number
from analysis.studies.simulatability.shrunken import shrunken_shares
from analysis.studies.simulatability.trials import units_of

Array = np.ndarray
Row = dict[str, Any]

NAME: Final = "published bootstrap"
MEAN_REPLICATES: Final = 10_000
"""The published number for ratings and for accuracies before explanations."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """One value's replicates; NaN ones are left out.

    Attributes
    ----------
    mean
        Of the replicates: what the paper gives as the estimate.
    half_width
        Half the width of their central 95 %.
    ci_low, ci_high
        Its ends.
    p
        Share of replicates that lie as far from their mean as the mean lies from zero.
    used
        How many replicates gave a value.
    """

    mean: float
    half_width: float
    ci_low: float
    ci_high: float
    p: float
    used: int

    @classmethod
    def of(cls, draws: Array) -> "Resampled":
        """Return what replicates (r,) say."""
        own = draws[np.isfinite(draws)]
        if len(own) < 2:
            nan = float("nan")
            return cls(nan, nan, nan, nan, nan, len(own))
        mean = float(own.mean())
        low, high = np.quantile(own, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        p = float((np.abs(own - mean) >= abs(mean)).mean())
        return cls(mean, float(high - low) / 2, float(low), float(high), p, len(own))


def change_rows(pairs: pd.DataFrame, methods: Sequence[str], plan: Plan) -> list[Row]:
    """Return Change of each method within one condition.

    Parameters
    ----------
    pairs
        Items answered in both phases, as of `Predictions.pairs`, of one condition.
    methods
        In the order of the rows; those without pairs are left out.
    plan
        Replicates and seed.

    Returns
    -------
    list of dict
        In percentage points: ``method, n`` (items × people), ``participants``; ``pre``
        (shrunken), ``pre_raw, post, change`` (post − pre), ``change_raw`` (post − pre_raw);
        ``published_change`` and ``half_width``: mean of the replicates and half their width, which
        the paper prints; ``ci_low, ci_high, p``; ``replicates`` that gave a value: singular fits
        are discarded.
    """
    there = set(pairs["method"])
    own = [method for method in methods if method in there]
    if not own:
        return []
    columns = _sums(pairs, own)
    blocks, size = TrimmedBlocks(units_of(pairs)), len(own)

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        weights = blocks.weights(rng, replicates)
        return _change(weights @ columns, size, discard=True)

    replicates = 100 * each_block(compute, plan, len(pairs))
    n, before, after = np.split(columns.sum(axis=0), 3)
    shares = shrunken_shares(before[None], n[None])
    pre = 100 * shares.share[0] if size > 1 else 100 * before / n
    people = pairs.groupby("method")["participant"].nunique()
    rows = []
    for place, method in enumerate(own):
        found = Resampled.of(replicates[:, place])
        raw, post = 100 * before[place] / n[place], 100 * after[place] / n[place]
        rows.append(
            {
                "method": method,
                "n": int(n[place]),
                "participants": int(people[method]),
                "pre": float(pre[place]),
                "pre_raw": float(raw),
                "post": float(post),
                "change": float(post - pre[place]),
                "change_raw": float(post - raw),
                "published_change": found.mean,
                "half_width": found.half_width,
                "ci_low": found.ci_low,
                "ci_high": found.ci_high,
                "p": found.p,
                "replicates": found.used,
            }
        )
    return rows


def _sums(pairs: pd.DataFrame, methods: Sequence[str]) -> Array:
    """Return (n, 3 × methods): answers, right before, right after, by method."""
    of = (pairs["method"].to_numpy()[:, None] == np.array(methods, dtype=object)).astype(float)
    parts = [of, of * pairs["pre"].to_numpy()[:, None], of * pairs["post"].to_numpy()[:, None]]
    return np.hstack(parts)


def _change(sums: Array, methods: int, *, discard: bool) -> Array:
    """Return (tables, methods) shares after, less shrunken shares before.

    With one method there is nothing to shrink towards: its raw share stands in.
    """
    n, before, after = (sums[:, k * methods : (k + 1) * methods] for k in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        post = after / n
        if methods == 1:
            return post - before / n
    found = shrunken_shares(before, n)
    lost = found.singular if discard else np.zeros(len(n), dtype=bool)
    return np.where(lost[:, None], np.nan, post - found.share)


def pre_row(pairs: pd.DataFrame, plan: Plan) -> Row:
    """Return accuracy before explanations over a condition's users, in per cent (Tables 1, 2)."""
    values = 100 * pairs["pre"].to_numpy()
    found = mean_replicates(values, np.ones((len(pairs), 1)), pairs, plan)
    own = Resampled.of(found[:, 0])
    return {
        "n": len(pairs),
        "participants": int(pairs["participant"].nunique()),
        "pre": float(values.mean()),
        "half_width": own.half_width,
        "ci_low": own.ci_low,
        "ci_high": own.ci_high,
    }


def mean_replicates(values: Array, cells: Array, frame: pd.DataFrame, plan: Plan) -> Array:
    """Return (replicates, cells) means of resampled rows, as many people and items as there are.

    Parameters
    ----------
    values
        (n,).
    cells
        (n, cells) 1 where a row counts in a cell, else 0.
    frame
        The rows' participants and items.
    """
    units, columns = units_of(frame), np.hstack([cells, cells * values[:, None]])

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        sums = same_number(units, rng, replicates) @ columns
        n, total = np.split(sums, 2, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return total / n

    return each_block(compute, plan, len(frame))

"""The published study: its bootstrap of Change and of ratings, and the values that it reports.

Hase & Bansal (2020), Evaluating explainable AI: which algorithmic explanations help users predict
model behavior?

The bootstrap follows the published study's code (section 5): users are resampled, then unique
items; users are pooled over methods within a condition. The paper's text says that they are
resampled within each condition, that is for each method alone. Change is given both ways. Accuracy
before explanations is shrunken over methods, accuracy after them is the raw mean. Values are in
percentage points, ratings in points of the scale.

The reported values are those of Tables 1 to 5. Accuracies and changes are in percentage points;
half-widths are those of 95 % intervals. The users' answers were never published, so none of this
can be computed again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import EstimateRow, Of, Quantity, estimate_row
from analysis.statistics.proportions import LEVEL, Interval
from analysis.studies.simulatability.quantities import (
    HALF_WIDTH,
    PEOPLE,
    POST_RIGHT,
    PRE_RIGHT,
    PRE_SHRUNKEN,
    PUBLISHED_CHANGE,
    REPLICATES,
    SHRUNKEN_CHANGE,
)
from analysis.studies.simulatability.resampled_tables import (
    Plan,
    TrimmedBlocks,
    each_block,
    same_number,
    shrunken_shares,
)
from analysis.studies.simulatability.trials import BOTH, Condition, units_of
from analysis.studies.simulatability.words import ALL
from stimuli.io.canonical import seed_of
from stimuli.studies.simulatability.protocol import Simulatability

Array = np.ndarray

NAME: Final = "published bootstrap"
TOGETHER, WITHIN = "together", "within"
"""People of all methods are resampled together, as the code does, or within each method."""
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
        Half the width of their central 95 %: what the paper prints after ±.
    p
        Share of replicates that lie as far from their mean as the mean lies from zero.
    ci_low, ci_high
        The values that p doesn't reject at 5 %.
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
        finite = draws[np.isfinite(draws)]
        if len(finite) < 2:
            nan = float("nan")
            return cls(nan, nan, nan, nan, nan, len(finite))
        mean = float(finite.mean())
        low, high = np.quantile(finite, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        away = np.sort(np.abs(finite - mean))
        reach = float(away[-ceil(round((1 - LEVEL) * len(finite), 9))])
        p = float((away >= abs(mean)).mean())
        return cls(mean, float(high - low) / 2, mean - reach, mean + reach, p, len(finite))

    def rows(
        self, quantity: Quantity, of: Of, estimate: float, n: int, **more: float
    ) -> Iterator[EstimateRow]:
        """Yield an estimate with the interval of its replicates, and half that interval's width."""
        value = Interval(estimate, self.ci_low, self.ci_high)
        yield estimate_row(quantity, of, value, n, **more)
        yield estimate_row(HALF_WIDTH, of, self.half_width)


def plan_of(
    protocol: Simulatability, condition: Condition, value: str, most: int = MEAN_REPLICATES
) -> Plan:
    """Return the plan for a value of a condition, with at most `most` replicates."""
    rules = protocol.analysis
    seed = seed_of(NAME, value, rules.seed, *condition)
    return Plan(min(rules.published_replicates, most), seed)


def change_rows(
    pairs: pd.DataFrame,
    methods: Sequence[str],
    plan: Plan,
    condition: Condition = BOTH,
    *,
    within: bool = False,
) -> Iterator[EstimateRow]:
    """Yield Change of each method within one condition, and what it rests on.

    Parameters
    ----------
    pairs
        Items answered in both phases, as in `Predictions.pairs`, of one condition.
    methods
        In the order of the rows; those without pairs are left out.
    plan
        Replicates and seed.
    condition
        Which one it is.
    within
        Whether Change is also resampled within each method.
    """
    there = set(pairs["method"])
    present = [method for method in methods if method in there]
    if not present:
        return
    columns = _sums(pairs, present)
    blocks, size = TrimmedBlocks(units_of(pairs)), len(present)

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        weights = blocks.weights(rng, replicates)
        return _change(weights @ columns, size, discard=True)

    drawn = {TOGETHER: 100 * each_block(compute, plan, len(pairs))}
    if within:
        drawn[WITHIN] = _within_replicates(pairs, present, plan)
    n, before, after = np.split(columns.sum(axis=0), 3)
    shares = shrunken_shares(before[None], n[None])
    raw, post = 100 * before / n, 100 * after / n
    pre = 100 * shares.share[0] if size > 1 else raw
    values_of = {
        PRE_SHRUNKEN: pre, PRE_RIGHT: raw, POST_RIGHT: post, SHRUNKEN_CHANGE: post - pre,
    }  # fmt: skip
    people = pairs.groupby("method")["participant"].nunique()
    for place, method in enumerate(present):
        of, items = {**_condition(condition), "method": method}, int(n[place])
        yield estimate_row(PEOPLE, of, int(people[method]))
        for quantity, values in values_of.items():
            yield estimate_row(quantity, of, float(values[place]), items)
        for how, replicates in drawn.items():
            change = Resampled.of(replicates[:, place])
            of = of | {"resampled": how}
            yield from change.rows(PUBLISHED_CHANGE, of, change.mean, items, p=change.p)
            yield estimate_row(REPLICATES, of, change.used, len(replicates))


def _condition(condition: Condition) -> dict[str, str]:
    return dict(zip(("domain", "test"), condition, strict=True))


def _within_replicates(pairs: pd.DataFrame, methods: Sequence[str], plan: Plan) -> Array:
    """Return (replicates, methods) Change, each method's people and items drawn by themselves."""
    parts = [pairs[pairs["method"] == method].reset_index(drop=True) for method in methods]
    blocks = [TrimmedBlocks(units_of(part)) for part in parts]
    columns = [_sums(part, [method]) for part, method in zip(parts, methods, strict=True)]

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        sums = [
            block.weights(rng, replicates) @ column
            for block, column in zip(blocks, columns, strict=True)
        ]
        # Answers, right before and right after of each method, as `_change` takes them.
        together = np.stack(sums, axis=2).reshape(replicates, -1)
        return _change(together, len(methods), discard=True)

    return 100 * each_block(compute, plan, len(pairs))


def _sums(pairs: pd.DataFrame, methods: Sequence[str]) -> Array:
    """Return (n, 3 × methods): answers, right before, right after, by method."""
    of = (pairs["method"].to_numpy()[:, None] == np.array(methods, dtype=object)).astype(float)
    parts = [of, of * pairs["pre"].to_numpy()[:, None], of * pairs["post"].to_numpy()[:, None]]
    return np.hstack(parts)


def _change(sums: Array, methods: int, *, discard: bool) -> Array:
    """Return (tables, methods) shares after, less shrunken shares before.

    With one method there is nothing to shrink towards: its raw share is used.
    """
    n, before, after = (sums[:, k * methods : (k + 1) * methods] for k in range(3))
    with np.errstate(divide="ignore", invalid="ignore"):
        post = after / n
        if methods == 1:
            return post - before / n
    shares = shrunken_shares(before, n)
    lost = shares.singular if discard else np.zeros(len(n), dtype=bool)
    return np.where(lost[:, None], np.nan, post - shares.share)


def accuracy_before(
    pairs: pd.DataFrame, plan: Plan, condition: Condition = BOTH
) -> Iterator[EstimateRow]:
    """Yield accuracy before explanations over a condition's participants (Tables 1 and 2)."""
    values, of = 100 * pairs["pre"].to_numpy(), {**_condition(condition), "method": ALL}
    drawn = Resampled.of(mean_replicates(values, np.ones((len(pairs), 1)), pairs, plan)[:, 0])
    yield estimate_row(PEOPLE, of, int(pairs["participant"].nunique()))
    yield from drawn.rows(PRE_RIGHT, of, float(values.mean()), len(pairs))


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

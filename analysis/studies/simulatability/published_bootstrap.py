"""The published bootstrap: Change of each method, ratings, and what ratings say of being right.

As the published study's code has it (Hase & Bansal 2020, section 5): users are resampled, then
unique items; users are pooled over methods within a condition. The paper's text says that they are
resampled within each condition, that is of each method alone: Change is given both ways. Accuracy
before explanations is shrunken over methods, accuracy after them is the raw mean. Values are
percentage points, ratings points of the scale.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.statistics.proportions import LEVEL
from analysis.studies.simulatability.block_draws import Plan, TrimmedBlocks, each_block, same_number
from analysis.studies.simulatability.shrunken import shrunken_shares
from analysis.studies.simulatability.trials import BOTH, Condition, units_of
from stimuli.io.canonical import seed_of
from stimuli.studies.simulatability.protocol import Simulatability

Array = np.ndarray

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

    def limits(self) -> dict[str, float]:
        """Return the interval by the names that rows of answers have for it."""
        return {"half_width": self.half_width, "ci_low": self.ci_low, "ci_high": self.ci_high}


@dataclass(frozen=True, slots=True)
class WithinMethod:
    """Change where people and items are resampled within each method, as the text says."""

    published_change: Annotated[float | None, about("Mean of the replicates, percentage points.")]
    half_width: Annotated[float | None, about("Half the width of its 95 % interval.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the replicates.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the replicates.")]
    p: Annotated[float | None, about("p of no Change.")]
    replicates: Annotated[int, about("Replicates that gave a value.")]


@dataclass(frozen=True, slots=True)
class MethodChange:
    """Change of a method in a condition by the published bootstrap."""

    domain: Annotated[str, about("Domain; all: both.")]
    test: Annotated[str, about("Test; all: both.")]
    method: Annotated[str, about("The method.")]
    n: Annotated[int, about("Items × participants, answered in both phases.")]
    participants: Annotated[int, about("Participants.")]
    pre: Annotated[
        float | None, about("Accuracy before explanations, shrunken over methods, per cent.")
    ]
    pre_raw: Annotated[float, about("Accuracy before explanations, per cent.")]
    post: Annotated[float, about("Accuracy after explanations, per cent.")]
    change: Annotated[float | None, about("post − pre, percentage points.")]
    change_raw: Annotated[float, about("post − pre_raw, percentage points.")]
    published_change: Annotated[
        float | None, about("Mean of the replicates, as the paper prints it, percentage points.")
    ]
    half_width: Annotated[float | None, about("Half the width of its interval, as printed.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the replicates.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the replicates.")]
    p: Annotated[float | None, about("p of no Change, as published.")]
    replicates: Annotated[int, about("Replicates that gave a value: singular fits are discarded.")]
    drawn: Annotated[int, about("Replicates that were drawn.")]
    within: Annotated[
        WithinMethod | None,
        about("The same with people and items resampled within each method; null if not computed."),
    ] = None


@dataclass(frozen=True, slots=True)
class Before:
    """Accuracy before explanations over a condition's participants (the paper's Tables 1, 2)."""

    domain: Annotated[str, about("Domain; all: both.")]
    test: Annotated[str, about("Test; all: both.")]
    n: Annotated[int, about("Items × participants, answered in both phases.")]
    participants: Annotated[int, about("Participants.")]
    pre: Annotated[float, about("Accuracy before explanations, per cent.")]
    half_width: Annotated[float | None, about("Half the width of its 95 % interval.")]
    ci_low: Annotated[float | None, about("Lower 95 % limit of the replicates.")]
    ci_high: Annotated[float | None, about("Upper 95 % limit of the replicates.")]


def plan_of(
    protocol: Simulatability, condition: Condition, what: str, most: int = MEAN_REPLICATES
) -> Plan:
    """Return how often is drawn for a value of a condition, `most` times at most."""
    rules = protocol.analysis
    seed = seed_of(NAME, what, rules.seed, *condition)
    return Plan(min(rules.published_replicates, most), seed)


def change_rows(
    pairs: pd.DataFrame,
    methods: Sequence[str],
    plan: Plan,
    condition: Condition = BOTH,
    *,
    within: bool = False,
) -> list[MethodChange]:
    """Return Change of each method within one condition.

    Parameters
    ----------
    pairs
        Items answered in both phases, as of `Predictions.pairs`, of one condition.
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
    own = [method for method in methods if method in there]
    if not own:
        return []
    columns = _sums(pairs, own)
    blocks, size = TrimmedBlocks(units_of(pairs)), len(own)

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        weights = blocks.weights(rng, replicates)
        return _change(weights @ columns, size, discard=True)

    replicates = 100 * each_block(compute, plan, len(pairs))
    apart = _within_replicates(pairs, own, plan) if within else None
    n, before, after = np.split(columns.sum(axis=0), 3)
    shares = shrunken_shares(before[None], n[None])
    shrunken = 100 * shares.share[0] if size > 1 else 100 * before / n
    people = pairs.groupby("method")["participant"].nunique()
    rows = []
    for place, method in enumerate(own):
        found, pre = Resampled.of(replicates[:, place]), float(shrunken[place])
        raw, post = (float(100 * part[place] / n[place]) for part in (before, after))
        rows.append(
            MethodChange(
                *condition,
                method=method,
                n=int(n[place]),
                participants=int(people[method]),
                pre=pre,
                pre_raw=raw,
                post=post,
                change=post - pre,
                change_raw=post - raw,
                published_change=found.mean,
                **found.limits(),
                p=found.p,
                replicates=found.used,
                drawn=len(replicates),
                within=None if apart is None else _within(Resampled.of(apart[:, place])),
            )
        )
    return rows


def _within(found: Resampled) -> WithinMethod:
    return WithinMethod(
        published_change=found.mean, **found.limits(), p=found.p, replicates=found.used
    )


def _within_replicates(pairs: pd.DataFrame, methods: Sequence[str], plan: Plan) -> Array:
    """Return (replicates, methods) Change, each method's people and items drawn by themselves."""
    parts = [pairs[pairs["method"] == method].reset_index(drop=True) for method in methods]
    blocks = [TrimmedBlocks(units_of(part)) for part in parts]
    columns = [_sums(part, [method]) for part, method in zip(parts, methods, strict=True)]

    def compute(rng: np.random.Generator, replicates: int) -> Array:
        sums = [
            block.weights(rng, replicates) @ own for block, own in zip(blocks, columns, strict=True)
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


def accuracy_before(pairs: pd.DataFrame, plan: Plan, condition: Condition = BOTH) -> Before:
    """Return accuracy before explanations over the participants of a condition."""
    values = 100 * pairs["pre"].to_numpy()
    found = Resampled.of(mean_replicates(values, np.ones((len(pairs), 1)), pairs, plan)[:, 0])
    people = int(pairs["participant"].nunique())
    return Before(
        *condition, n=len(pairs), participants=people, pre=float(values.mean()), **found.limits()
    )


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

"""Label uncertainty: on which labels leads disagree, and how far they agree at all."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.report.estimates import limits_row
from analysis.statistics.agreement import (
    Votes,
    alphas,
    entropy_bits,
    fleiss,
    krippendorff_alpha,
    pairwise_agreement,
)
from analysis.statistics.bootstrap import Resampling, percentile_interval
from analysis.statistics.proportions import LEVEL, Count, Interval, wilson
from analysis.studies.accept_reject_accuracy.pairs import Pair

HALF = 0.5


def pair_rows(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return every judged pair with its acceptance and label uncertainty."""
    return [_row(pair) for pair in pairs]


def label_summary(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return how certain the data set's labels are.

    ``judged_twice``: labels that at least two leads judged; ``disputed``: share of these on
    which leads disagree; ``rejected``: share of all labels that most leads reject, which are
    candidates for a wrong label; ``mean_entropy_bits`` over those judged twice.
    """
    own = [pair for pair in pairs if pair.of_expert]
    twice = [pair for pair in own if pair.n >= 2]
    disputed = sum(0 < pair.accepted < pair.n for pair in twice)
    rejected = sum(pair.rate < HALF for pair in own)
    entropies = [entropy_bits(pair.accepted, pair.n) for pair in twice]
    return {
        "labels": len(own),
        "judged_twice": len(twice),
        "disputed": _share(disputed, len(twice)),
        "rejected": _share(rejected, len(own)),
        "mean_entropy_bits": float(np.mean(entropies)) if entropies else None,
    }


def agreement_rows(pairs: Sequence[Pair], plan: Resampling) -> list[dict[str, Any]]:
    """Return agreement between leads: over all pairs, and over the data set's labels alone."""
    own = [pair for pair in pairs if pair.of_expert]
    return [
        _agreement("all judged labels", pairs, plan),
        _agreement("the data set’s labels", own, plan),
    ]


def beyond_labels(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return how often S's label is accepted where it is not the data set's.

    ``better_than_label``: images on which most leads accept S's label and most reject the
    data set's.
    """
    other = [pair for pair in pairs if pair.of_system and not pair.of_expert]
    accepted = sum(pair.accepted for pair in other)
    expert = {pair.task: pair for pair in pairs if pair.of_expert}
    better = [
        {"item": pair.item, "system_label": pair.label, "true_label": pair.true_label}
        for pair in other
        if pair.rate > HALF and pair.task in expert and expert[pair.task].rate < HALF
    ]
    return {
        "labels": len(other),
        "accepted": _share(accepted, sum(pair.n for pair in other)),
        "accepted_by_most": sum(pair.rate > HALF for pair in other),
        "better_than_label": better,
    }


def class_rows(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return p_S, p_E and plain accuracy for the images of each class."""
    rows = []
    for label in sorted({pair.true_label for pair in pairs}):
        own = [pair for pair in pairs if pair.true_label == label]
        system = [pair for pair in own if pair.of_system]
        expert = [pair for pair in own if pair.of_expert]
        rows.append(
            {
                "label": label,
                "tasks": len({pair.task for pair in own}),
                "p_S": _mean([float(pair.rate) for pair in system]),
                "p_E": _mean([float(pair.rate) for pair in expert]),
                "plain_accuracy": _mean([float(pair.of_expert) for pair in system]),
            }
        )
    return rows


def _row(pair: Pair) -> dict[str, Any]:
    return {
        "item": pair.item,
        "label": pair.label,
        "true_label": pair.true_label,
        "given_by": pair.given_by,
        "n": pair.n,
        "accepted": pair.accepted,
        **limits_row(wilson(Count(pair.accepted, pair.n)), "rate"),
        "entropy_bits": entropy_bits(pair.accepted, pair.n),
        "disputed": 0 < pair.accepted < pair.n,
    }


def _agreement(what: str, pairs: Sequence[Pair], plan: Resampling) -> dict[str, Any]:
    votes = Votes.of([pair.accepted for pair in pairs], [pair.n for pair in pairs])
    return {
        "of": what,
        "pairs": int((votes.n >= 2).sum()),
        "agreement": pairwise_agreement(votes),
        **limits_row(_with_interval(votes, plan), "alpha"),
        "fleiss_kappa": fleiss(votes),
    }


def _with_interval(votes: Votes, plan: Resampling) -> Interval:
    """Return alpha with its percentile interval over units drawn again."""
    units = len(votes.n)
    if units < 2:
        return Interval(krippendorff_alpha(votes), float("nan"), float("nan"))
    # Units with equal votes are drawn together: there are few kinds, however many units.
    kinds, times = np.unique(np.stack([votes.accepted, votes.n]), axis=1, return_counts=True)
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    counts = rng.multinomial(units, times / units, size=plan.replicates)
    low, high = percentile_interval(alphas(Votes(*kinds), counts.astype(float)), LEVEL)
    return Interval(krippendorff_alpha(votes), low, high)


def _share(count: int, n: int) -> dict[str, Any]:
    return {"count": count, "n": n, **limits_row(wilson(Count(count, n)), "rate")}


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None

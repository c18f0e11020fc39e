"""The restricted mean of the uncovered share, image by image, and the same under other choices."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import numpy as np

from analysis.report.about import about
from analysis.report.estimates import limits_row
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.survival.life_tables import RestrictedMeans as Means
from analysis.statistics.survival.life_tables import mean_amounts, pairs, restricted_means
from analysis.studies.progressive_reveal.pairs import (
    Difference,
    Pair,
    mean_pair,
    to_reference,
)
from analysis.studies.progressive_reveal.trials import RoundTable, at_first_key


@dataclass(frozen=True, slots=True)
class RestrictedMean:
    """A method's mean share of the image uncovered up to recognition, restricted."""

    method: Annotated[str, about("The method.")]
    estimate: Annotated[
        float | None, about("The mean share, 0 to 1; recognition in the middle of its step.")
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    lower: Annotated[float | None, about("The mean with recognition at a step's lower end.")]
    upper: Annotated[float | None, about("The mean with recognition at a step's upper end.")]


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """Up to which share of the image means are taken: of each image its smallest final count."""

    smallest: Annotated[float | None, about("The smallest of the images' limits, 0 to 1.")]
    median: Annotated[float | None, about("Their median.")]
    largest: Annotated[float | None, about("The largest.")]


@dataclass(frozen=True, slots=True)
class RestrictedMeans:
    """Mean shares of the image uncovered up to recognition, restricted image by image."""

    methods: Annotated[tuple[RestrictedMean, ...], about("The means, by method.")]
    differences: Annotated[tuple[Difference, ...], about("Means less the reference's.")]
    pairs: Annotated[tuple[Pair, ...], about("All methods compared pair by pair.")]
    images: Annotated[int, about("Images that were compared.")]
    limits: Annotated[ImageLimits, about("Up to which share means are taken.")]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A restricted mean less the reference's, under some choice."""

    analysis: Annotated[str, about("The choice.")]
    rounds: Annotated[int, about("Rounds.")]
    reference: Annotated[str, about("The reference.")]
    method: Annotated[str, about("The method.")]
    p: Annotated[float | None, about("p, two-sided.")]
    estimate: Annotated[float | None, about("Difference of shares of the image.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


def restricted_shares(table: RoundTable, plan: Resampling) -> RestrictedMeans:
    """Return each method's restricted mean share with its difference to the reference.

    Recognition is set at the middle of its step's interval, and at its ends, which is as far as
    steps leave it open. Limits are over people and images.
    """
    strata = table.strata()
    found = restricted_means(strata, table.units, plan)
    lower, upper = mean_amounts(strata, "lower"), mean_amounts(strata, "upper")
    methods = tuple(
        RestrictedMean(
            method, **limits_row(found.mean(m)), lower=float(lower[m]), upper=float(upper[m])
        )
        for m, method in enumerate(table.methods)
    )
    known = strata.limits[np.isfinite(strata.limits)]
    every = _pairs(table, found)
    return RestrictedMeans(
        methods=methods,
        differences=to_reference(every, table.reference),
        pairs=every,
        images=len(known),
        limits=ImageLimits(
            smallest=float(known.min()) if len(known) else None,
            median=float(np.median(known)) if len(known) else None,
            largest=float(known.max()) if len(known) else None,
        ),
    )


def _pairs(table: RoundTable, found: Means) -> tuple[Pair, ...]:
    names = table.methods
    return tuple(
        mean_pair("restricted", names[b], names[a], *found.difference(a, b))
        for a, b in pairs(len(names))
    )


def sensitivity(
    table: RoundTable, plan: Resampling, main: RestrictedMeans, left_out: Sequence[str]
) -> tuple[Sensitivity, ...]:
    """Return the differences of restricted means under other choices, the main one first.

    Parameters
    ----------
    table, plan, main
        The rounds, how they are drawn, and what `restricted_shares` gave.
    left_out
        Who is left out by rule.
    """
    rows = _rows("everybody, all rounds, confirming press", table, main.differences)
    recognised = table.of(table.frame["recognised"])
    kept = ~table.frame["participant"].isin(left_out)
    others: list[tuple[str, RoundTable | None]] = [
        ("without those left out by rule", table.of(kept) if left_out and kept.any() else None),
        ("first key of the right answer", at_first_key(table)),
        ("without rounds left midway", table.completed if table.frame["left"].any() else None),
        ("unrecognised rounds left out, as Figures 6 and 7", recognised),
        ("images that the model classifies rightly", _of_right_models(table)),
    ]
    for label, other in others:
        if other is None or other.frame.empty or set(other.frame["method"]) != set(table.methods):
            continue
        found = restricted_means(other.strata(), other.units, plan)
        rows += _rows(label, other, to_reference(_pairs(other, found), other.reference))
    return tuple(rows)


def _rows(label: str, table: RoundTable, found: Sequence[Difference]) -> list[Sensitivity]:
    n = len(table.frame)
    return [Sensitivity(label, n, **asdict(row)) for row in found]


def _of_right_models(table: RoundTable) -> RoundTable | None:
    """Return the images that every model got right, where the table says it."""
    frame = table.frame
    if "model_correct" not in frame or frame["model_correct"].isna().all():
        return None
    wrong = frame.loc[frame["model_correct"].eq(False).fillna(False), "item"].unique()
    kept = ~frame["item"].isin(wrong)
    return table.of(kept) if 0 < int(kept.sum()) < len(frame) else None

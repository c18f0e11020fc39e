"""Do people do better on items whose explanations have better metrics? Correlations over items.

Any study asks it whose packs hold metrics of explanations: the table of metrics has a row for each
item and arm, and answers are right or wrong.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.wording import correlation
from analysis.statistics.proportions import Interval

METRIC: Final = "metric"
"""The factor of the estimates that names the metric."""
LEAST_ITEMS: Final = 4
LEAST_PEOPLE: Final = 2


def metric_r(items: str) -> Quantity:
    """Return the quantity of the correlations; ``items`` says of what, such as images."""
    return Quantity(
        "metric_r", "r",
        f"Pearson’s r of a metric with the share of participants who were right, over n {items}.",
        correlation,
    )  # fmt: skip


def correlations(
    r: Quantity,
    answers: pd.DataFrame,
    metrics: pd.DataFrame,
    names: Sequence[str],
    by: Sequence[str],
) -> Iterator[EstimateRow]:
    """Yield the correlation of each metric with the share of people who were right.

    Over items that two people or more judged; without limits where there are fewer than four, or
    all have the same value.

    Parameters
    ----------
    r
        The quantity, of `metric_r`.
    answers
        A row for each answer: ``item``, ``correct``, and the columns of ``by``.
    metrics
        A row for each item and cell of ``by``, with the columns of ``names``.
    names
        The metrics.
    by
        The factors whose cells are kept apart, such as ``method``.
    """
    keys = [*by, "item"]
    shares = answers.groupby(keys)["correct"].agg(["mean", "size"])
    shares = shares[shares["size"] >= LEAST_PEOPLE].reset_index()
    for cell, group in shares.merge(metrics, on=keys).groupby(list(by), sort=True):
        of = dict(zip(by, map(str, cell), strict=True))
        for name in names:
            yield _correlation(r, group, {**of, METRIC: name})


def _correlation(r: Quantity, group: pd.DataFrame, of: dict[str, str]) -> EstimateRow:
    values = pd.to_numeric(group[of[METRIC]]).to_numpy(dtype=float)
    known = np.isfinite(values)
    x, y = values[known], group["mean"].to_numpy(dtype=float)[known]
    if len(x) < LEAST_ITEMS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return estimate_row(r, of, None, len(x))
    pearson = pearsonr(x, y)
    ends = pearson.confidence_interval(0.95)
    limits = Interval(float(pearson.statistic), float(ends.low), float(ends.high))
    return estimate_row(r, of, limits, len(x), p=float(pearson.pvalue))

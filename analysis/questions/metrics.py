"""Do people do better on items whose explanations have better metrics? Correlations over items.

Any study asks it whose packs hold metrics of explanations: the table of metrics has a row for each
item and arm.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.pivot import level_of, limits_of, n_of, p_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.report.wording import correlation, number
from analysis.statistics.proportions import Interval
from stimuli.maps.metrics import NAMES
from stimuli.names import method_title

RESULT: Final = "correlations of metrics of explanations with people"
METRIC: Final = "metric"
"""The factor of the estimates that names the metric."""
LEAST_ITEMS: Final = 4
LEAST_PEOPLE: Final = 2
RIGHT: Final = "the share of participants who were right"


def metric_r(items: str, outcome: str = RIGHT) -> Quantity:
    """Return the quantity of the correlations of the outcome over items, such as images."""
    return Quantity(
        "metric_r", "r", f"Pearson’s r of a metric with {outcome}, over n {items}.", correlation
    )


def metrics_pivot(
    r: Quantity,
    caption: str,
    by: Sequence[Column],
    levels: Sequence[str],
    items: str,
    note: str,
    words: Callable[[str], str] = str.capitalize,
) -> ReportTable:
    """Return the table of the correlations.

    Parameters
    ----------
    r, caption, note
        The quantity, of `metric_r`; what stands above and below.
    by, levels
        The columns before the metric, and the factors that they show.
    items
        Heading of the number of items.
    words
        Returns what a metric is called.
    """
    return pivot(
        caption,
        (
            *by,
            level_of(METRIC, "Metric", words),
            value_of(r),
            limits_of(r, write=number),
            p_of(r),
            n_of(r, items),
        ),
        by=(*levels, METRIC),
        of=lambda answer: answer.rows(r),
        note=note,
        strong=changes(*levels),
        row_headers=len(by) + 1,
    )


def metrics_question(
    r: Quantity,
    answers: Callable[[Any], pd.DataFrame],
    *,
    note: str,
    item: str = "item",
    by: Mapping[str, str] = {},
) -> Question[Any, Estimates]:
    """Return the question of a study whose packs have the table ``metrics`` if a build made it.

    Parameters
    ----------
    r
        The quantity, of `metric_r`.
    answers
        Returns from the data a row for each answer: the columns ``item`` and ``correct`` (or
        whatever number is averaged over people), the factors of ``by``, and the method unless an
        item has one alone.
    note
        Which answers these are.
    item
        The column of both tables that names what was explained.
    by
        Headings of factors beside the method.
    """

    def compute(data: Any) -> Estimates | Unavailable:
        metrics = data.dataset.beside.get("metrics")
        if metrics is None:
            return Unavailable(RESULT, "")
        answered, metrics = (table.assign(item=table[item]) for table in (answers(data), metrics))
        if "method" not in answered:
            answered = answered.merge(metrics[["item", "method"]], on="item")
        rows = tuple(correlations(r, answered, metrics, NAMES, [*by, "method"]))
        return Estimates(rows) if rows else Unavailable(RESULT, "no two people judged one of them")

    columns = [level_of(name, heading) for name, heading in by.items()]
    table = metrics_pivot(
        r,
        "Metrics of explanations against people, item by item.",
        (*columns, level_of("method", "Method", method_title, once=True)),
        [*by, "method"],
        "Items",
        f"{r.about} {note} Comprehensiveness is good if high, the others if low.",
    )
    return Question(
        id="metrics",
        title="Metrics of explanations",
        answer=Estimates,
        quantities=(r,),
        compute=compute,
        parts=(table,),
    )


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
    from scipy.stats import pearsonr  # takes a second, and few packs have metrics

    pearson = pearsonr(x, y)
    ends = pearson.confidence_interval(0.95)
    limits = Interval(float(pearson.statistic), float(ends.low), float(ends.high))
    return estimate_row(r, of, limits, len(x), p=float(pearson.pvalue))

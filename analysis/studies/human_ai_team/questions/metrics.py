"""Whether maps that point at the object help people: correlations over images, as published."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from analysis.questions.question import Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column, limits
from analysis.report.wording import grouped, number, p_value, rounded
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm

METRIC_WORDS: Final[Mapping[str, str]] = {
    "pointing_game": "Pointing game",
    "iou": "IoU",
    "wsl": "WSL",
}
LEAST_IMAGES: Final = 4
LEAST_PEOPLE: Final = 2
RESULT: Final = "correlations of metrics with accuracy"


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r of a metric with the share of participants who were right, over images."""

    method: Annotated[str, about("The arm.")]
    metric: Annotated[str, about("The metric.")]
    images: Annotated[int, about("Images.")]
    r: Annotated[float | None, about("Pearson's r; null if images are too few or all alike.")] = (
        None
    )
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")] = None
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")] = None
    p: Annotated[float | None, about("p, two-sided.")] = None


@dataclass(frozen=True, slots=True)
class MetricMean:
    """A metric of an arm's maps, averaged over images."""

    method: Annotated[str, about("The arm.")]
    metric: Annotated[str, about("The metric.")]
    images: Annotated[int, about("Images.")]
    mean: Annotated[float, about("Mean; of binary metrics the share of images that count.")]
    ci_low: Annotated[float, about("Its lower 95 % limit over images (normal).")]
    ci_high: Annotated[float, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Metrics of maps against right answers."""

    correlations: Annotated[tuple[Correlation, ...], about("By arm and metric.")]
    means: Annotated[
        tuple[MetricMean, ...], about("Each metric of each arm's maps, averaged over images.")
    ] = ()


def compute(data: TeamData) -> Metrics | Unavailable:
    """Return the correlation of each metric with the share of people who were right.

    Over natural images on which the AI is right, seen in that arm by two qualified people or more
    (Nguyen et al. 2021).
    """
    metrics = data.dataset.beside.get("metrics")
    if metrics is None:
        return Unavailable(RESULT, "there is no table of metrics")
    rows = tuple(_correlations(metrics, data))
    if not rows:
        return Unavailable(
            RESULT,
            "no map with a metric was seen on natural images by two qualified participants",
        )
    return Metrics(rows, tuple(_means(metrics)))


def _means(metrics: pd.DataFrame) -> Iterator[MetricMean]:
    """Yield each metric of each arm's maps, over all images that have it."""
    for method, own in metrics.groupby("method", sort=True):
        for name in METRIC_WORDS:
            values = pd.to_numeric(own[name]).dropna().to_numpy(dtype=float)
            if len(values) < LEAST_IMAGES:
                continue
            mean, away = float(values.mean()), 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
            low, high = max(mean - away, 0.0), min(mean + away, 1.0)
            yield MetricMean(str(method), name, len(values), mean, low, high)


def _correlations(metrics: pd.DataFrame, data: TeamData) -> Iterator[Correlation]:
    if metrics.empty:
        return
    frame = data.everybody.frame
    counts = frame["right"] & ~frame["adversarial"] & ~frame["participant"].isin(data.failed)
    shares = frame[counts].groupby(["method", "item"])["correct"].agg(["mean", "size"])
    shares = shares[shares["size"] >= LEAST_PEOPLE].reset_index()
    joined = shares.merge(metrics, on=["method", "item"])
    for method, own in joined.groupby("method", sort=True):
        for name in METRIC_WORDS:
            yield _correlation(own, str(method), name)


def _correlation(own: pd.DataFrame, method: str, name: str) -> Correlation:
    values = pd.to_numeric(own[name]).to_numpy(dtype=float)
    known = np.isfinite(values)
    x, y = values[known], own["mean"].to_numpy(dtype=float)[known]
    images = int(known.sum())
    if len(x) < LEAST_IMAGES or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(method, name, images)
    pearson = pearsonr(x, y)
    ends = pearson.confidence_interval(0.95)
    numbers = (pearson.statistic, ends.low, ends.high, pearson.pvalue)
    return Correlation(method, name, images, *map(float, numbers))


TABLE = ReportTable(
    "metrics",
    "correlations",
    "Metrics of maps against the share of right answers, image by image.",
    (
        Column("Arm", arm(), once=True),
        Column("Metric", lambda row: METRIC_WORDS[row.metric]),
        Column("r", "r", rounded(number, 3)),
        limits(),
        Column("p", "p", p_value),
        Column("Images", "images", grouped, "n"),
    ),
    "Pearson’s r over natural images on which the AI is right and which at least two qualified "
    "participants of the arm saw.",
    strong=changes("method"),
    row_headers=2,
)
MEANS = ReportTable(
    "metric_means",
    lambda found: found.means or None,
    "Metrics of maps, averaged over images.",
    (
        Column("Arm", arm(), once=True),
        Column("Metric", lambda row: METRIC_WORDS[row.metric]),
        Column("Mean", "mean", number),
        limits(),
        Column("Images", "images", grouped, "n"),
    ),
    strong=changes("method"),
    row_headers=2,
)
METRICS = Question(
    id="metrics",
    title="Metrics of maps",
    answer=Metrics,
    compute=compute,
    parts=(TABLE, MEANS),
)
"""Whether maps that point at the object help people."""

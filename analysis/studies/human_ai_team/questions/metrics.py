"""Whether maps that point at the object help people: correlations over images, as published."""

from collections.abc import Iterator, Mapping
from typing import Final

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.metrics import LEAST_ITEMS, METRIC, correlations, metric_r, metrics_pivot
from analysis.questions.pivot import level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Question, Unavailable
from analysis.report.declared import changes
from analysis.report.wording import number
from analysis.statistics.proportions import Interval
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.words import arm_name

METRIC_WORDS: Final[Mapping[str, str]] = {
    "pointing_game": "Pointing game",
    "iou": "IoU",
    "wsl": "WSL",
}
RESULT: Final = "correlations of metrics with accuracy"


R = metric_r("images")
MEAN = Quantity(
    "metric_mean", "Mean",
    "Mean of a metric of an arm’s maps over n natural images on which the AI is right, with normal "
    "limits; of binary metrics the share of images that count.",
    number,
)  # fmt: skip


def compute(data: TeamData) -> Estimates | Unavailable:
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
    return Estimates((*rows, *_means(metrics, data)))


def _counting(data: TeamData) -> pd.DataFrame:
    """Return the answers to images on which metrics are given: natural ones, the AI right.

    As in the paper: a box is that of the true class, so a map of another class can't point at it.
    """
    frame = data.everybody.frame
    return frame[frame["right"] & ~frame["adversarial"]]


def _means(metrics: pd.DataFrame, data: TeamData) -> Iterator[EstimateRow]:
    """Yield each metric of each arm's maps; practice and validation images aren't among them."""
    metrics = metrics[metrics["item"].isin(_counting(data)["item"])]
    for method, group in metrics.groupby("method", sort=True):
        for name in METRIC_WORDS:
            values = pd.to_numeric(group[name]).dropna().to_numpy(dtype=float)
            if len(values) < LEAST_ITEMS:
                continue
            mean, away = float(values.mean()), 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
            limits = Interval(mean, max(mean - away, 0.0), min(mean + away, 1.0))
            yield estimate_row(MEAN, {"method": str(method), METRIC: name}, limits, len(values))


def _correlations(metrics: pd.DataFrame, data: TeamData) -> Iterator[EstimateRow]:
    frame = _counting(data)
    frame = frame[~frame["participant"].isin(data.failed)]
    return correlations(R, frame, metrics, list(METRIC_WORDS), ("method",))


TABLE = metrics_pivot(
    R,
    "Metrics of maps against the share of right answers, image by image.",
    (level_of("method", "Arm", arm_name, once=True),),
    ("method",),
    "Images",
    "Pearson’s r over natural images on which the AI is right and which at least two qualified "
    "participants of the arm saw.",
    METRIC_WORDS.__getitem__,
)
MEANS = pivot(
    "Metrics of maps, averaged over natural images on which the AI is right.",
    (
        level_of("method", "Arm", arm_name, once=True),
        level_of(METRIC, "Metric", METRIC_WORDS.__getitem__),
        value_of(MEAN),
        limits_of(MEAN),
        n_of(MEAN, "Images"),
    ),
    by=("method", METRIC),
    of=lambda answer: answer.rows(MEAN),
    note="The paper takes these images alone, since a box is that of the true class. WSL and IoU "
    "depend on thresholds that were searched for the best scores: IoU’s over these maps, WSL’s by "
    "the paper over its own (metrics.wsl_threshold).",
    strong=changes("method"),
    row_headers=2,
)
METRICS = Question(
    id="metrics",
    title="Metrics of maps",
    answer=Estimates,
    quantities=(R, MEAN),
    compute=compute,
    parts=(TABLE, MEANS),
)
"""Whether maps that point at the object help people."""

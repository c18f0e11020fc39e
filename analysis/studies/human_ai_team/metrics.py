"""Whether maps that point at the object help people: correlations over images, as published."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.stats import pearsonr

from analysis.studies.human_ai_team.trials import Answers

Row = dict[str, Any]

METRIC_WORDS: Final[Mapping[str, str]] = {
    "pointing_game": "Pointing game",
    "iou": "IoU",
    "wsl": "WSL",
}
LEAST_IMAGES: Final = 4
LEAST_PEOPLE: Final = 2


def metric_rows(metrics: pd.DataFrame | None, answers: Answers, gone: Sequence[str]) -> list[Row]:
    """Return Pearson's r of each metric of a map with the share of people who were right.

    Over natural images on which the AI is right, seen in that arm by two qualified people or more
    (Nguyen et al. 2021).

    Parameters
    ----------
    metrics
        ``item, method`` and the metrics; without the table there are no rows.
    answers
        Everybody's.
    gone
        People who didn't qualify.
    """
    if metrics is None or metrics.empty:
        return []
    frame = answers.frame
    counts = frame["right"] & ~frame["adversarial"] & ~frame["participant"].isin(gone)
    shares = frame[counts].groupby(["method", "item"])["correct"].agg(["mean", "size"])
    shares = shares[shares["size"] >= LEAST_PEOPLE].reset_index()
    joined = shares.merge(metrics, on=["method", "item"])
    return [
        _row(own, str(arm), name)
        for arm, own in joined.groupby("method", sort=True)
        for name in METRIC_WORDS
    ]


def _row(own: pd.DataFrame, arm: str, name: str) -> Row:
    values = pd.to_numeric(own[name]).to_numpy(dtype=float)
    known = np.isfinite(values)
    x, y = values[known], own["mean"].to_numpy(dtype=float)[known]
    head = {"method": arm, "metric": name, "images": int(known.sum())}
    if len(x) < LEAST_IMAGES or np.ptp(x) == 0 or np.ptp(y) == 0:
        return {**head, "r": None, "ci_low": None, "ci_high": None, "p": None}
    found = pearsonr(x, y)
    limits = found.confidence_interval(0.95)
    return {
        **head,
        "r": float(found.statistic),
        "ci_low": float(limits.low),
        "ci_high": float(limits.high),
        "p": float(found.pvalue),
    }

"""Accuracy per person, as published: means with both standard deviations, by arm."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.report.estimates import limits_row
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.rates import Rates
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.tables import BINS

Row = dict[str, Any]


def own_accuracies(answers: Answers) -> pd.DataFrame:
    """Return each person's accuracy in each arm: ``participant, method, correct, n``."""
    grouped = answers.frame.groupby(["method", "participant"], sort=True)["correct"]
    return grouped.agg(correct="mean", n="size").reset_index()


def per_user_accuracy(answers: Answers, rates: Rates, part: str) -> list[Row]:
    """Return mean accuracy per person by arm, in per cent.

    Returns
    -------
    list of dict
        ``method, mean, sd`` (divided by n − 1; None of one person), ``n``; ``sd_n``: divided by n,
        as published for lay people; ``ci_low, ci_high``: of the mean over people and images;
        ``median, lowest, highest``; ``right, answers``: how many answers were right.
    """
    own = own_accuracies(answers.part(part))
    rows = []
    for arm in answers.arms:
        shares = 100 * own.loc[own["method"] == arm, "correct"].to_numpy(dtype=float)
        if not len(shares):
            continue
        limits = rates.interval("accuracy", part, arm)
        counted = rates.counted("correct", part, arm)
        rows.append(
            {
                "method": arm,
                "mean": float(shares.mean()),
                "sd": float(shares.std(ddof=1)) if len(shares) > 1 else None,
                "n": len(shares),
                "sd_n": float(shares.std()),
                "ci_low": 100 * limits.ci_low,
                "ci_high": 100 * limits.ci_high,
                "median": float(np.median(shares)),
                "lowest": float(shares.min()),
                "highest": float(shares.max()),
                "right": counted.successes,
                "answers": counted.n,
            }
        )
    return rows


def bin_rows(answers: Answers) -> list[Row]:
    """Return each arm's accuracy in each bin, with Wilson's limits of its answers as they are."""
    frame = answers.frame[answers.frame["level"] != ""]
    source = np.where(
        frame["adversarial"], "adversarial", np.where(frame["right"], "right", "wrong")
    )
    named = pd.Series(source, frame.index) + "_" + frame["level"]
    rows = []
    for bin_ in BINS:
        for arm in answers.arms:
            own = frame[(named == bin_) & (frame["method"] == arm)]
            if own.empty:
                continue
            found = wilson(Count(int(own["correct"].sum()), len(own)))
            rows.append(
                {
                    "bin": bin_,
                    "method": arm,
                    "right": int(own["correct"].sum()),
                    "n": len(own),
                    "images": int(own["item"].nunique()),
                    **limits_row(found, "rate"),
                }
            )
    return rows

"""How long people take, and when they ask for help."""

from typing import Any

import numpy as np

from analysis.report.estimates import limits_row, named_row
from analysis.statistics.comparison import holm, mann_whitney
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.trials import Answers

Row = dict[str, Any]


def time_rows(answers: Answers) -> list[Row]:
    """Return each arm's response times: medians of people's medians, by what became of the answer.

    None where no answer has a time.
    """
    frame = answers.frame[np.isfinite(answers.frame["rt_s"])]
    rows = []
    for arm in answers.arms:
        own = frame[frame["method"] == arm]
        if own.empty:
            continue
        medians = own.groupby("participant")["rt_s"].median()
        rows.append(
            {
                "method": arm,
                "people": len(medians),
                "median_s": float(medians.median()),
                "quarter_low_s": float(medians.quantile(0.25)),
                "quarter_high_s": float(medians.quantile(0.75)),
                "right_s": _middle(own[own["correct"]]),
                "wrong_s": _middle(own[~own["correct"]]),
            }
        )
    return rows


def _middle(own: Any) -> float | None:
    return float(own.groupby("participant")["rt_s"].median().median()) if len(own) else None


def time_pairs(answers: Answers) -> list[Row]:
    """Return arms compared by people's median times: ranks, with Holm's correction."""
    frame = answers.frame[np.isfinite(answers.frame["rt_s"])]
    medians = frame.groupby(["method", "participant"])["rt_s"].median()
    rows = []
    for first, second in answers.pairs():
        if {first, second} <= set(frame["method"]):
            found = mann_whitney(medians[first].to_numpy(), medians[second].to_numpy())
            rows.append(
                {
                    "first": first,
                    "second": second,
                    "statistic": found.statistic,
                    "p": found.p,
                    **named_row(found.difference, "shift_s"),
                    **named_row(found.effect, "effect"),
                }
            )
    adjusted = holm([row["p"] for row in rows])
    return [{**row, "p_holm": p} for row, p in zip(rows, adjusted, strict=True)]


def help_rows(answers: Answers) -> list[Row]:
    """Return in how many answers help came later or was asked for, by arm; none where it didn't."""
    frame = answers.frame
    if not np.isfinite(frame["help_s"]).any():
        return []
    rows = []
    for arm in answers.arms:
        own = frame.loc[frame["method"] == arm, "help_s"]
        seen = own[np.isfinite(own)]
        found = wilson(Count(len(seen), len(own)))
        median = float(seen.median()) if len(seen) else None
        rows.append(
            {"method": arm, "n": len(own), **limits_row(found, "share"), "median_s": median}
        )
    return rows

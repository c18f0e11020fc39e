"""Another program on the same question: Cox's model and the log-rank test by lifelines."""

import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from analysis.report.sampled import people_within, sample_note
from analysis.studies.progressive_reveal.trials import RoundTable

MOST_ROUNDS, SAMPLE_ROUNDS = 100_000, 30_000
"""Rounds up to which Cox's model is fitted to everybody (lifelines needs 10 s), and those of the
sample beyond."""
LEFT_OUT = (
    "Images are strata, errors are clustered by participant; it has no effect of one and knows one "
    "cluster only, so that its answer is for these images alone."
)
LOG_RANK = "The log-rank test takes rounds as independent of each other: its p is too small."


def cox_results(table: RoundTable) -> dict[str, Any]:
    """Return each method's hazard ratio to the reference over steps, and the log-rank test.

    Returns
    -------
    dict
        ``fitted``; ``engine``; ``rows``: method, ``hazard_ratio`` with limits (Wald, clustered),
        p; ``log_rank``: statistic, degrees of freedom, p; ``reason`` where there is no fit.
    """
    frame = _frame(table)
    engine = f"lifelines {version('lifelines')}"
    head = {"engine": engine, "remark": LEFT_OUT, "log_rank_remark": LOG_RANK}
    if len(table.methods) < 2 or not frame["recognised"].any():
        reason = "there is one method" if len(table.methods) < 2 else "no round was recognised"
        return head | {"fitted": False, "reason": reason, "rows": [], "log_rank": None}
    if frame["participant"].nunique() < 2:
        return head | {
            "fitted": False,
            "reason": "errors clustered by participant need two of them",
            "rows": [],
            "log_rank": _log_rank(table),
        }
    everybody = frame["participant"].nunique()
    most = SAMPLE_ROUNDS if len(frame) > MOST_ROUNDS else MOST_ROUNDS
    drawn = people_within(frame["participant"].value_counts().to_dict(), most)
    if len(drawn) < everybody:
        frame = frame[frame["participant"].isin(drawn)]
        note = sample_note(len(drawn), everybody, "Cox’s model is fitted")
        head["remark"] = f"{head['remark']} {note}"
    try:
        rows = _ratios(frame, table)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        reason = "it found no maximum"
        return head | {"fitted": False, "reason": reason, "rows": [], "log_rank": _log_rank(table)}
    return head | {"fitted": True, "reason": "", "rows": rows, "log_rank": _log_rank(table)}


def _frame(table: RoundTable) -> pd.DataFrame:
    """Return the rounds of which a step was seen, methods as columns of 0 and 1."""
    own = table.frame[table.frame["step"] > 0]
    made = {
        "step": own["step"].to_numpy(dtype=float),
        "recognised": own["recognised"].to_numpy(dtype=bool),
        "participant": own["participant"].astype(str).to_numpy(),
        "item": own["item"].astype(str).to_numpy(),
    }
    for place, method in enumerate(table.methods[1:]):
        made[f"method{place}"] = (own["method"] == method).to_numpy(dtype=float)
    return pd.DataFrame(made)


def _ratios(frame: pd.DataFrame, table: RoundTable) -> list[dict[str, Any]]:
    from lifelines import CoxPHFitter
    from lifelines.exceptions import ConvergenceError, ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            fitted = CoxPHFitter().fit(
                frame, "step", "recognised", cluster_col="participant", strata=["item"]
            )
        except (ConvergenceError, ConvergenceWarning) as fault:
            raise ArithmeticError(str(fault)) from None
    summary = fitted.summary
    return [
        {
            "method": method,
            "reference": table.reference,
            "hazard_ratio": float(summary.loc[name, "exp(coef)"]),
            "ci_low": float(summary.loc[name, "exp(coef) lower 95%"]),
            "ci_high": float(summary.loc[name, "exp(coef) upper 95%"]),
            "p": float(summary.loc[name, "p"]),
        }
        for name, method in ((f"method{n}", m) for n, m in enumerate(table.methods[1:]))
    ]


def _log_rank(table: RoundTable) -> dict[str, Any]:
    from lifelines.statistics import multivariate_logrank_test

    own = table.frame[table.frame["step"] > 0]
    found = multivariate_logrank_test(own["step"], own["method"], own["recognised"])
    return {
        "statistic": float(found.test_statistic),
        "df": int(own["method"].nunique()) - 1,
        "p": float(found.p_value),
    }

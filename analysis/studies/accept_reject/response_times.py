"""Decision times: their model on the log scale, and their distribution averaged over leads."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.mixed import fit_linear
from analysis.mixed.outcome import fit_or_reason, model_row
from analysis.mixed.simplify import rule
from analysis.studies.accept_reject.model import coded
from analysis.studies.accept_reject.trials import ScoredTrials

FORMULA = (
    "log_rt ~ explained * solver + explained * decision + run + order "
    "+ (1 + explained + decision || participant) + (1 + explained || item)"
)
FORMULA_WITHOUT_ORDER = (
    "log_rt ~ explained * solver + explained * decision "
    "+ (1 + explained + decision || participant) + (1 + explained || item)"
)
CODING = (
    "Natural logarithm of the time in seconds; two-level factors are coded ±½: explained (with "
    "+½), solver (S +½), decision (accept +½), run (the lead's second run +½), order (run with "
    "explanations first +½). A ratio of times above 1 means slower."
)
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
LEAST_ANSWERS = 5
"""Answers of a lead in a cell below which the lead's quantiles there aren't averaged."""
_SCALE = ("log seconds", "Ratio of times", "time_ratio")


def response_times(judged: ScoredTrials) -> dict[str, Any]:
    """Return the model of decision times and their quantiles, S's and E's solutions alone.

    Trials without an answer are censored at the long limit: they have no time, are left out
    here and counted. Quantiles are averaged over leads ("vincentiles": Vincent 1912;
    Ratcliff 1979, Psychol. Bull. 86), which keeps the shape that each lead's distribution has.
    """
    frame = judged.frame[judged.frame["solver"].isin(["S", "E"])]
    timed = frame["rt_s"].notna() & (frame["rt_s"] > 0) & (frame["decision"] != "none")
    return {
        "trials": len(frame),
        "unanswered": int((frame["decision"] == "none").sum()),
        "without_time": int((~timed & (frame["decision"] != "none")).sum()),
        "limit_s": judged.limit_s,
        "cutoff_mode": judged.mode,
        "model": _model(judged, timed.to_numpy(dtype=bool)),
        "quantiles": _quantiles(frame[timed]),
    }


def _model(judged: ScoredTrials, timed: np.ndarray) -> dict[str, Any]:
    solved = judged.frame["solver"].isin(["S", "E"])
    rows = coded(judged)[timed].reset_index(drop=True)
    own = judged.frame[solved][timed]
    rows = rows.assign(
        log_rt=np.log(own["rt_s"].to_numpy(dtype=float)),
        decision=np.where(own["decision"] == "accept", 0.5, -0.5),
    )
    ordered = bool(len(rows)) and bool(rows["run"].notna().all())
    formula = FORMULA if ordered else FORMULA_WITHOUT_ORDER
    outcome = fit_or_reason(fit_linear, formula, rows)
    head = {"coding": CODING, "rule": rule("log scale"), "scale": _SCALE}
    return model_row(outcome, head, "time_ratio", ("residual_sd",))


def _quantiles(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return each cell's quantiles of time, averaged over the leads who have enough answers."""
    rows = []
    cells = frame.groupby(["solver", "explained", "decision"], sort=True)
    for (solver, explained, decision), own in cells:
        counts = own["participant"].value_counts()
        enough = own[own["participant"].isin(counts.index[counts >= LEAST_ANSWERS])]
        row = {
            "solver": solver,
            "explained": bool(explained),
            "decision": decision,
            "n": len(own),
            "leads": int(enough["participant"].nunique()),
        }
        by_lead = enough.groupby("participant")["rt_s"].quantile(list(QUANTILES)).unstack()
        means = by_lead.mean() if len(by_lead) else pd.Series(np.nan, index=list(QUANTILES))
        for q in QUANTILES:
            row[f"q{round(100 * q):02d}_s"] = float(means[q])
        rows.append(row)
    return rows

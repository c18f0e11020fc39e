"""Decision times: their model on the log scale, and their distribution."""

import itertools
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from analysis.mixed import fit_linear
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import rule
from analysis.report.about import about
from analysis.report.model import Coefficient, ModelFit, model_fit
from analysis.studies.accept_reject.model import coded, has_orders
from analysis.studies.accept_reject.trials import ScoredTrials

TIME_FORMULA = (
    "log_rt ~ explained * solver + explained * decision + run + order "
    "+ (1 + explained + decision || participant) + (1 + explained || item)"
)
TIME_FORMULA_WITHOUT_ORDER = (
    "log_rt ~ explained * solver + explained * decision "
    "+ (1 + explained + decision || participant) + (1 + explained || item)"
)
TIME_CODING = (
    "Natural logarithm of the time in seconds; two-level factors are coded ±½: explained (with "
    "+½), solver (S +½), decision (accept +½), run (the lead's second run +½), order (run with "
    "explanations first +½). A ratio of times above 1 means slower."
)
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
LEAST_ANSWERS = 5
"""Answers of a lead in a cell below which the lead's quantiles there aren't averaged."""
TIME_BINS = 30
SCALE = ("log seconds", "Ratio of times", "time_ratio")
_SOLVER_ORDER = ("S", "E", "control")
_DECISION_ORDER = ("accept", "reject", "none")


@dataclass(frozen=True, slots=True)
class TimeCoefficient(Coefficient):
    """A coefficient of the model of decision times, log seconds."""

    time_ratio: Annotated[float | None, about("Ratio of times; above 1 means slower.")]
    time_ratio_low: Annotated[float | None, about("Its lower 95 % limit.")]
    time_ratio_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class TimeFit(ModelFit):
    """The mixed model of the logarithm of decision times, or why it wasn't fitted."""

    fixed: Annotated[tuple[TimeCoefficient, ...], about("Coefficients.")] = ()
    residual_sd: Annotated[float | None, about("Residual standard deviation, log seconds.")] = None
    scale: Annotated[
        tuple[str, ...], about("The estimates' unit, their ratio in words, and its key.")
    ] = SCALE


@dataclass(frozen=True, slots=True)
class TimeQuantiles:
    """Quantiles of decision times, averaged over the leads who gave enough such answers."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]
    decision: Annotated[str, about("The answer: accept or reject.")]
    n: Annotated[int, about("Answers.")]
    leads: Annotated[int, about("Leads with enough of them.")]
    q10_s: Annotated[float | None, about("The 10 % quantile, seconds.")]
    q30_s: Annotated[float | None, about("The 30 % quantile, seconds.")]
    q50_s: Annotated[float | None, about("The median, seconds.")]
    q70_s: Annotated[float | None, about("The 70 % quantile, seconds.")]
    q90_s: Annotated[float | None, about("The 90 % quantile, seconds.")]


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Decision times of one kind of answer over all leads."""

    solver: Annotated[str, about("Whose solutions: S, E or control.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]
    decision: Annotated[str, about("The answer: accept, reject or none.")]
    n: Annotated[int, about("Trials.")]
    median_rt_s: Annotated[float | None, about("Median, seconds.")]
    q25_rt_s: Annotated[float | None, about("Lower quartile, seconds.")]
    q75_rt_s: Annotated[float | None, about("Upper quartile, seconds.")]


@dataclass(frozen=True, slots=True)
class TimePanel:
    """Counts of decision times of a solver in a run."""

    solver: Annotated[str, about("Whose solutions: S, E or control.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]
    accepted: Annotated[list[int], about("Accepted trials by bin.")]
    rejected: Annotated[list[int], about("Rejected trials by bin.")]


@dataclass(frozen=True, slots=True)
class TimeHistogram:
    """Counts of decision times in bins of equal ratio."""

    edges_s: Annotated[list[float], about("Edges of the bins, seconds.")]
    panels: Annotated[tuple[TimePanel, ...], about("Counts by solver and run.")]
    quicker: Annotated[int, about("Trials below the first edge.")]


def solved_trials(judged: ScoredTrials) -> tuple[pd.DataFrame, pd.Series]:
    """Return the trials with solutions of S and E, and which of them have a time to model.

    Trials without an answer are censored at the long limit: they have no time.
    """
    frame = judged.frame[judged.frame["solver"].isin(["S", "E"])]
    timed = frame["rt_s"].notna() & (frame["rt_s"] > 0) & (frame["decision"] != "none")
    return frame, timed


def fit_times(judged: ScoredTrials) -> TimeFit:
    """Return the model of decision times of S's and E's solutions."""
    own, timed = solved_trials(judged)
    rows = coded(judged)[timed.to_numpy(dtype=bool)].reset_index(drop=True)
    own = own[timed]
    rows = rows.assign(
        log_rt=np.log(own["rt_s"].to_numpy(dtype=float)),
        decision=np.where(own["decision"] == "accept", 0.5, -0.5),
    )
    formula = TIME_FORMULA if has_orders(rows) else TIME_FORMULA_WITHOUT_ORDER
    outcome = fit_or_reason(fit_linear, formula, rows)
    head = {"coding": TIME_CODING, "rule": rule("gaussian"), "scale": SCALE}
    return model_fit(TimeFit, outcome, head, "time_ratio", "residual_sd")


def time_quantiles(judged: ScoredTrials) -> tuple[TimeQuantiles, ...]:
    """Return each cell's quantiles of time, averaged over the leads who have enough answers.

    Such means ("vincentiles": Vincent 1912; Ratcliff 1979, Psychol. Bull. 86) keep the shape
    that each lead's distribution has.
    """
    frame, timed = solved_trials(judged)
    cells = frame[timed].groupby(["solver", "explained", "decision"], sort=True)
    return tuple(_quantiles(cell, own) for cell, own in cells)


def _quantiles(cell: Any, own: pd.DataFrame) -> TimeQuantiles:
    solver, explained, decision = cell
    counts = own["participant"].value_counts()
    enough = own[own["participant"].isin(counts.index[counts >= LEAST_ANSWERS])]
    by_lead = enough.groupby("participant")["rt_s"].quantile(np.array(QUANTILES)).unstack()
    means = by_lead.mean() if len(by_lead) else pd.Series(np.nan, index=list(QUANTILES))
    return TimeQuantiles(
        solver=solver,
        explained=bool(explained),
        decision=decision,
        n=len(own),
        leads=int(enough["participant"].nunique()),
        **{f"q{round(100 * q):02d}_s": float(means[q]) for q in QUANTILES},
    )


def answer_times(frame: pd.DataFrame) -> tuple[AnswerTimes, ...]:
    """Return decision times by solver, explanation and decision."""
    answers = []
    groups = dict(list(frame.groupby(["solver", "explained"])))
    for solver, explained in itertools.product(_SOLVER_ORDER, (False, True)):
        own = groups.get((solver, explained), frame.iloc[:0])
        for decision in _DECISION_ORDER:
            trials = own[own["decision"] == decision]
            if trials.empty:
                continue
            times = trials["rt_s"].dropna()
            low, middle, high = times.quantile([0.25, 0.5, 0.75]) if len(times) else [None] * 3
            answers.append(
                AnswerTimes(solver, bool(explained), decision, len(trials), middle, low, high)
            )
    return tuple(answers)


def time_histogram(frame: pd.DataFrame, limit_s: float) -> TimeHistogram | None:
    """Return counts of decision times in bins of equal ratio; None without a time."""
    times = frame["rt_s"].dropna()
    if times.empty:
        return None
    positive = times[times > 0]
    low = max(0.1, min(0.4, float(positive.min()))) if len(positive) else 0.4
    edges = np.geomspace(low, max(limit_s, float(times.max())), TIME_BINS + 1)
    panels = tuple(
        TimePanel(
            str(solver),
            bool(explained),
            accepted=_counts(own, "accept", edges),
            rejected=_counts(own, "reject", edges),
        )
        for (solver, explained), own in frame.groupby(["solver", "explained"])
    )
    return TimeHistogram(edges.tolist(), panels, int((times < low).sum()))


def _counts(own: pd.DataFrame, decision: str, edges: np.ndarray) -> list[int]:
    times = own.loc[own["decision"] == decision, "rt_s"].dropna()
    return np.histogram(times, edges)[0].tolist()

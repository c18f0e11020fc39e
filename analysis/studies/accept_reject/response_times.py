"""Decision times: their model on the log scale, and their distribution."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from analysis.mixed import fit_linear
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import rule
from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.about import about
from analysis.report.model import Coefficient, ModelFit, model_fit
from analysis.studies.accept_reject.model import coded, has_orders
from analysis.studies.accept_reject.trials import ScoredTrials
from analysis.studies.accept_reject.words import RUN_WORDS

_RANDOM = "(1 + explained || participant) + (1 + explained || item)"
# Without the decision: explanations may change it, so at equal decisions this isn't their effect.
TIME_FORMULA = f"log_rt ~ explained * solver + run + order + {_RANDOM}"
TIME_FORMULA_WITHOUT_ORDER = f"log_rt ~ explained * solver + {_RANDOM}"
TIME_CODING = (
    "Natural logarithm of the time in seconds; two-level factors are coded ±½: explained (with "
    "+½), solver (S +½), run (the lead's second run +½), order (run with "
    "explanations first +½). A ratio of times above 1 means slower."
)
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
LEAST_ANSWERS = 5
"""Answers of a lead in a cell below which the lead's quantiles there aren't averaged."""
TIME_BINS = 30
SCALE = ("log seconds", "Ratio of times", "time_ratio")
CELL = ["solver", "explained", "decision"]
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


MEDIAN = Quantity("median_s", "Median time", "Median decision time.", unit="s")
LOWER = Quantity("quarter_low_s", "Lower quartile", "Lower quartile of decision times.", unit="s")
UPPER = Quantity("quarter_high_s", "Upper quartile", "Upper quartile of them.", unit="s")
QUANTILE = Quantity(
    "mean_quantile_s", "Quantile",
    "Quantile of decision times, averaged over the leads who gave enough such answers.", unit="s",
)  # fmt: skip


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
    solved = judged.frame["solver"].isin(["S", "E"])
    frame = judged.frame.loc[solved, ["participant", "rt_s", *CELL]]
    timed = frame["rt_s"].notna() & (frame["rt_s"] > 0) & (frame["decision"] != "none")
    return frame, timed


def fit_times(judged: ScoredTrials) -> TimeFit:
    """Return the model of decision times of S's and E's solutions."""
    trials, timed = solved_trials(judged)
    rows = coded(judged)[timed.to_numpy(dtype=bool)].reset_index(drop=True)
    trials = trials[timed]
    rows = rows.assign(log_rt=np.log(trials["rt_s"].to_numpy(dtype=float)))
    formula = TIME_FORMULA if has_orders(rows) else TIME_FORMULA_WITHOUT_ORDER
    outcome = fit_or_reason(fit_linear, formula, rows)
    head = {"coding": TIME_CODING, "rule": rule("gaussian"), "scale": SCALE}
    return model_fit(TimeFit, outcome, head, "time_ratio", "residual_sd")


def time_quantiles(judged: ScoredTrials) -> Iterator[EstimateRow]:
    """Yield each cell's quantiles of time, averaged over the leads who have enough answers.

    Such means ("vincentiles": Vincent 1912; Ratcliff 1979, Psychol. Bull. 86) keep the shape
    that each lead's distribution has. Cells without such a lead have none.
    """
    frame, timed = solved_trials(judged)
    for cell, answers in frame[timed].groupby(CELL, sort=True):
        counts = answers["participant"].value_counts()
        enough = answers[answers["participant"].isin(counts.index[counts >= LEAST_ANSWERS])]
        by_lead = enough.groupby("participant")["rt_s"].quantile(np.array(QUANTILES)).unstack()
        for share, mean_s in by_lead.mean().items() if len(by_lead) else ():
            of = _of(cell) | {"quantile": f"{share:g}"}
            yield estimate_row(QUANTILE, of, mean_s, len(by_lead))


def _of(cell: Any) -> dict[str, str]:
    solver, explained, decision = cell
    return {"solver": solver, "explanation": RUN_WORDS[bool(explained)], "decision": decision}


def answer_times(frame: pd.DataFrame) -> Iterator[EstimateRow]:
    """Yield quartiles of decision times by solver, explanation and decision."""
    cells = dict(list(frame.groupby(CELL)["rt_s"]))
    for cell in itertools.product(_SOLVER_ORDER, (False, True), _DECISION_ORDER):
        if cell in cells:
            for quantity, share in ((MEDIAN, 0.5), (LOWER, 0.25), (UPPER, 0.75)):
                yield estimate_row(
                    quantity, _of(cell), cells[cell].quantile(share), len(cells[cell])
                )


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
            accepted=_counts(group, "accept", edges),
            rejected=_counts(group, "reject", edges),
        )
        for (solver, explained), group in frame.groupby(["solver", "explained"])
    )
    return TimeHistogram(edges.tolist(), panels, int((times < low).sum()))


def _counts(trials: pd.DataFrame, decision: str, edges: np.ndarray) -> list[int]:
    times = trials.loc[trials["decision"] == decision, "rt_s"].dropna()
    return np.histogram(times, edges)[0].tolist()

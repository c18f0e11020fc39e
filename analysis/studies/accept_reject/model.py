"""The mixed model of acceptance, the main analysis."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_logistic
from analysis.mixed.modes import present_probabilities
from analysis.mixed.result import Outcome, fit_or_reason
from analysis.mixed.simplify import RULE
from analysis.questions.estimates import EstimateRow, Quantity, estimate_row
from analysis.report.model import LogisticFit, logistic_fit
from analysis.report.wording import percent
from analysis.statistics.estimate import Ends, Estimate, by_student
from analysis.statistics.proportions import Interval
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials
from analysis.studies.accept_reject.words import RUN_WORDS

FORMULA = (
    "accepted ~ explained * solver + run + order "
    "+ (1 + explained*solver || participant) + (1 + explained*solver || item)"
)
FORMULA_WITHOUT_ORDER = (
    "accepted ~ explained * solver "
    "+ (1 + explained*solver || participant) + (1 + explained*solver || item)"
)
CODING = (
    "Two-level factors are coded ±½: explained (with +½), solver (S +½), run (the lead's second "
    "run +½), order (run with explanations first +½)."
)
EXPERTS_TERM = " + (0 + of_expert | expert)"
"""Added if there are enough experts: how much acceptance differs from expert to expert."""
EXPERTS_CODING = (
    " of_expert is 1 for E's solutions and 0 for S's, so that experts vary only in E's solutions."
)
FEW_EXPERTS = 5
FEW_LEADS = 5
_CONTRASTS = (("S", (-1, 1, 0, 0)), ("E", (0, 0, -1, 1)), ("S-E", (-1, 1, 1, -1)))


DIFFERENCE: Final[Ends] = (-1.0, 1.0)
"""The least and the most that a difference of probabilities can be."""
PROBABILITY = Quantity(
    "probability", "Estimate",
    "Probability that a lead accepts by the mixed model, averaged over the leads and plates that "
    "were there.",
    lambda share: percent(share, 1),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MainModel:
    """The mixed model of the main analysis, and what it says on the scale of probabilities.

    Attributes
    ----------
    fit
        The fit, or why there is none.
    probabilities
        Averaged ones, by solver and explanation; none without a sound fit.
    usefulness
        Their differences: of S, of E, and S's less E's; none without a sound fit.
    """

    fit: LogisticFit
    probabilities: tuple[EstimateRow, ...] = ()
    usefulness: Mapping[str, Estimate] = field(default_factory=dict)


def fit_main_model(judged: ScoredTrials) -> Outcome:
    """Fit the preregistered model to S's and E's solutions."""
    frame = coded(judged)
    formula = FORMULA if has_orders(frame) else FORMULA_WITHOUT_ORDER
    return fit_or_reason(fit_logistic, formula + EXPERTS_TERM * ("expert" in frame), frame)


def main_model(judged: ScoredTrials, outcome: Outcome) -> MainModel:
    """Return what the main model says.

    Parameters
    ----------
    judged
        The trials.
    outcome
        Their model; see `fit_main_model`.
    """
    frame = coded(judged)
    coding = CODING + EXPERTS_CODING * ("expert" in frame)
    fit = logistic_fit(outcome, coding, RULE)
    if outcome.result is None:
        return MainModel(fit)
    fit = replace(fit, notes=(*fit.notes, *_order_notes(frame, has_orders(frame))))
    return MainModel(fit, *averaged(outcome.result))


def has_orders(frame: pd.DataFrame) -> bool:
    """Return whether the table says which run came first."""
    return bool(len(frame)) and bool(frame["run"].notna().all())


def few_leads(leads: int) -> str:
    """Return the reason if there are too few leads to tell how much leads differ; else empty."""
    if leads >= FEW_LEADS:
        return ""
    return f"{leads or 'no'} lead{'' if leads == 1 else 's'} can’t say how much leads differ"


def coded(judged: ScoredTrials) -> pd.DataFrame:
    """Return S's and E's trials with factors as ±.5.

    With `FEW_EXPERTS` experts or more there are ``expert`` and ``of_expert`` too.
    """
    frame = judged.frame[judged.frame["solver"].isin(["S", "E"])]
    solver = np.where(frame["solver"] == "S", 0.5, -0.5)
    return factors(frame).assign(solver=solver, **_experts(frame)).reset_index(drop=True)


def factors(frame: pd.DataFrame) -> pd.DataFrame:
    """Return whether trials were accepted, who judged what, and two-level factors as ±.5.

    ``run`` and ``order`` are NaN where the table doesn't state them.
    """
    first = frame["first_run"]
    second = (~first.astype("boolean")).astype("Float64") - 0.5
    with_first = _with_first(frame).astype("Float64") - 0.5
    return pd.DataFrame(
        {
            "accepted": frame["accepted"].astype(float),
            "explained": np.where(frame["explained"], 0.5, -0.5),
            "run": second.to_numpy(dtype=float, na_value=np.nan),
            "order": with_first.to_numpy(dtype=float, na_value=np.nan),
            "participant": frame["participant"].astype(str),
            "item": frame["item"].astype(str),
        }
    )


def _experts(frame: pd.DataFrame) -> dict[str, Any]:
    """Return who solved each trial's plate as E; {} with too few experts for a random effect.

    S's trials name the plate's expert too; ``of_expert`` is 0 there and takes its weight away.
    """
    if "solver_id" not in frame:
        return {}
    of_expert = frame["solver"] == "E"
    who = frame["solver_id"].where(of_expert)
    if who.nunique() < FEW_EXPERTS:
        return {}
    known = who.dropna()
    by_item = known.groupby(frame.loc[known.index, "item"]).first()
    expert = who.fillna(frame["item"].map(by_item)).fillna(min(known))
    return {"expert": expert.astype(str), "of_expert": of_expert.astype(float)}


def _with_first(frame: pd.DataFrame) -> pd.Series:
    """Whether the lead's first run was the one with explanations; False for the sham group."""
    explains_first = frame["first_run"] & (frame["explained"] | frame["probe"])
    explains_second = ~frame["first_run"] & ~frame["explained"] & ~frame["probe"] & ~frame["sham"]
    return (explains_first | explains_second).astype("boolean")


def _order_notes(frame: pd.DataFrame, ordered: bool) -> list[str]:
    if not ordered:
        return ["The table has neither order nor run: they are not in the model."]
    if frame["order"].nunique() < 2 and (frame["run"] * frame["explained"]).nunique() > 1:
        return [
            "Everyone had the runs in one order; unexplained solutions in the second run (probes "
            "or a sham group) separate the effects of run and explanation; order is left out."
        ]
    if frame["order"].nunique() < 2:
        if frame["participant"].nunique() == 1:
            return [
                "One lead has the runs in one order: the explanation is confounded with practice "
                "and fatigue."
            ]
        return [
            "Everyone had the runs in one order: the explanation is confounded with practice "
            "and fatigue."
        ]
    return []


def averaged(result: MixedResult) -> tuple[tuple[EstimateRow, ...], dict[str, Estimate]]:
    """Return averaged probabilities of the four cells, runs balanced, and usefulness.

    Averages are over the leads and plates that were there (`present_probabilities`).
    """
    if not result.converged or len(result.fixed) < 4:
        return (), {}
    marginals = present_probabilities(result, settings())
    rows = []
    for place, (solver, explained) in enumerate(CELLS):
        part = marginals.probability(place)
        limits = Interval(part.estimate, part.ci_low, part.ci_high)
        of = {"solver": solver, "explanation": RUN_WORDS[explained]}
        rows.append(estimate_row(PROBABILITY, of, limits))
    gains = {name: marginals.contrast(np.array(weights)) for name, weights in _CONTRASTS}
    return tuple(rows), {
        name: by_student(part.estimate, part.se, part.df, DIFFERENCE)
        for name, part in gains.items()
    }


def settings() -> list[pd.DataFrame]:
    """Return the predictors of the four cells, in both runs.

    A lead keeps the order of their runs: the lead's own effect is estimated beside it.
    """
    return [_setting(solver, explained) for solver, explained in CELLS]


def _setting(solver: str, explained: bool) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "explained": 0.5 if explained else -0.5,
                "solver": 0.5 if solver == "S" else -0.5,
                "of_expert": float(solver == "E"),
                "run": run,
            }
            for run in (-0.5, 0.5)
        ]
    )

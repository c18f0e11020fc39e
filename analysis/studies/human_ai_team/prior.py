"""Prior knowledge as a moderator: who had seen such a thing before."""

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.mixed import fit_logistic, marginal_probabilities
from analysis.mixed.outcome import fit_or_reason, model_row
from analysis.mixed.simplify import RULE
from analysis.report.estimates import limits_row
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.model import coded
from analysis.studies.human_ai_team.trials import Answers

Row = dict[str, Any]

FORMULA: Final = "correct ~ method * known + ai_correct + (1 | participant) + (1 | item)"
CODING: Final = (
    "known is +½ where the person had seen what the label names before, else −½; ai_correct is +½ "
    "where the AI's label is right."
)


def prior_results(answers: Answers) -> dict[str, Any] | None:
    """Return accuracy by prior knowledge and arm, and its model; None where it isn't known.

    Returns
    -------
    dict
        ``rates``: of each arm, with prior knowledge and without, right answers with Wilson's
        limits; ``model``; ``gains``: known less unknown by arm, and each arm's less the
        reference's, averaged over people and images by the model.
    """
    told = answers.of(np.isfinite(answers.frame["prior"].to_numpy(dtype=float)))
    if told.frame["prior"].nunique() < 2:
        return None
    frame = coded(told).assign(known=told.frame["prior"].to_numpy(dtype=float) - 0.5)
    formula = FORMULA if len(told.arms) > 1 else FORMULA.replace("method * ", "")
    if frame["ai_correct"].nunique() < 2:
        formula = formula.replace(" + ai_correct", "")
    outcome = fit_or_reason(fit_logistic, formula, frame)
    model = model_row(outcome, {"coding": CODING, "rule": RULE}, "odds_ratio")
    gains = [] if outcome.sound is None else _gains(told, outcome.sound, frame)
    return {"rates": _rates(told), "model": model, "gains": gains}


def _rates(told: Answers) -> list[Row]:
    rows = []
    for arm in told.arms:
        for known in (True, False):
            own = told.frame[(told.frame["method"] == arm) & (told.frame["prior"] == known)]
            count = Count(int(own["correct"].sum()), len(own))
            rows.append(
                {"method": arm, "known": known, "n": count.n, **limits_row(wilson(count), "rate")}
            )
    return rows


def _gains(told: Answers, fitted: Any, frame: pd.DataFrame) -> list[Row]:
    right = frame["ai_correct"].to_numpy()
    settings = [
        pd.DataFrame({"method": arm, "known": known, "ai_correct": right})
        for arm in told.arms
        for known in (-0.5, 0.5)
    ]
    found, rows = marginal_probabilities(fitted, settings), []
    base = told.arms.index(told.reference) if told.reference else None
    for place, arm in enumerate(told.arms):
        own = np.zeros(len(settings))
        own[2 * place : 2 * place + 2] = -1, 1
        rows.append({"method": arm, "less": None, **limits_row(found.contrast(own))})
        if base is not None and place != base:
            own[2 * base : 2 * base + 2] = 1, -1
            less = limits_row(found.contrast(own))
            rows.append({"method": arm, "less": told.reference, **less})
    return rows

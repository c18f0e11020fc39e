"""Prior knowledge as a moderator: who had seen such a thing before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_logistic, marginal_probabilities
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import RULE
from analysis.questions.estimates import (
    AGAINST,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    share_row,
)
from analysis.questions.pivot import Wide, level_of, limits_of, n_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import changes
from analysis.report.missing import unsound_model
from analysis.report.model import LogisticFit, logistic_fit
from analysis.report.parts import Column, Paragraph
from analysis.report.wording import bare_percent, points
from analysis.statistics.proportions import Count
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import coded, method_code
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm_name, tenths

KNOWN: Final = "known"
FORMULA: Final = "correct ~ method * known + ai_correct + (1 | participant) + (1 | item)"
CODING: Final = (
    "known is +½ where the person had seen what the label names before, else −½; ai_correct is +½ "
    "where the AI's label is right."
)


RIGHT = Quantity(
    "right_by_prior", "Right",
    "Right answers where the person had seen such a thing before, or not (Wilson’s limits).",
    tenths,
)  # fmt: skip
GAIN = Quantity(
    "prior_gain", "Seen before less not",
    "Right answers with prior knowledge less those without, by the model; a contrast is the gain "
    "of an arm less that of another.",
    points, "points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prior(Estimates):
    """Prior knowledge of what a label names."""

    model: Annotated[LogisticFit, about("The mixed model with prior knowledge.")]


def compute(data: TeamData) -> Prior | Unavailable:
    """Return accuracy by prior knowledge and arm, and its model."""
    answers = data.answers
    known = answers.of(np.isfinite(answers.frame["prior"].to_numpy(dtype=float)))
    if known.frame["prior"].nunique() < 2:
        return Unavailable()
    frame = coded(known).assign(known=known.frame["prior"].to_numpy(dtype=float) - 0.5)
    formula = FORMULA if len(known.arms) > 1 else FORMULA.replace("method * ", "")
    if frame["ai_correct"].nunique() < 2:
        formula = formula.replace(" + ai_correct", "")
    outcome = fit_or_reason(fit_logistic, formula, frame)
    gains = () if outcome.sound is None else _gains(known, outcome.sound, frame)
    return Prior((*_rates(known), *gains), logistic_fit(outcome, CODING, RULE))


def _rates(answers: Answers) -> Iterator[EstimateRow]:
    frame = answers.frame
    for method in answers.arms:
        for known, word in ((True, "yes"), (False, "no")):
            rows = frame[(frame["method"] == method) & (frame["prior"] == known)]
            right = Count(int(rows["correct"].sum()), len(rows))
            yield share_row(RIGHT, {"method": method, KNOWN: word}, right)


def _gains(answers: Answers, fitted: MixedResult, frame: pd.DataFrame) -> Iterator[EstimateRow]:
    """Yield known less unknown by arm, and each arm's less the reference's."""
    right = frame["ai_correct"].to_numpy()
    settings = [
        pd.DataFrame({"method": method_code(answers, method), "known": known, "ai_correct": right})
        for method in answers.arms
        for known in (-0.5, 0.5)
    ]
    marginals = marginal_probabilities(fitted, settings)
    base = answers.arms.index(answers.reference) if answers.reference else None
    for place, method in enumerate(answers.arms):
        weights = np.zeros(len(settings))
        weights[2 * place : 2 * place + 2] = -1, 1
        yield estimate_row(GAIN, {"method": method}, marginals.contrast(weights))
        if base is not None and place != base:
            weights[2 * base : 2 * base + 2] = 1, -1
            less = {"method": method, AGAINST: str(answers.reference)}
            yield estimate_row(GAIN, less, marginals.contrast(weights))


def _gain(row: Wide) -> str:
    return arm_name(row["method"]) + (f" less {arm_name(row[AGAINST])}" if row[AGAINST] else "")


RATES = pivot(
    "Right answers by prior knowledge.",
    (
        level_of("method", "Arm", arm_name, once=True),
        level_of(KNOWN, "Seen before"),
        value_of(RIGHT),
        limits_of(RIGHT, write=bare_percent),
        n_of(RIGHT, "Answers"),
    ),
    by=("method", KNOWN),
    of=lambda answer: answer.rows(RIGHT),
    note="Wilson’s intervals of single answers.",
    strong=changes("method"),
    row_headers=2,
)
GAINS = pivot(
    "What prior knowledge changes, by the model.",
    (Column("Arm", _gain), value_of(GAIN), limits_of(GAIN)),
    by=("method", AGAINST),
    of=lambda answer: answer.rows(GAIN),
    note="A difference between arms says that prior knowledge moderates what the help does.",
)


def _model(answer: Prior) -> Paragraph:
    """Return the model's formula, or why it gives no estimates."""
    model = answer.model
    return Paragraph(model.asked, "formula") if model.converged else Paragraph(model.reason)


def _lacking(_: TeamData, answer: Prior | None) -> list[Lacking]:
    if answer is None:
        return []
    return unsound_model(answer.model, "what prior knowledge changes, by the model")


PRIOR = Question(
    id="prior",
    title="Prior knowledge",
    answer=Prior,
    quantities=(RIGHT, GAIN),
    compute=compute,
    parts=(RATES, GAINS, _model),
    needs={"prior_knowledge": "prior knowledge as a moderator"},
    lacking=_lacking,
    registered=lambda _: Promise("Accuracy by prior knowledge of the label."),
)
"""Whether prior knowledge moderates what help does."""

"""Prior knowledge as a moderator: who had seen such a thing before."""

from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_logistic, marginal_probabilities
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import RULE
from analysis.questions.question import Lacking, Promise, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.estimates import limits_row
from analysis.report.missing import unsound_model
from analysis.report.model import LogisticFit, logistic_fit
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import bare_percent, grouped, points
from analysis.statistics.proportions import Count, wilson
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.model import coded, method_code
from analysis.studies.human_ai_team.trials import Answers
from analysis.studies.human_ai_team.words import arm, arm_name, tenths

FORMULA: Final = "correct ~ method * known + ai_correct + (1 | participant) + (1 | item)"
CODING: Final = (
    "known is +½ where the person had seen what the label names before, else −½; ai_correct is +½ "
    "where the AI's label is right."
)


@dataclass(frozen=True, slots=True)
class PriorRate:
    """An arm's right answers with or without prior knowledge."""

    method: Annotated[str, about("The arm.")]
    known: Annotated[bool, about("Whether the participant had seen such a thing before.")]
    n: Annotated[int, about("Answers.")]
    rate: Annotated[float | None, about("Share of right answers, 0 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit (Wilson).")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit (Wilson).")]


@dataclass(frozen=True, slots=True)
class PriorGain:
    """What prior knowledge changes in an arm, by the model; a difference of probabilities."""

    method: Annotated[str, about("The arm.")]
    less: Annotated[str | None, about("The arm whose gain was subtracted, if any.")]
    estimate: Annotated[
        float | None, about("Right answers with prior knowledge less those without.")
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]


@dataclass(frozen=True, slots=True)
class Prior:
    """Prior knowledge of what a label names."""

    rates: Annotated[tuple[PriorRate, ...], about("Right answers by arm and prior knowledge.")]
    model: Annotated[LogisticFit, about("The mixed model with prior knowledge.")]
    gains: Annotated[tuple[PriorGain, ...], about("What prior knowledge changes, by arm.")]


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
    return Prior(_rates(known), logistic_fit(outcome, CODING, RULE), gains)


def _rates(answers: Answers) -> tuple[PriorRate, ...]:
    rows = []
    for method in answers.arms:
        for known in (True, False):
            frame = answers.frame
            own = frame[(frame["method"] == method) & (frame["prior"] == known)]
            right = Count(int(own["correct"].sum()), len(own))
            rows.append(PriorRate(method, known, right.n, **limits_row(wilson(right), "rate")))
    return tuple(rows)


def _gains(answers: Answers, fitted: MixedResult, frame: pd.DataFrame) -> tuple[PriorGain, ...]:
    """Return known less unknown by arm, and each arm's less the reference's."""
    right = frame["ai_correct"].to_numpy()
    settings = [
        pd.DataFrame({"method": method_code(answers, method), "known": known, "ai_correct": right})
        for method in answers.arms
        for known in (-0.5, 0.5)
    ]
    marginals, rows = marginal_probabilities(fitted, settings), []
    base = answers.arms.index(answers.reference) if answers.reference else None
    for place, method in enumerate(answers.arms):
        own = np.zeros(len(settings))
        own[2 * place : 2 * place + 2] = -1, 1
        rows.append(PriorGain(method, None, **limits_row(marginals.contrast(own))))
        if base is not None and place != base:
            own[2 * base : 2 * base + 2] = 1, -1
            less = limits_row(marginals.contrast(own))
            rows.append(PriorGain(method, answers.reference, **less))
    return tuple(rows)


def _gain(row: PriorGain) -> str:
    return arm_name(row.method) + (f" less {arm_name(row.less)}" if row.less else "")


RATES = ReportTable(
    "prior_knowledge",
    "rates",
    "Right answers by prior knowledge.",
    (
        Column("Arm", arm(), once=True),
        Column("Seen before", lambda row: "yes" if row.known else "no"),
        Column("Right", "rate", tenths),
        limits(bare_percent),
        Column("Answers", "n", grouped, "n"),
    ),
    "Wilson’s intervals of single answers.",
    strong=changes("method"),
    row_headers=2,
)
GAINS = ReportTable(
    "prior_gains",
    "gains",
    "What prior knowledge changes, by the model.",
    (
        Column("Arm", _gain),
        Column("Seen before less not", "estimate", points, "points"),
        limits(points),
    ),
    "A difference between arms says that prior knowledge moderates what the help does.",
)


def _lacking(_: TeamData, found: Prior | None) -> list[Lacking]:
    if found is None:
        return []
    return unsound_model(found.model, "what prior knowledge changes, by the model")


PRIOR = Question(
    id="prior",
    title="Prior knowledge",
    answer=Prior,
    compute=compute,
    parts=(RATES, GAINS, lambda found: Paragraph(found.model.asked, "formula")),
    needs={"prior_knowledge": "prior knowledge as a moderator"},
    lacking=_lacking,
    registered=lambda _: Promise("secondary", "Accuracy by prior knowledge of the label."),
)
"""Whether prior knowledge moderates what help does."""

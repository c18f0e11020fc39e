"""Regression to the mean: accuracy after explanations, given that before anything was explained."""

from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.mixed import fit_linear
from analysis.mixed.result import fit_or_reason
from analysis.mixed.simplify import rule
from analysis.questions.estimates import (
    AGAINST,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
)
from analysis.questions.pivot import with_p_of
from analysis.questions.question import Promise, Question, Unavailable, Within
from analysis.report.about import about
from analysis.report.model import ModelFit, model_fit
from analysis.report.parts import Paragraph
from analysis.report.wording import correlation, estimated, number, signed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.published import TOGETHER
from analysis.studies.simulatability.quantities import PRE_RIGHT, PUBLISHED_CHANGE
from analysis.studies.simulatability.questions.change import CHANGE, marginal
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.tables import table_by
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import (
    ALL,
    COUNTERFACTUAL,
    condition_name,
    domain_name,
    method_name,
)

FORMULA: Final = "post ~ pre + C(method, Treatment({base!r})) * test"
CODING: Final = (
    "One row for each person, of the test that the person took first: post and pre are per cent "
    "right, pre less its mean; test is +½ for counterfactual and −½ for forward; the base of "
    "method is the reference."
)


SLOPE = Quantity(
    "slope", "Slope",
    "Points after explanations per point before them; 1: no regression to the mean.", number,
)  # fmt: skip
CORRELATION = Quantity("change_with_pre_r", "r", "r of Change with accuracy before.", correlation)
ADJUSTED = Quantity(
    "adjusted_difference_points", "Difference",
    "Accuracy after explanations of a method less that of the base, at equal accuracy before.",
    signed, "points",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Regression(Estimates):
    """Regression to the mean, by domain.

    People with low accuracy before rise by chance alone. With accuracy before held equal, what
    remains between methods isn't that.
    """

    models: Annotated[
        dict[str, ModelFit], about("The linear mixed models by domain, on the scale of per cent.")
    ]


def compute(data: SimulatabilityData) -> Regression | Unavailable:
    """Return, by domain, how accuracy after depends on accuracy before and on the method.

    Only the test that a person took first counts: in the other one, accuracy before its
    explanations is a result of the arm.
    """
    first = data.predictions.first()
    if first.pairs.empty:
        reason = "the table doesn’t say which test people took first (column first_test)"
        return Unavailable("regression to the mean", reason)
    parts = [domain_regression(first.domain(name)) for name in first.domains]
    return Regression(
        tuple(row for part in parts for row in part.estimates),
        {name: model for part in parts for name, model in part.models.items()},
    )


def domain_regression(predictions: Predictions) -> Regression:
    """Return the regression of a domain's pairs of the first test, a row for each participant."""
    people = predictions.pairs.groupby(["participant", "method", "test"], as_index=False)[
        ["pre", "post"]
    ]
    frame = people.mean()
    frame[["pre", "post"]] *= 100
    change, before = frame["post"] - frame["pre"], frame["pre"]
    frame = frame.assign(
        pre=before - before.mean(), test=np.where(frame["test"] == COUNTERFACTUAL, 0.5, -0.5)
    )
    outcome = fit_or_reason(fit_linear, _formula(predictions), frame)
    fixed = {row.term: row for row in outcome.sound.fixed} if outcome.sound else {}
    of, n = {"domain": predictions.domains[0]}, len(frame)
    rows = [estimate_row(CORRELATION, of, _correlation(before, change), n)]
    if "pre" in fixed:
        rows.append(estimate_row(SLOPE, of, fixed["pre"], n, p=fixed["pre"].p))
    for name in predictions.methods[1:]:
        for term, row in fixed.items():
            if term.endswith(f"[{name}]") and ":" not in term:
                pair = {"method": name, AGAINST: predictions.methods[0]}
                rows.append(estimate_row(ADJUSTED, of | pair, row, n, p=row.p))
    head = {"coding": CODING, "rule": rule("gaussian")}
    return Regression(tuple(rows), {of["domain"]: model_fit(ModelFit, outcome, head)})


def _correlation(before: pd.Series, change: pd.Series) -> float | None:
    known = len(before) > 2 and change.std() > 0 and before.std() > 0
    return float(np.corrcoef(before, change)[0, 1]) if known else None


def _formula(predictions: Predictions) -> str:
    formula = (
        FORMULA.format(base=predictions.methods[0])
        if len(predictions.methods) > 1
        else "post ~ pre + test"
    )
    return (
        formula
        if len(predictions.tests) > 1
        else formula.replace(" * test", "").replace(" + test", "")
    )


METHODS = table_by(
    ("domain", "method"),
    "Accuracy after explanations, at equal accuracy before.",
    with_p_of(ADJUSTED),
    lambda here: here.answer.rows(ADJUSTED),
    "Each method minus the first one, which is the arm without explanations if there is one. Only "
    "the test that a participant took first counts: accuracy before the explanations of the other "
    "one comes after explanations, and nothing is adjusted for what an arm may have changed.",
)


def _slopes(here: Within[Regression]) -> list[Paragraph]:
    return [
        Paragraph(
            f"{domain_name(row.of['domain']).capitalize()}: a participant whose accuracy before "
            f"explanations is one point higher has an accuracy after them that is "
            f"{estimated(number, row.estimate, row.ci_low, row.ci_high, ' points')} "
            "higher. Without regression to the mean this would be 1. Change and the accuracy "
            f"before correlate with r = {number(here.answer.row(CORRELATION, **row.of).estimate)}."
        )
        for row in here.answer.rows(SLOPE)
    ]


def largest_changes(change: Estimates, reference: str | None) -> list[EstimateRow]:
    """Return the largest Change of each domain and test among the methods that explain."""
    groups: dict[tuple[str, str], list[EstimateRow]] = {}
    for row in marginal(change.rows(PUBLISHED_CHANGE, resampled=TOGETHER)):
        if row.of["method"] != reference and row.estimate is not None:
            groups.setdefault((row.of["domain"], row.of["test"]), []).append(row)
    return [max(rows, key=lambda row: row.estimate or 0.0) for rows in groups.values()]


def _argument(here: Within[Regression]) -> Paragraph | None:
    """Return the paper's argument with these data: where the largest Changes began.

    A method that began above the mean would have fallen by regression to the mean.
    """
    change, sample = here.whole.of(CHANGE), here.whole.of(PARTICIPANTS)
    above, rows = 0, []
    for row in largest_changes(change, sample.reference):
        domain, test, method = (row.of[name] for name in ("domain", "test", "method"))
        began, overall = (
            change.row(PRE_RIGHT, domain=domain, test=test, method=name).interval.estimate
            for name in (method, ALL)
        )
        above += began >= overall
        rows.append(
            f"{method_name(method)} ({condition_name(domain, test)}) {signed(row.estimate)} from "
            f"{number(began, 1)} % ({signed(began - overall)} points from the mean)"
        )
    if not rows:
        return None
    return Paragraph(
        "The paper argues that regression to the mean doesn’t explain its largest Changes, since "
        "these methods’ accuracy before explanations was above the mean, or only 1.15 points below "
        f"it. Here it was above the mean in {above} of {len(rows)}: {'; '.join(rows)}."
    )


REGRESSION = Question(
    id="regression",
    title="Regression to the mean",
    answer=Regression,
    quantities=(SLOPE, CORRELATION, ADJUSTED),
    compute=compute,
    parts=(_argument, _slopes, METHODS),
    view=Within,
    registered=lambda _: Promise(
        "Accuracy after explanations at equal accuracy before, in the test that a participant took "
        "first.",
    ),
)
"""Whether Change is regression to the mean."""

"""Whether Change is regression to the mean: accuracy after explanations, given that before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, isnan
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd

from analysis.mixed import fit_linear
from analysis.mixed.result import FixedEffect, fit_or_reason
from analysis.mixed.simplify import rule
from analysis.questions.question import Answered, Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.model import ModelFit, model_fit
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import estimated, number, p_value, signed
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.means import PointsBrief
from analysis.studies.simulatability.published import MethodChange
from analysis.studies.simulatability.questions.change import CHANGE, Change, marginal
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import (
    COUNTERFACTUAL,
    condition_name,
    domain,
    domain_name,
    method,
)

FORMULA: Final = "post ~ pre + C(method, Treatment({base!r})) * test + (1 | participant)"
CODING: Final = (
    "One row for each person and test: post and pre are per cent right, pre less its mean; test "
    "is +½ for "
    "counterfactual and −½ for forward; the base of method is the reference."
)


@dataclass(frozen=True, slots=True)
class Slope:
    """How accuracy after explanations follows from accuracy before them."""

    estimate: Annotated[
        float | None,
        about("Points after explanations per point before; 1: no regression to the mean."),
    ]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p of no slope, two-sided.")]


@dataclass(frozen=True)
class MethodOfBase:
    """A method that is compared with the base."""

    method: Annotated[str, about("The method.")]


@dataclass(frozen=True)
class AdjustedDifference(PointsBrief, MethodOfBase):
    """A method less the base, at equal accuracy before explanations."""


@dataclass(frozen=True, slots=True)
class DomainRegression:
    """Regression to the mean in a domain."""

    domain: Annotated[str, about("Domain.")]
    people: Annotated[int, about("Rows: participants × tests.")]
    slope: Annotated[Slope | None, about("The slope of accuracy before; null if not fitted.")]
    correlation: Annotated[float | None, about("r of Change with accuracy before.")]
    base: Annotated[str, about("The method that others are compared with.")]
    methods: Annotated[tuple[AdjustedDifference, ...], about("Methods less the base.")]
    model: Annotated[ModelFit, about("The linear mixed model, on the scale of per cent.")]


@dataclass(frozen=True, slots=True)
class LargestChange:
    """The method with the largest Change in a domain or test, and where it began.

    Where it began above the mean, regression to the mean would have lowered it.
    """

    domain: Annotated[str, about("Domain; all: both.")]
    test: Annotated[str, about("Test; all: both.")]
    method: Annotated[str, about("The method.")]
    change: Annotated[float, about("Its Change by the published bootstrap, percentage points.")]
    pre: Annotated[float, about("Its accuracy before explanations, per cent.")]
    overall: Annotated[float, about("Accuracy before explanations of all methods, per cent.")]


@dataclass(frozen=True, slots=True)
class Regression:
    """Regression to the mean, by domain.

    People with low accuracy before rise by chance alone. With accuracy before held equal, what
    remains between methods isn't that.
    """

    by_domain: Annotated[tuple[DomainRegression, ...], about("By domain.")]
    largest: Annotated[
        tuple[LargestChange, ...],
        about("The paper's own argument: the largest Change of each domain and of each test."),
    ] = ()


def combine(data: SimulatabilityData, answers: Answered) -> Regression:
    """Return, by domain, how accuracy after depends on accuracy before and on the method."""
    predictions = data.predictions
    return Regression(
        tuple(domain_regression(predictions.domain(name), name) for name in predictions.domains),
        tuple(_largest(answers.of(CHANGE), predictions.reference)),
    )


def _largest(change: Change, reference: str | None) -> Iterator[LargestChange]:
    """Yield the largest Change of each domain and test among the methods that explain."""
    overall = {(row.domain, row.test): row.pre for row in change.before}
    groups: dict[tuple[str, str], list[MethodChange]] = {}
    for row in marginal(change.by_method):
        if row.method != reference and row.published_change is not None:
            groups.setdefault((row.domain, row.test), []).append(row)
    for of, rows in groups.items():
        first = max(rows, key=lambda row: _known_first(row.published_change))
        value = _known_first(first.published_change)
        yield LargestChange(*of, first.method, value, first.pre_raw, overall[of])


def _known_first(value: float | None) -> float:
    """Return a value to compare by: one that isn't known is below all others."""
    return -inf if value is None or isnan(value) else value


def domain_regression(own: Predictions, name: str) -> DomainRegression:
    """Return the regression of a domain's pairs, a row for each participant and test."""
    people = own.pairs.groupby(["participant", "method", "test"], as_index=False)[["pre", "post"]]
    frame = people.mean()
    frame[["pre", "post"]] *= 100
    change, before = frame["post"] - frame["pre"], frame["pre"]
    frame = frame.assign(
        pre=before - before.mean(), test=np.where(frame["test"] == COUNTERFACTUAL, 0.5, -0.5)
    )
    outcome = fit_or_reason(fit_linear, _formula(own), frame)
    fixed = {row.term: row for row in outcome.sound.fixed} if outcome.sound else {}
    head = {"coding": CODING, "rule": rule("gaussian")}
    return DomainRegression(
        domain=name,
        people=len(frame),
        slope=Slope(*_limits(fixed["pre"])) if "pre" in fixed else None,
        correlation=_correlation(before, change),
        base=own.methods[0],
        methods=tuple(_differences(fixed, own.methods[1:])),
        model=model_fit(ModelFit, outcome, head),
    )


def _correlation(before: pd.Series, change: pd.Series) -> float | None:
    known = len(before) > 2 and change.std() > 0 and before.std() > 0
    return float(np.corrcoef(before, change)[0, 1]) if known else None


def _differences(
    fixed: Mapping[str, FixedEffect], methods: Sequence[str]
) -> Iterator[AdjustedDifference]:
    for name in methods:
        for term, row in fixed.items():
            if term.endswith(f"[{name}]") and ":" not in term:
                yield AdjustedDifference(name, *_limits(row))


def _formula(own: Predictions) -> str:
    formula = FORMULA.format(base=own.methods[0])
    if len(own.methods) < 2:
        formula = "post ~ pre + test + (1 | participant)"
    if len(own.tests) < 2:
        # With one row per person, nothing within people can be told from the residual.
        formula = formula.replace(" * test", "").replace(" + test", "")
        formula = formula.replace(" + (1 | participant)", "")
    return formula


def _limits(row: FixedEffect) -> tuple[float, float, float, float]:
    return row.estimate, row.ci_low, row.ci_high, row.p


def _rows(found: Regression) -> list[dict[str, Any]]:
    return [
        {"domain": own.domain, "base": own.base, **asdict(row)}
        for own in found.by_domain
        for row in own.methods
    ]


METHODS = ReportTable(
    "regression",
    _rows,
    "Accuracy after explanations, at equal accuracy before.",
    (
        Column("Domain", domain, once=True),
        Column("Method", method),
        Column("Difference", "estimate", signed, "points"),
        limits(signed),
        Column("p", "p", p_value),
    ),
    "Each method minus the first one, which is the arm without explanations if there is one. Each "
    "participant and test is one row of the regression.",
    strong=changes("domain"),
    row_headers=2,
)


def _slopes(found: Regression) -> list[Paragraph]:
    return [
        Paragraph(
            f"{domain_name(row.domain).capitalize()}: a participant whose accuracy before "
            f"explanations is one point higher has an accuracy after them that is "
            f"{_slope(row.slope)} "
            "higher. Without regression to the mean this would be 1. Change and the accuracy "
            f"before correlate with r = {number(row.correlation)}."
        )
        for row in found.by_domain
        if row.slope is not None
    ]


def _slope(row: Slope) -> str:
    return estimated(number, row.estimate, row.ci_low, row.ci_high, " points")


def _argument(found: Regression) -> Paragraph | None:
    """Return the paper's argument with these data."""
    if not found.largest:
        return None
    rows = [
        f"{method(row)} ({condition_name(row.domain, row.test)}) {signed(row.change)} from "
        f"{number(row.pre, 1)} % ({signed(row.pre - row.overall)} points from the mean)"
        for row in found.largest
    ]
    above = sum(row.pre >= row.overall for row in found.largest)
    return Paragraph(
        "The paper argues that regression to the mean doesn’t explain its largest Changes, since "
        "the methods in question began above the mean or 1.15 points below it. Here the largest "
        f"Changes began above the mean in {above} of {len(rows)}: {'; '.join(rows)}."
    )


REGRESSION = Question(
    id="regression",
    title="Regression to the mean",
    answer=Regression,
    combine=combine,
    parts=(_argument, _slopes, METHODS),
    registered=lambda _: Promise(
        "secondary",
        "Accuracy after explanations at equal accuracy before, with one row for each "
        "participant and test.",
    ),
)
"""Whether Change is regression to the mean."""

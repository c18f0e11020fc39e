"""The planned comparisons of levels, by means over people and items, and by the mixed model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Annotated, Any, Final

from analysis.data.json_values import plain
from analysis.mixed.result import Outcome
from analysis.mixed.simplify import rule
from analysis.questions.estimates import EstimateRow, Estimates, again, family
from analysis.questions.question import Promise, Question, Unavailable, Whole, Within
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL
from analysis.report.declared import ReportTable
from analysis.report.model import CorrelationRow, ModelFit, model_fit, model_parts
from analysis.report.parts import Column, Fold, Part
from analysis.report.wording import estimated, p_equals, p_value
from analysis.table_study.comparing import (
    BY,
    cells_of,
    difference,
    fitted,
    formula_of,
    in_units,
    mean_rows,
    model_difference,
)
from analysis.table_study.data import ItemData
from analysis.table_study.measures import KINDS, Kind, Value, value_of_test
from stimuli.table_study.protocol import PlannedTest, TableStudy

TEST: Final = "test"
"""Key of the test's number in a row's levels."""
DATA: Final = "data"
"""Key of the data that a difference by means is of: those of the analysis, or of everybody."""
ANALYSED, EVERYBODY = "analysed", "everybody"


@dataclass(frozen=True, slots=True)
class FittedTest(ModelFit):
    """The mixed model of a test, or why it wasn't fitted."""

    correlations: Annotated[
        tuple[CorrelationRow, ...], about("Correlations of random effects.")
    ] = ()


@dataclass(frozen=True, slots=True)
class Tested(Estimates):
    """Planned comparisons."""

    models: Annotated[dict[str, FittedTest], about("The mixed model of each test, by its number.")]


def _numbered(protocol: TableStudy) -> Iterator[tuple[str, PlannedTest, Value]]:
    for number, test in enumerate(protocol.tests, start=1):
        yield str(number), test, value_of_test(protocol, test)


def compute(data: ItemData) -> Tested | Unavailable:
    """Return each test's means and difference, corrected over all tests, and its model."""
    protocol = data.protocol
    if not protocol.tests:
        return Unavailable("planned comparisons", "study.toml has no [[tests]]")
    rows, models = [], {}
    for number, test, value in _numbered(protocol):
        frame = data.answered
        # With all levels, as in the other tables, so that a mean has the same limits in all.
        by = {test.factor: data.factors[test.factor]} if test.factor else {}
        means = mean_rows(cells_of(value, frame, by, data.plan), value, **{TEST: number})
        rows += [row for row in means if row.of.get(test.factor, "") in (*test.levels, "")]
        outcome = fitted(value, test, frame, protocol)
        models[number] = _model(outcome, value, test)
        by_model = model_difference(outcome, value, test, frame, protocol)
        rows += () if by_model is None else again([by_model], **{TEST: number})
    rows += again(_differences(data, data.answered), **{DATA: ANALYSED})
    if len(data.everybody) > len(data.answered):
        rows += again(_differences(data, data.everybody), **{DATA: EVERYBODY})
    return Tested(tuple(rows), models)


def _differences(data: ItemData, frame: Any) -> list[EstimateRow]:
    """Return the tests' differences by means, corrected by Holm over all of them."""
    numbered = list(_numbered(data.protocol))
    contrasts = [
        difference(value, test, frame, data.protocol, data.plan) for _, test, value in numbered
    ]
    named = [
        replace(contrast, of={TEST: number} | dict(contrast.of))
        for contrast, (number, *_) in zip(contrasts, numbered, strict=True)
    ]
    return [in_units(row, value) for row, (*_, value) in zip(family(named), numbered, strict=True)]


def _model(outcome: Outcome, value: Value, test: PlannedTest) -> FittedTest:
    coding = "value is what is measured."
    if test.factor:
        coding += f" The base level of {test.factor} is {test.levels[1]}, in brackets."
    head = {"coding": coding, "rule": rule(_scale_of(value))}
    return model_fit(FittedTest, outcome, head, more="correlations")


def _scale_of(value: Value) -> str:
    """Return the family whose scale random effects are on; ordinal ones are log odds, too."""
    return "gaussian" if value.kind.is_time else "binomial"


View = Within[Tested]


def _rows(view: View) -> list[Mapping[str, Any]]:
    protocol, answer = view.whole.protocol, view.answer
    assert isinstance(protocol, TableStudy)
    return [_row(answer, *numbered) for numbered in _numbered(protocol)]


def _row(answer: Tested, number: str, test: PlannedTest, value: Value) -> Mapping[str, Any]:
    kind = value.kind
    by_means = answer.row(kind.difference, **{TEST: number, BY: MEANS, DATA: ANALYSED})
    whose = [{test.factor: level} for level in test.levels] or [{}]
    means = [answer.row(kind.mean, **{TEST: number}, **of).estimate for of in whose]
    if not test.factor:
        mean, over = means[0], by_means.estimate
        means.append(None if mean is None or over is None else mean - over)
    model = answer.row(kind.difference, **{TEST: number, BY: MODEL})
    return {
        "test": f"H{number}",
        "what": _words(test, value),
        "first": kind.mean.write(means[0]),
        "second": kind.mean.write(means[1]),
        "difference": _estimated(
            kind, by_means.estimate, by_means.adjusted_low, by_means.adjusted_high
        ),
        "p": by_means.p_adjusted,
        "model": _estimated(kind, model.estimate, model.ci_low, model.ci_high),
        "model_p": model.p,
        "expected": test.expect,
        "holds": _holds(by_means, test, value),
    }  # fmt: skip


def _estimated(kind: Kind, value: float | None, low: float | None, high: float | None) -> str:
    """Return an estimate with its limits and its unit."""
    known = value is not None and isfinite(value)
    unit = kind.difference.unit if known else ""
    return estimated(kind.difference.write, value, low, high, f" {unit}" if unit else "")


def _words(test: PlannedTest, value: Value) -> str:
    if not test.factor:
        return f"{value.words}, less chance"
    sign = "over" if value.kind.is_time else "less"
    return f"{value.words}, {test.factor} {test.levels[0]} {sign} {test.levels[1]}"


def _holds(row: EstimateRow, test: PlannedTest, value: Value) -> str:
    low, high = row.adjusted_low, row.adjusted_high
    if low is None or high is None:
        return "not known"
    return "yes" if _criterion("", test, value).holds(low, high) else "not shown"


TABLE: Final = ReportTable(
    "",
    _rows,
    "Planned comparisons.",
    (
        Column("", "test"),
        Column("What", "what"),
        Column("First level", "first"),
        Column("Second level", "second"),
        Column("Difference", "difference", note="Interval and p of the difference are corrected "
               "by Holm’s method over all tests."),
        Column("p", "p", p_value),
        Column("By the mixed model", "model", note="The model’s difference, averaged over people "
               "and items; its interval isn’t corrected."),
        Column("p", "model_p", p_value),
        Column("Expected", "expected"),
        Column("Shown", "holds"),
    ),
    note="Differences by means weigh each combination of the other factors’ levels alike. The "
    "columns of the levels have means over all answers.",
    row_headers=2,
)  # fmt: skip


def _models(view: View) -> list[Part]:
    parts: list[Part] = []
    for number, model in view.answer.models.items():
        parts.append(Fold(f"The mixed model of H{number}"))
        parts += model_parts(plain(model), (model.coding, model.rule))
        parts.append(Fold(""))
    return parts


def _headline(answer: Tested, whole: Whole) -> list[str]:
    protocol = whole.protocol
    assert isinstance(protocol, TableStudy)
    return [_sentence(_row(answer, *numbered)) for numbered in _numbered(protocol)]


def _sentence(row: Mapping[str, Any]) -> str:
    if row["holds"] == "not known":
        return f"{row['test']} ({row['what']}): no difference can be given."
    conclusions = {"yes": "as expected", "not shown": "what was expected isn’t shown"}
    if row["expected"] == "differ":
        conclusions = {"yes": "they differ", "not shown": "no difference is shown"}
    verdict = conclusions[row["holds"]]
    return (
        f"{row['test']} ({row['what']}): {row['first']} and {row['second']}, difference "
        f"{row['difference']}, {p_equals(row['p'])}; {verdict}."
    )


def _methods(answer: Tested, whole: Whole) -> list[str]:
    protocol = whole.protocol
    assert isinstance(protocol, TableStudy)
    promise = _promise(protocol)
    return [] if promise is None else [promise.text, f"The models are {promise.formula}."]


def _criterion(number: str, test: PlannedTest, value: Value) -> Criterion:
    shows = {"more": "above", "less": "below", "differ": "apart"}[test.expect]
    of = {TEST: number, BY: MEANS, DATA: ANALYSED}
    return Criterion(_words(test, value), value.kind.difference, of, shows, value.kind.none)


def _promise(protocol: TableStudy) -> Promise | None:
    if not protocol.tests:
        return None
    numbered = list(_numbered(protocol))
    formulas = "; ".join(
        dict.fromkeys(formula_of(protocol, test.factor) for _, test, _ in numbered)
    )
    families = ", ".join(dict.fromkeys(value.kind.family for *_, value in numbered))
    return Promise(
        "Each difference is given by means over participants and items, with limits and p "
        f"corrected by Holm’s method over all tests. The mixed model ({families}), averaged over "
        "people and items, is reported beside it.",
        formulas,
        tuple(_hypothesis(*entry, len(numbered)) for entry in numbered),
    )


def _hypothesis(number: str, test: PlannedTest, value: Value, tests: int) -> Hypothesis:
    kind = value.kind
    says = {"more": kind.more, "less": kind.less, "differ": kind.differs}[test.expect]
    first, second = (
        (f"with {test.factor} {level}" for level in test.levels)
        if test.factor
        else ("", "by chance")
    )
    sentence = f"{value.words} {says.format(first=first, second=second)}."
    return Hypothesis(
        f"H{number}",
        " ".join(f"{sentence[0].upper()}{sentence[1:]}".split()),
        (_criterion(number, test, value),),
        family=f"the {tests} tests" if tests > 1 else "",
    )


QUANTITIES: Final = tuple(
    quantity for kind in KINDS.values() for quantity in (kind.mean, kind.difference)
)
PARTS: Final[tuple[ReportTable | Callable[[View], Sequence[Part]], ...]] = (TABLE, _models)
TESTS = Question(
    id="tests",
    title="Planned comparisons",
    answer=Tested,
    quantities=QUANTITIES,
    compute=compute,
    step="fitting the models",
    view=Within,
    parts=PARTS,
    headline=_headline,
    methods=_methods,
    registered=_promise,
)
"""The planned comparisons."""

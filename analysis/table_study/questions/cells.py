"""What is measured, by the levels of the factors."""

from dataclasses import dataclass
from typing import Annotated, Any

from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.pivot import limits_of, n_of, pivot, value_of
from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportTable
from analysis.report.parts import Column
from analysis.table_study.comparing import cells_of, mean_rows
from analysis.table_study.data import ItemData
from analysis.table_study.measures import KINDS, values_of

MEASURE = "measure"
"""Key of what is measured in a row's levels."""


@dataclass(frozen=True, slots=True)
class Means(Estimates):
    """Means by cell."""

    factors: Annotated[tuple[str, ...], about("The factors.")]
    words: Annotated[dict[str, str], about("What is measured, in words.")]


def compute(data: ItemData) -> Means:
    """Return the mean of everything that is measured, by cell."""
    rows: list[EstimateRow] = []
    words = {}
    for value in values_of(data.protocol):
        own = value.rows(data.answered)
        if own.empty:
            continue
        cells = cells_of(value, data.answered, data.factors, data.plan)
        rows += mean_rows(cells, value, **{MEASURE: value.id})
        words[value.id] = value.words
    return Means(tuple(rows), tuple(data.factors), words)


def tables(answer: Means) -> list[Any]:
    """Return a table for each measure."""
    return [part for name in answer.levels(MEASURE) for part in _table(answer, name).parts(answer)]


def _table(answer: Means, name: str) -> ReportTable:
    rows = answer.rows(**{MEASURE: name})
    quantity = next(kind.mean for kind in KINDS.values() if kind.mean.id == rows[0].quantity)
    factors = tuple(Column(factor, factor) for factor in answer.factors)
    return pivot(
        f"{quantity.heading}: {answer.words[name]}.",
        (
            *(factors or (Column("", lambda _: "all"),)),
            value_of(quantity),
            limits_of(quantity),
            n_of(quantity, "n", "answers"),
        ),
        by=answer.factors,
        of=lambda _: rows,
        row_headers=max(1, len(factors)),
    )


CELLS = Question(
    id="cells",
    title="Means by condition",
    answer=Means,
    quantities=tuple(kind.mean for kind in KINDS.values()),
    compute=compute,
    parts=(tables,),
)
"""What is measured, by the levels of the factors."""

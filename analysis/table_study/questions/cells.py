"""What is measured, by the levels of the factors."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.questions.estimates import EstimateRow, Estimates, Quantity
from analysis.questions.pivot import limits_of, n_of, pivot, value_of
from analysis.questions.question import Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column
from analysis.report.style import BLUE, draw_estimate, figure_style, panel_grid
from analysis.report.wording import percent
from analysis.table_study.comparing import cells_of, mean_rows
from analysis.table_study.data import ItemData
from analysis.table_study.measures import KINDS, values_of

MEASURE = "measure"
"""Key of what is measured in a row's levels."""
ABREAST: Final = 2
"""Most panels of the figure side by side: labels need the rest of the width."""


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
        measured = value.rows(data.answered)
        if measured.empty:
            continue
        cells = cells_of(value, data.answered, data.factors, data.plan)
        rows += mean_rows(cells, value, **{MEASURE: value.id})
        words[value.id] = value.words
    return Means(tuple(rows), tuple(data.factors), words)


def tables(answer: Means) -> list[Any]:
    """Return a table for each measure."""
    return [part for name in answer.levels(MEASURE) for part in _table(answer, name).parts(answer)]


def _quantity(row: EstimateRow) -> Quantity:
    return next(kind.mean for kind in KINDS.values() if kind.mean.id == row.quantity)


def _table(answer: Means, name: str) -> ReportTable:
    rows = answer.rows(**{MEASURE: name})
    quantity = _quantity(rows[0])
    factors = tuple(Column(factor, factor) for factor in answer.factors)
    return pivot(
        # A named answer or question is in the words alone.
        quantity.about if name in KINDS else f"{quantity.heading}: {answer.words[name]}.",
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


def draw(answer: Means) -> Figure:
    """Return the mean of each combination of levels, a panel for each measure."""
    measures = answer.levels(MEASURE)
    cells = [_cell(answer, row) for row in answer.rows(**{MEASURE: measures[0]})][::-1]
    with figure_style():
        figure, panels = panel_grid(
            len(measures), ABREAST, head_in=0.2, panel_in=0.7 + 0.2 * len(cells), sharey=True
        )
        for axes, name in zip(panels, measures, strict=True):
            rows = answer.rows(**{MEASURE: name})
            quantity = _quantity(rows[0])
            for row in rows:
                if _cell(answer, row) in cells:
                    draw_estimate(axes, row, cells.index(_cell(answer, row)), BLUE, "o")
            title = answer.words[name]
            axes.set_title(f"{title[0].upper()}{title[1:]}", fontsize=8, wrap=True)
            axes.set_yticks(range(len(cells)), cells)
            axes.set_ylim(-0.6, len(cells) - 0.4)
            axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            if quantity.write is percent:
                axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: percent(value)))
            axes.set_xlabel(quantity.unit)
    return figure


def _cell(answer: Means, row: EstimateRow) -> str:
    return ", ".join(row.of[factor] for factor in answer.factors) or "all"


FIGURE: Final = ReportFigure(
    "means",
    "Means over people and items by condition, with 95 % intervals.",
    "A point with its interval for each condition, a panel for each measure",
    draw,
    lambda answer: answer.factors and answer.estimates,
)


NO_TESTS: Final = "study.toml has no [[tests]], so nothing was tested."
CELLS = Question(
    id="cells",
    title="Means by condition",
    answer=Means,
    quantities=tuple(kind.mean for kind in KINDS.values()),
    compute=compute,
    parts=(FIGURE, tables),
    headline=lambda _, whole: [] if getattr(whole.protocol, "tests", ()) else [NO_TESTS],
)
"""What is measured, by the levels of the factors."""

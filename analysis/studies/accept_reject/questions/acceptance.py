"""What leads accept, for every decision time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import limits_of, n_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable, Source, taken
from analysis.report.few_people import these_people
from analysis.report.parts import Paragraph
from analysis.report.results import called
from analysis.report.style import (
    SOFT,
    WIDTH_IN,
    decision_time_axis,
    figure_style,
    mark_time,
    points_axis,
    subplots,
)
from analysis.report.wording import grouped
from analysis.statistics.bootstrap import Units
from analysis.statistics.curves import Cells, Curve, curves_and_differences, decision_times
from analysis.studies.accept_reject.against_experts import in_general
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.quantities import ACCEPTED
from analysis.studies.accept_reject.questions.comparison import COMPARISON, comparison_words
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS, time_granted
from analysis.studies.accept_reject.rates import acceptance_rows, cells_of
from analysis.studies.accept_reject.trials import CELLS
from analysis.studies.accept_reject.words import (
    BARE,
    RUN,
    SOLVER,
    SOLVER_COLOUR,
    solver_title,
)

CURVE_REPLICATES = 1000
_TICKS_S = (0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120)


@dataclass(frozen=True, slots=True)
class Steps:
    """A step function of the decision time with pointwise limits and a simultaneous band."""

    n: Annotated[int, about("Trials, including those without an answer.")]
    time_s: Annotated[list[float], about("Decision times of the values, seconds.")]
    rate: Annotated[list[float | None], about("Share accepted by then, or the difference.")]
    ci_low: Annotated[list[float | None], about("Its lower 95 % limits, pointwise.")]
    ci_high: Annotated[list[float | None], about("Its upper 95 % limits, pointwise.")]
    band_low: Annotated[list[float | None], about("Lower limits of the 95 % band.")]
    band_high: Annotated[list[float | None], about("Upper limits of the 95 % band.")]


@dataclass(frozen=True, slots=True)
class AcceptanceCurve(Steps):
    """Acceptance of a solver's solutions over decision time."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    explained: Annotated[bool, about("Whether explanations were shown.")]


@dataclass(frozen=True, slots=True)
class DifferenceCurve(Steps):
    """Acceptance with explanation less acceptance without, over decision time."""

    solver: Annotated[str, about("Whose solutions: S or E.")]


@dataclass(frozen=True, slots=True)
class Acceptance(Estimates):
    """Acceptance of S's and E's solutions, within the decision time and over it."""

    curves: Annotated[tuple[AcceptanceCurve, ...], about("For every decision time.")]
    curve_differences: Annotated[
        tuple[DifferenceCurve, ...], about("What an explanation adds, for every decision time.")
    ]


def compute(data: LeadData) -> Acceptance:
    """Return acceptance within the decision time, and over it."""
    return Acceptance(acceptance_rows(data.rates), *_curves(data))


def _curves(
    data: LeadData,
) -> tuple[tuple[AcceptanceCurve, ...], tuple[DifferenceCurve, ...]]:
    """Return acceptance over decision time, and what an explanation adds to it."""
    judged = data.judged
    cell = cells_of(judged)
    inside = (cell >= 0) & (cell < len(CELLS))
    frame = judged.frame[inside]
    if frame.empty:
        return (), ()
    accept_s = frame["accept_s"].to_numpy()
    times = decision_times(accept_s, judged.limit_s, (judged.cutoff_s,))
    units = Units.of(frame["participant"], frame["item"])
    pairs = ((1, 0), (3, 2))  # with and without, of S and of E
    plan = data.plan.at_most(CURVE_REPLICATES)
    curves, differences = curves_and_differences(
        accept_s, Cells(cell[inside], len(CELLS), pairs), times, units, plan
    )
    return (
        tuple(
            AcceptanceCurve(solver=solver, explained=explained, **_steps(curve))
            for (solver, explained), curve in zip(CELLS, curves, strict=True)
            if curve.n
        ),
        tuple(
            DifferenceCurve(solver=solver, **_steps(curve))
            for solver, curve in zip("SE", differences, strict=True)
            if curve is not None
        ),
    )


def _steps(curve: Curve) -> dict[str, Any]:
    return {field.name: getattr(curve, field.name) for field in fields(curve)}


def draw(here: Within[Acceptance]) -> Figure:
    """Draw acceptance over decision time, and what an explanation adds; a column for each solver.

    The band is that of the difference alone: bands of the two curves overlap long after their
    difference is clear, and hide it.
    """
    answer, sample = here.answer, here.whole.of(PARTICIPANTS)
    solvers = [s for s in ("S", "E") if any(c.solver == s for c in answer.curves)]
    with figure_style():
        figure, panels = subplots(
            2,
            max(len(solvers), 1),
            figsize=(WIDTH_IN, 4.4),
            sharex=True,
            sharey="row",
            squeeze=False,
            layout="constrained",
            height_ratios=(1.25, 1),
        )
        for (above, below), solver in zip(panels.T, solvers, strict=False):
            above.set_title(solver_title(solver, sample))
            for curve in answer.curves:
                if curve.solver == solver:
                    _draw_curve(above, curve)
            for difference in answer.curve_differences:
                if difference.solver == solver:
                    _draw_difference(below, difference)
            mark_time(above, sample.cutoff_s)
            mark_time(below, sample.cutoff_s, label=False)
            below.axhline(0, color=SOFT, linewidth=0.7, zorder=0)
            _time_axis(below, answer.curves, sample.limit_s)
            above.set_ylim(0, 1)
            # Upper left: shares accepted by an early time are low, so nothing lies there.
            above.legend(
                reverse=True, loc="upper left", fontsize=7.2, handlelength=2.2, borderaxespad=0.2
            )
            above.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
            points_axis(below.yaxis)
        panels[0, 0].set_ylabel("accepted by then")
        panels[1, 0].set_ylabel("with minus without (points)")
        panels[1, 0].set_ylim(*_difference_limits(answer.curve_differences))
    return figure


def _draw_curve(axes: Axes, curve: AcceptanceCurve) -> None:
    axes.step(
        curve.time_s,
        np.array(curve.rate, dtype=float),
        where="post",
        color=SOLVER_COLOUR[curve.solver],
        linestyle="-" if curve.explained else (0, (4, 1.6)),
        label=f"{'with' if curve.explained else 'without'}, n = {grouped(curve.n)}",
    )


def _draw_difference(axes: Axes, curve: DifferenceCurve) -> None:
    colour = SOLVER_COLOUR[curve.solver]
    rate, low, high = (
        np.array(values, dtype=float) for values in (curve.rate, curve.band_low, curve.band_high)
    )
    axes.fill_between(curve.time_s, low, high, step="post", color=colour, linewidth=0, alpha=0.22)
    axes.step(curve.time_s, rate, where="post", color=colour)


def _difference_limits(curves: Sequence[DifferenceCurve]) -> tuple[float, float]:
    """Return the range of the bands, zero and a little room included."""
    bands = (band for curve in curves for band in (curve.band_low, curve.band_high))
    values = np.array([0.0, *(value for band in bands for value in band)], dtype=float)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = 0.06 * max(high - low, 0.2)
    return max(low - room, -1.0), min(high + room, 1.0)


def _time_axis(axes: Axes, curves: Sequence[Steps], limit_s: float) -> None:
    first = min((t for c in curves for t in c.time_s if t > 0), default=0.5)
    low = min(0.5, max(0.2, first))
    decision_time_axis(axes, low, limit_s, _TICKS_S)


def _caption(here: Within[Acceptance]) -> str:
    data, who = here.whole.frame.data, ""
    if in_general(here.whole.of(COMPARISON)) is not None:  # it is about these leads
        who = f" for {these_people(data.participants, called(data, 'lead'))}"
    return (
        "Above: share of solutions accepted within a decision time, for every decision time. "
        "Solid: with explanation; dashed: without. Below: the difference, with explanation "
        f"minus without; its band holds the whole difference{who} with 95 % confidence "
        "(simultaneous). The dotted line is the primary decision time. Rejections and "
        "unanswered trials never count as accepted."
    )


CURVES_FIGURE = ReportFigure(
    "acceptance",
    _caption,
    "Step curves of acceptance over decision time by solver and explanation, and their "
    "difference with its band",
    draw,
    "answer.curves",
)
TRIALS = n_of(ACCEPTED, "n", "trials")
RATES = pivot(
    lambda here: f"Acceptance {time_granted(here)}.",
    (SOLVER, RUN, value_of(ACCEPTED), limits_of(ACCEPTED, write=BARE), TRIALS),
    by=("solver", "explanation"),
    of=lambda here: here.answer.rows(ACCEPTED),
    strong=lambda _: (2,),
    row_headers=2,
)


def _curve_rows(source: str, *names: str) -> Source:
    """Return a function that makes rows of curves, one per time; `names` say which curve it is."""
    columns = ("time_s", "rate", "ci_low", "ci_high", "band_low", "band_high")

    def rows(here: Within[Acceptance]) -> list[dict[str, Any]]:
        curves: Iterable[Steps] = taken(here, source)
        return [
            {
                **{name: getattr(curve, name) for name in names},
                **dict(zip(columns, values, strict=True)),
                "n": curve.n,
            }
            for curve in curves
            for values in zip(*(getattr(curve, name) for name in columns), strict=True)
        ]

    return rows


CURVES = ReportTable("acceptance_curves", _curve_rows("answer.curves", "solver", "explained"))
DIFFERENCES = ReportTable(
    "acceptance_differences", _curve_rows("answer.curve_differences", "solver")
)


def _compared(here: Within[Acceptance]) -> Paragraph:
    noun = called(here.whole.frame.data, "lead")
    return Paragraph(comparison_words(here.whole.of(COMPARISON), noun))


def _methods(_: Acceptance, whole: Whole) -> list[str]:
    sample = whole.of(PARTICIPANTS)
    if sample.cutoff_mode == "internal":
        return [
            f"An acceptance counted when it came within {sample.cutoff_s:g} s of the plate’s "
            "onset; no clock was shown."
        ]
    return [
        f"The plate left the screen after {sample.cutoff_s:g} s; an acceptance counted at any time."
    ]


def _lacking(_: LeadData, answer: Acceptance | None) -> list[Lacking]:
    assert answer is not None
    return [
        Lacking(
            f"acceptance of {row.of['solver']} {row.of['explanation']} explanation, "
            "and results that depend on it",
            "there are no such trials",
        )
        for row in answer.rows(ACCEPTED)
        if row.n == 0
    ]


ACCEPTANCE = Question(
    id="acceptance",
    title="Acceptance over decision time",
    answer=Acceptance,
    quantities=(ACCEPTED,),
    compute=compute,
    step="measuring rates over leads and plates",
    parts=(CURVES_FIGURE, RATES, _compared, CURVES, DIFFERENCES),
    view=Within,
    methods=_methods,
    lacking=_lacking,
    registered=lambda _: Promise("The same rates for every decision time up to the limit."),
)
"""What leads accept."""

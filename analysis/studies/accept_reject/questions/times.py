"""When leads decided, and on what that depends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import Wide, level_of, n_of, pivot, value_of, wide
from analysis.questions.question import Lacking, Promise, Question, Within
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportModel, changes
from analysis.report.missing import unsound_model
from analysis.report.parts import Column, Paragraph
from analysis.report.style import (
    INK,
    SOFT,
    WIDTH_IN,
    decision_time_axis,
    figure_style,
    mark_time,
    subplots,
)
from analysis.report.wording import are, count, interval
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.response_times import (
    LOWER,
    MEDIAN,
    QUANTILE,
    QUANTILES,
    TIME_FORMULA,
    UPPER,
    TimeFit,
    TimeHistogram,
    TimePanel,
    answer_times,
    fit_times,
    solved_trials,
    time_histogram,
    time_quantiles,
)
from analysis.studies.accept_reject.words import RUN, SOLVER, SOLVER_COLOUR, solver_title

CELL: Final = ("solver", "explanation", "decision")
HEADROOM: Final = 1.25
"""Height of a panel over its tallest bar, so that no bar crosses the cutoff's label."""
_TICKS_S: Final = (0.5, 1, 2, 3, 5, 10, 20, 30, 60)
_FEW_TICKS_S: Final = (0.5, 1, 3, 10, 30, 100)


@dataclass(frozen=True, slots=True)
class Times(Estimates):
    """Decision times: of all trials, and modelled for S's and E's solutions."""

    histogram: Annotated[TimeHistogram | None, about("Their distribution; null without a time.")]
    trials: Annotated[int, about("Solutions of S and E.")]
    unanswered: Annotated[int, about("Of these, trials without an answer.")]
    without_time: Annotated[int, about("Answers without a positive time, which are left out.")]
    limit_s: Annotated[float, about("The longest decision time, seconds.")]
    cutoff_mode: Annotated[
        str, about("internal: later acceptances don't count; visible: the plate left then.")
    ]
    model: Annotated[TimeFit, about("The model of the logarithm of times, or why there is none.")]


Here = Within[Times]


def compute(data: LeadData) -> Times:
    """Return when leads decided."""
    judged = data.judged
    solved, timed = solved_trials(judged)
    silent = solved["decision"] == "none"
    return Times(
        (*answer_times(judged.frame), *time_quantiles(judged)),
        histogram=time_histogram(judged.frame, judged.limit_s),
        trials=len(solved),
        unanswered=int(silent.sum()),
        without_time=int((~timed & ~silent).sum()),
        limit_s=judged.limit_s,
        cutoff_mode=judged.mode,
        model=fit_times(data.modelled),
    )


def _remark(here: Here) -> Paragraph:
    answer = here.answer
    solved, silent = count(answer.trials, "solution"), count(answer.unanswered, "trial")
    text = (
        f"Of {solved} of S and E, {silent} ended without an answer at {answer.limit_s:g} s. "
        "Trials without an answer count as not accepted everywhere, but have no time, so "
        "distributions and the model below are only of answers."
        if answer.unanswered
        else f"All {solved} of S and E were answered within {answer.limit_s:g} s."
    )
    if answer.without_time:
        some = count(answer.without_time, "answer")
        text += f" {some} without a positive time {are(answer.without_time)} left out."
    if answer.cutoff_mode == "visible":
        text += (
            " The plate left the screen at the cutoff, and acceptances counted whenever they were "
            "given: times are reported, and no threshold was put on them."
        )
    return Paragraph(text)


def draw_histograms(here: Here) -> Figure:
    """Draw distributions of decision times: accepted and rejected, by solver and explanation."""
    histogram, sample = here.answer.histogram, here.whole.of(PARTICIPANTS)
    assert histogram is not None
    edges = histogram.edges_s
    panel_of = {(row.solver, row.explained): row for row in histogram.panels}
    solvers = [name for name in SOLVER_COLOUR if any(key[0] == name for key in panel_of)]
    with figure_style():
        figure, panels = subplots(
            2,
            len(solvers),
            figsize=(WIDTH_IN, 3.4),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        for column, solver in enumerate(solvers):
            for line, explained in enumerate((False, True)):
                axes = panels[line, column]
                if (solver, explained) in panel_of:
                    _draw_panel(axes, panel_of[solver, explained], edges)
                mark_time(axes, sample.cutoff_s, label=line == 0)
                axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
                if line == 0:
                    axes.set_title(solver_title(solver, sample))
                if column == 0:
                    axes.set_ylabel(f"trials {'with' if explained else 'without'}\nexplanations")
            decision_time_axis(panels[1, column], edges[0], edges[-1], _FEW_TICKS_S)
        tallest = max(axes.dataLim.y1 for axes in panels.flat)
        panels[0, 0].set_ylim(0, HEADROOM * max(1, tallest))
        keys = [Patch(facecolor=SOFT), Patch(facecolor="none", edgecolor=INK)]
        names = ["accepted", "rejected"]
        figure.legend(keys, names, loc="outside lower center", ncols=2, fontsize=7.5)
    return figure


def _draw_panel(axes: Axes, panel: TimePanel, edges: Sequence[float]) -> None:
    axes.stairs(panel.accepted, edges, fill=True, color=SOLVER_COLOUR[panel.solver])
    axes.stairs(panel.rejected, edges, color=INK, linewidth=0.9)


def draw_quantiles(here: Here) -> Figure:
    """Draw quantiles of decision times averaged over leads, a panel for each solver."""
    rows, sample = _averaged(here), here.whole.of(PARTICIPANTS)
    with figure_style():
        figure, panels = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), sharey=True, sharex=True, layout="constrained"
        )
        for axes, solver in zip(panels, ("S", "E"), strict=True):
            for row in rows:
                if row["solver"] == solver:
                    _draw_line(axes, row)
            mark_time(axes, sample.cutoff_s)
            axes.set_title(solver_title(solver, sample))
            axes.set_xlabel("decision time (s)")
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        _log_axis(panels[0], [time_s for row in rows for time_s in _times_s(row)])
        panels[0].set_ylabel("answers of this kind by then")
        figure.legend(
            handles=_keys(), loc="outside lower center", ncols=4, fontsize=7.5, handlelength=2.8
        )
    return figure


def _averaged(here: Here) -> list[Wide]:
    """Return a row for each solver, run and decision, with its quantiles."""
    return wide(here.answer.rows(QUANTILE), CELL, over="quantile")


def _times_s(row: Wide) -> list[float]:
    return [row[f"{QUANTILE.id}/{share:g}"] for share in QUANTILES]


_LINES: Final[Mapping[str, Any]] = {"with": "-", "without": (0, (4, 1.6))}
_MARKS: Final = {"with": "o", "without": "D"}
"""By explanation."""


def _draw_line(axes: Axes, row: Wide) -> None:
    accepted = row["decision"] == "accept"
    colour = SOLVER_COLOUR[row["solver"]] if accepted else INK
    axes.plot(
        _times_s(row),
        list(QUANTILES),
        linestyle=_LINES[row["explanation"]],
        linewidth=1.2,
        marker=_MARKS[row["explanation"]],
        markersize=4.2,
        color=colour,
        markerfacecolor=colour if accepted else "white",
    )


def _keys() -> list[Line2D]:
    return [
        Line2D(
            [],
            [],
            color=SOFT,
            linestyle=_LINES[explanation],
            linewidth=1.2,
            marker=_MARKS[explanation],
            markersize=4.2,
            markerfacecolor=SOFT if decision == "accepted" else "white",
            label=f"{decision}, {explanation}",
        )
        for decision in ("accepted", "rejected")
        for explanation in _LINES
    ]


def _log_axis(axes: Axes, times_s: list[float]) -> None:
    decision_time_axis(axes, min(times_s) / 1.25, max(times_s) * 1.25, _TICKS_S)
    axes.tick_params(color=SOFT)


HISTOGRAMS = ReportFigure(
    "decision_times",
    "Decision times (logarithmic axis): filled, accepted; outlined, rejected; upper row "
    "without, lower row with explanations.",
    "Histograms of decision times by solver, explanation and decision",
    draw_histograms,
    "answer.histogram",
)
QUANTILES_FIGURE = ReportFigure(
    "time_quantiles",
    "Quantiles of decision times, averaged over the leads who gave at least five such "
    "answers. Solid, circles: with explanation; dashed, diamonds: without; filled: accepted; "
    "hollow: rejected.",
    "Quantile curves of decision times by solver, explanation and decision",
    draw_quantiles,
    _averaged,
)
ANSWERS = pivot(
    "Decision times.",
    (
        SOLVER,
        RUN,
        level_of("decision", "Decision"),
        value_of(MEDIAN),
        Column("Quartiles", lambda row: interval(row[LOWER.id], row[UPPER.id]), str, "s"),
        n_of(MEDIAN, "n", "trials"),
    ),
    by=CELL,
    of=lambda here: here.answer.rows(MEDIAN, LOWER, UPPER),
    strong=changes("solver"),
    row_headers=3,
)
MODEL = ReportModel(
    "time_model",
    "answer.model",
    "Model of the logarithm of decision times, S’s and E’s solutions.",
    kinds=("fixed",),
)


def _lacking(_: LeadData, answer: Times | None) -> list[Lacking]:
    assert answer is not None
    return unsound_model(answer.model, "the model of decision times")


TIMES = Question(
    id="times",
    title="Decision times",
    answer=Times,
    quantities=(MEDIAN, LOWER, UPPER, QUANTILE),
    compute=compute,
    step="fitting the mixed models",
    parts=(_remark, HISTOGRAMS, QUANTILES_FIGURE, ANSWERS, MODEL),
    view=Within,
    lacking=_lacking,
    registered=lambda _: Promise("Mixed model of the logarithm of decision times.", TIME_FORMULA),
)
"""When leads decided."""

"""The report's section on decision times: histograms, quantiles averaged over leads, model."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, PercentFormatter

from analysis.report.declared import ReportFigure, ReportModel, Results
from analysis.report.parts import Paragraph
from analysis.report.plan import SectionPlan
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, mark_time, subplots
from analysis.report.wording import count
from analysis.studies.accept_reject import page_tables
from analysis.studies.accept_reject.time_figure import time_figure
from analysis.studies.accept_reject.words import SOLVER_COLOUR, solver_title

Row = Mapping[str, Any]

_QUANTILES = {"q10_s": 0.1, "q30_s": 0.3, "q50_s": 0.5, "q70_s": 0.7, "q90_s": 0.9}
_TICKS_S = (0.5, 1, 2, 3, 5, 10, 20, 30, 60)


def _remark(results: Results) -> Paragraph:
    found = results["response_times"]
    solved, silent = count(found["trials"], "solution"), count(found["unanswered"], "trial")
    said = (
        f"Of {solved} of S and E, {silent} ended without an answer at {found['limit_s']:g} s. "
        "Trials without an answer count as not accepted everywhere, but have no time, so "
        "distributions and the model below are of answers alone."
        if found["unanswered"]
        else f"All {solved} of S and E were answered within {found['limit_s']:g} s."
    )
    if found["without_time"]:
        said += f" {count(found['without_time'], 'answer')} without a positive time are left out."
    if found["cutoff_mode"] == "visible":
        said += (
            " The plate left the screen at the cutoff, and acceptances counted whenever they were "
            "given: times are reported, and no threshold was put on them."
        )
    return Paragraph(said)


def quantile_figure(results: Results) -> Figure:
    """Quantiles of decision times averaged over leads, a panel a solver."""
    rows = [row for row in results["response_times"]["quantiles"] if row["leads"]]
    with figure_style():
        figure, panels = subplots(
            1, 2, figsize=(WIDTH_IN, 3.0), sharey=True, sharex=True, layout="constrained"
        )
        for axes, solver in zip(panels, ("S", "E"), strict=True):
            own = [row for row in rows if row["solver"] == solver]
            for row in own:
                _line(axes, row, solver)
            mark_time(axes, results["data"]["cutoff_s"])
            axes.set_title(solver_title(solver, results["data"]))
            axes.set_xlabel("decision time (s)")
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
        _log_axis(panels[0], [row[name] for row in rows for name in _QUANTILES])
        panels[0].set_ylabel("answers of this kind by then")
        figure.legend(
            handles=_keys(), loc="outside lower center", ncols=4, fontsize=7.5, handlelength=2.8
        )
    return figure


def _line(axes: Axes, row: Row, solver: str) -> None:
    accepted = row["decision"] == "accept"
    colour = SOLVER_COLOUR[solver] if accepted else INK
    axes.plot(
        [row[name] for name in _QUANTILES],
        list(_QUANTILES.values()),
        linestyle="-" if row["explained"] else (0, (4, 1.6)),
        linewidth=1.2,
        marker="o",
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
            linestyle=style,
            linewidth=1.2,
            marker="o",
            markersize=4.2,
            markerfacecolor=SOFT if decision == "accepted" else "white",
            label=f"{decision}, {run}",
        )
        for decision in ("accepted", "rejected")
        for run, style in (("with", "-"), ("without", (0, (4, 1.6))))
    ]


def _log_axis(axes: Axes, times_s: list[float]) -> None:
    low, high = min(times_s), max(times_s)
    axes.set_xscale("log")
    axes.set_xlim(low / 1.25, high * 1.25)
    axes.set_xticks([t for t in _TICKS_S if low / 1.25 <= t <= high * 1.25])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.tick_params(color=SOFT)


TIMES = SectionPlan(
    "Decision times",
    (
        _remark,
        ReportFigure(
            "decision_times",
            "Decision times (logarithmic axis): filled, accepted; outlined, rejected; upper row "
            "without, lower row with explanations.",
            "Histograms of decision times by solver, explanation and decision",
            time_figure,
            "timing.histogram",
        ),
        ReportFigure(
            "time_quantiles",
            "Quantiles of decision times, averaged over the leads who gave at least five such "
            "answers. Solid: with explanation; dashed: without; filled marks: accepted; hollow: "
            "rejected.",
            "Quantile curves of decision times by solver, explanation and decision",
            quantile_figure,
            lambda results: any(row["leads"] for row in results["response_times"]["quantiles"]),
        ),
        page_tables.DECISION_TIMES,
        ReportModel(
            "time_model",
            "response_times.model",
            "Model of the logarithm of decision times, S’s and E’s solutions.",
            kinds=("fixed",),
        ),
    ),
)
"""When leads decided, and on what that depends."""

"""The report's section that compares S's explanation methods."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from analysis.report.parts import Paragraph, Picture, Section, Table, table
from analysis.report.style import BLUE, INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, interval, p_value, percent, points
from analysis.studies.accept_reject.words import INTERVAL_COLUMN, N_COLUMN, granted

Results = Mapping[str, Any]
Row = Mapping[str, Any]

DESIGN_WORDS: Mapping[str, str] = {
    "between": "The methods were shown to different leads: their difference is one of groups, and "
    "holds as far as the groups are alike but for the method.",
    "within": "Every lead saw all methods: in a difference the solutions without explanation, "
    "which are the same, fall out.",
    "mixed": "Some leads saw several methods, others one; differences are partly between leads.",
}
_STEP_IN = 0.24


def explainers_section(results: Results) -> Section:
    """Return usefulness by method; empty where there is one."""
    found = results["explainers"]
    if not found["methods"]:
        return Section("Explanation methods", ())
    text = (
        "Usefulness of S’s explanations by the method that made them: acceptance of S’s solutions "
        "with explanations of this method, less that of S’s solutions without by the same leads."
    )
    return Section(
        "Explanation methods",
        (
            Paragraph(f"{text} {DESIGN_WORDS[found['design']]}"),
            methods_table(results),
            Picture(
                "explanation_methods",
                "Usefulness of each explanation method (filled) and differences of pairs, first "
                "less second (hollow), with 95 % intervals.",
                "Dots and intervals of usefulness by explanation method, and of their differences",
                methods_figure(found),
            ),
            pairs_table(found["pairs"]),
        ),
    )


def methods_table(results: Results) -> Table:
    """Usefulness of each method."""
    rows = [
        (
            row["method"],
            grouped(row["leads"]),
            percent(row["without"], 1),
            percent(row["with"], 1),
            points(row["estimate"]),
            interval(row["ci_low"], row["ci_high"], points),
            grouped(row["n"]),
        )
        for row in results["explainers"]["methods"]
    ]
    columns = [
        ("Method", "", False),
        ("Leads", "n", True),
        ("Without", "accepted", True),
        ("With", "accepted", True),
        ("Usefulness", "percentage points", True),
        INTERVAL_COLUMN,
        N_COLUMN,
    ]
    caption = f"Usefulness by explanation method: acceptance {granted(results['data'])}."
    return table(caption, columns, rows)


def pairs_table(pairs: Sequence[Row]) -> Table:
    """Differences of usefulness between methods."""
    rows = [
        (
            f"{row['first']} less {row['second']}",
            points(row["estimate"]),
            interval(row["ci_low"], row["ci_high"], points),
            p_value(row["p"]),
            p_value(row["p_holm"]),
            grouped(row["leads_of_both"]),
        )
        for row in pairs
    ]
    columns = [
        ("Methods", "", False),
        ("Difference", "percentage points", True),
        INTERVAL_COLUMN,
        ("p", "bootstrap", True),
        ("p", "Holm", True),
        ("Leads of both", "n", True),
    ]
    return table(
        "Differences of usefulness between explanation methods.",
        columns,
        rows,
        "Intervals are not adjusted; the second p is, by Holm, over all pairs."
        if len(pairs) > 1
        else "",
    )


def methods_figure(found: Row) -> Figure:
    """Dots and intervals of methods, and of pairs below."""
    rows = [(row["method"], row, False) for row in found["methods"]]
    rows += [(f"{row['first']} less {row['second']}", row, True) for row in found["pairs"]]
    height = 0.9 + _STEP_IN * len(rows)
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, height), layout="constrained")
        for place, (_, row, hollow) in enumerate(rows):
            _dot(axes, row, place, hollow)
        axes.axhline(len(found["methods"]) - 0.5, color=SOFT, linewidth=0.5)
        axes.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize=7.8)
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("usefulness, or difference of usefulness (percentage points)")
        axes.xaxis.set_major_formatter(
            FuncFormatter(lambda v, _: "0" if abs(v) < 1e-9 else points(v))
        )
    return figure


def _dot(axes: Axes, row: Row, y: float, hollow: bool) -> None:
    if row["estimate"] is None:
        return
    colour = INK if hollow else BLUE
    if row["ci_low"] is not None:
        axes.plot([row["ci_low"], row["ci_high"]], [y, y], color=colour, linewidth=1.1, zorder=2)
    axes.plot(
        row["estimate"],
        y,
        "D" if hollow else "o",
        color=colour,
        markersize=4.6,
        markerfacecolor="white" if hollow else colour,
        zorder=3,
    )

"""Figures of simulatability, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from analysis.report.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    ORANGE,
    SOFT,
    WIDTH_IN,
    draw_estimate,
    figure_style,
    subplots,
)
from analysis.studies.simulatability import published_values as paper
from analysis.studies.simulatability.words import (
    ALL,
    POST,
    PRE,
    domain_name,
    method_name,
    signed,
    where,
)

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_ROW_IN: Final = 0.3
_HEAD_IN: Final = 0.85
_UP: Final = 0.17


def _conditions(results: Results) -> list[tuple[str, str]]:
    """Return the panels of Change: the paper's four, or those that there are."""
    there = list(dict.fromkeys((row["domain"], row["test"]) for row in results["change"]))
    marginal = [(domain, test) for domain, test in there if (domain == ALL) != (test == ALL)]
    alone = [pair for pair in there if ALL not in pair]
    if not marginal:
        return alone
    one_domain = len(results["data"]["domains"]) == 1
    return [*marginal, *(alone if one_domain else [])]


def change_figure(results: Results) -> Figure:
    """Return Change by method and condition, the published values as hollow marks."""
    panels = _conditions(results)
    methods = results["data"]["methods"][::-1]
    down = -(-len(panels) // 2)
    across = min(2, len(panels))
    with figure_style():
        figure, grid = subplots(
            down, across, sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + down * (_HEAD_IN + _ROW_IN * len(methods))),
        )  # fmt: skip
        for axes, (domain, test) in zip(grid.flat, panels, strict=False):
            axes.set_title(where({"domain": domain, "test": test}).capitalize())
            _zero(axes)
            own = [r for r in results["change"] if (r["domain"], r["test"]) == (domain, test)]
            rows = {row["method"]: row for row in own}
            published = paper.CHANGE.get((domain, test), {})
            for place, method in enumerate(methods):
                if method in rows:
                    draw_estimate(axes, _ours(rows[method]), place + _UP / 2, BLUE, "o")
                if method in published:
                    draw_estimate(axes, _theirs(published[method]), place - _UP, GREY, "s",
                                  hollow=True)  # fmt: skip
            _methods_axis(axes, methods)
            _points_axis(axes)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        _legend(figure, (("here", BLUE, "o", False), ("published", GREY, "s", True)))
        figure.supxlabel("Change, percentage points (published bootstrap)", fontsize=8.5)
    return figure


def _ours(row: Row) -> dict[str, Any]:
    names = {"estimate": "published_change", "ci_low": "ci_low", "ci_high": "ci_high"}
    return {name: row[of] for name, of in names.items()}


def _theirs(own: paper.Change) -> dict[str, float]:
    low, high = own.change - own.half_width, own.change + own.half_width
    return {"estimate": own.change, "ci_low": low, "ci_high": high}


def contrast_figure(results: Results) -> Figure:
    """Return what is decided: Change less the reference's, by the model and by means."""
    domains = results["data"]["domains"]
    methods = list(dict.fromkeys(row["method"] for row in results["contrasts"]))[::-1]
    rows = {(row["domain"], row["method"]): row for row in results["contrasts"]}
    looks = (("model", BLUE, "o", _UP / 2), ("means", ORANGE, "s", -_UP))
    with figure_style():
        figure, panels = subplots(
            1, len(domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + _HEAD_IN + 0.34 * len(methods)),
        )  # fmt: skip
        for axes, domain in zip(panels.flat, domains, strict=True):
            axes.set_title(domain_name(domain).capitalize())
            _zero(axes)
            for place, method in enumerate(methods):
                row = rows.get((domain, method))
                for by, colour, marker, up in looks if row else ():
                    if row[by] is not None:
                        draw_estimate(axes, row[by], place + up, colour, marker, by != row["by"])
            _methods_axis(axes, methods)
            _points_axis(axes)
        _legend(figure, (("mixed model", BLUE, "o", False), ("means", ORANGE, "s", False)))
        reference = results["data"]["reference"]
        less = f" minus that of {method_name(reference)}" if reference else ""
        figure.supxlabel(f"Change{less}, percentage points; filled: primary analysis", fontsize=8.5)
    return figure


def slopes_figure(results: Results) -> Figure:
    """Return accuracy before and after, a line a method, by domain and test."""
    panels = [pair for pair in dict.fromkeys((r["domain"], r["test"]) for r in results["change"])
              if ALL not in pair]  # fmt: skip
    methods = results["data"]["methods"]
    with figure_style():
        figure, grid = subplots(
            1, len(panels), sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 2.9),
        )  # fmt: skip
        for axes, (domain, test) in zip(grid.flat, panels, strict=True):
            axes.set_title(f"{domain_name(domain).capitalize()},\n{test}")
            axes.axhline(50, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
            rows = [r for r in results["change"] if (r["domain"], r["test"]) == (domain, test)]
            for row in rows:
                look = _LOOKS[methods.index(row["method"]) % len(_LOOKS)]
                axes.plot([0, 1], [row["pre_raw"], row["post"]], **look)
            axes.set_xticks([0, 1], ["before", "after"])
            axes.set_xlim(-0.25, 1.25)
        grid.flat[0].set_ylabel("right predictions, %")
        for place, method in enumerate(methods):
            grid.flat[0].plot([], [], label=method_name(method), **_LOOKS[place % len(_LOOKS)])
        figure.legend(loc="outside lower center", ncols=4, fontsize=7.5)
    return figure


_LOOKS: Final = tuple(
    {"color": colour, "marker": marker, "linestyle": line, "markersize": 4, "linewidth": 1.1}
    for colour, marker, line in (
        (INK, "D", (0, (4, 1.6))), (BLUE, "o", "-"), (ORANGE, "s", "-"), (GREY, "^", "-"),
        (BLUE, "v", (0, (1, 1.2))), (ORANGE, "P", (0, (1, 1.2))), (GREY, "X", (0, (4, 1.6))),
    )
)  # fmt: skip


def ratings_figure(results: Results) -> Figure:
    """Return mean ratings by method, a panel a domain."""
    rows = results["ratings"]["methods"]
    domains = list(dict.fromkeys(row["domain"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))[::-1]
    with figure_style():
        figure, panels = subplots(
            1, len(domains), sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + 0.6 + _ROW_IN * len(methods)),
        )  # fmt: skip
        for axes, domain in zip(panels.flat, domains, strict=True):
            axes.set_title(domain_name(domain).capitalize())
            for row in rows:
                if row["domain"] == domain:
                    mean = {**row, "estimate": row["mean"]}
                    draw_estimate(axes, mean, methods.index(row["method"]), BLUE, "o")
            _methods_axis(axes, methods)
            axes.set_xlim(0.8, 7.2)
            axes.set_xticks(range(1, 8))
        figure.supxlabel("rating: does the explanation show why? (1 to 7)", fontsize=8.5)
    return figure


def confidence_figure(results: Results) -> Figure:
    """Return how often predictions of each step of confidence are right, by method and phase."""
    rows = [row for row in results["confidence"]["steps"] if row["n"]]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    across = min(len(methods), 3)
    down = -(-len(methods) // across)
    looks = ((PRE, GREY, "s", -0.06), (POST, BLUE, "o", 0.06))
    with figure_style():
        figure, panels = subplots(
            down, across, sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.5 + 1.8 * down),
        )  # fmt: skip
        for axes, method in zip(panels.flat, methods, strict=False):
            axes.set_title(method_name(method))
            axes.plot([1, 4], [50, 100], color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)))
            for phase, colour, marker, aside in looks:
                own = [r for r in rows if r["method"] == method and r["phase"] == phase]
                steps = [row["step"] + aside for row in own]
                for x, row in zip(steps, own, strict=True):
                    axes.plot([x, x], [100 * row["ci_low"], 100 * row["ci_high"]], color=colour,
                              linewidth=1.0)  # fmt: skip
                axes.plot(steps, [100 * row["rate"] for row in own], marker, color=colour,
                          markersize=4, linestyle="-", linewidth=1.0)  # fmt: skip
            axes.set_xticks([1, 2, 3, 4])
        for axes in panels.flat[len(methods) :]:
            axes.set_visible(False)
        _legend(figure, (("before", GREY, "s", False), ("after", BLUE, "o", False)))
        figure.supxlabel("how sure, from a guess (1) to sure (4)", fontsize=8.5)
        figure.supylabel("right predictions, %", fontsize=8.5)
    return figure


def _zero(axes: Axes) -> None:
    axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)


def _methods_axis(axes: Axes, methods: Sequence[str]) -> None:
    axes.set_yticks(range(len(methods)), [method_name(method) for method in methods])
    axes.set_ylim(-0.55, len(methods) - 0.45)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(methods)):
        axes.axhline(place - 0.5, color=FAINT, linewidth=0.6, zorder=0)


def _points_axis(axes: Axes) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, symmetric=True))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: signed(value, 0)))


def _legend(figure: Figure, parts: Sequence[tuple[str, str, str, bool]]) -> None:
    axes = figure.axes[0]
    for label, colour, marker, hollow in parts:
        axes.plot(
            [], [], marker, color=colour, label=label, linestyle="none", markersize=4.6,
            markerfacecolor="white" if hollow else colour,
        )  # fmt: skip
    figure.legend(loc="outside upper left", ncols=len(parts), fontsize=8)

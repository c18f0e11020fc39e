"""Figures of human_ai_team, drawn from the results alone."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

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
    points_axis,
    subplots,
)
from analysis.report.wording import number, percent
from analysis.studies.human_ai_team.words import arm_name

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_ROW_IN: Final = 0.42
_HEAD_IN: Final = 0.75
_JITTER: Final = 0.17
_LOOKS: Final = (
    (BLUE, "o", "-"), (ORANGE, "s", (0, (4, 1.6))), (GREY, "D", (0, (1, 1.2))), (INK, "^", "-"),
)  # fmt: skip


def accuracy_figure(results: Results) -> Figure:
    """Return accuracy by arm, with participants as dots."""
    rows = list(reversed(results["per_user_accuracy"]))
    own = results["own_accuracies"]
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, _HEAD_IN + _ROW_IN * len(rows)), layout="constrained"
        )
        for place, row in enumerate(rows):
            values = [one["correct"] for one in own if one["method"] == row["method"]]
            _dots(axes, values, place)
            mean = {
                "estimate": row["mean"] / 100,
                "ci_low": None if row["ci_low"] is None else row["ci_low"] / 100,
                "ci_high": None if row["ci_high"] is None else row["ci_high"] / 100,
            }
            draw_estimate(axes, mean, place + 0.27, INK, "D")
            axes.annotate(
                f"{number(row['mean'], 1)} %", (1.005, place), xycoords=("axes fraction", "data"),
                va="center", fontsize=8, color=INK,
            )  # fmt: skip
        _arms_axis(axes, [f"{arm_name(row['method'])} ({row['n']})" for row in rows])
        _right_axis(axes, [*(one["correct"] for one in own), *_lows(rows)])
        axes.set_xlabel("right answers of a participant")
    return figure


def _dots(axes: Axes, values: Sequence[float], place: float) -> None:
    """Draw one dot a participant; equal values are spread up and down."""
    seen: dict[float, int] = {}
    most = max((values.count(value) for value in values), default=1)
    step = min(0.075, 2 * _JITTER / max(most - 1, 1))
    heights = []
    for value in values:
        n = seen[value] = seen.get(value, 0) + 1
        heights.append(place - 0.08 + (n // 2) * step * (1 if n % 2 else -1))
    axes.plot(values, heights, "o", color=BLUE, markersize=3.1, alpha=0.55, markeredgewidth=0)


def _arms_axis(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(-0.5, len(names) - 0.35)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    for place in range(1, len(names)):
        axes.axhline(place - 0.45, color=FAINT, linewidth=0.6, zorder=0)


def _lows(rows: Sequence[Row]) -> list[float]:
    """Return the lower ends of means' intervals as shares; the means where they have none."""
    ends = (row["mean"] if row["ci_low"] is None else row["ci_low"] for row in rows)
    return [end / 100 for end in ends]


def _right_axis(axes: Axes, values: Sequence[float]) -> None:
    lowest = min(values, default=0.0)
    axes.set_xlim(max(0.0, np.floor(10 * lowest) / 10 - 0.02), 1.02)
    axes.axvline(0.5, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
    axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def reliance_figure(results: Results) -> Figure:
    """Return over- and under-reliance by arm: wrong labels accepted, right ones rejected."""
    own = {
        (row["method"], row["measure"]): row for row in results["reliance"] if row["part"] == "all"
    }
    arms = list(dict.fromkeys(arm for arm, _ in own))[::-1]
    panels = (
        ("over_reliance", "Over-reliance: wrong labels accepted", ORANGE, "s"),
        ("under_reliance", "Under-reliance: right labels rejected", BLUE, "o"),
    )
    with figure_style():
        figure, both = subplots(
            1, 2, sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, _HEAD_IN + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, (measure, title, colour, marker) in zip(both, panels, strict=True):
            axes.set_title(title)
            for place, arm in enumerate(arms):
                row = own[arm, measure]
                draw_estimate(axes, row, place, colour, marker)
                if row["estimate"] is not None:
                    axes.annotate(
                        percent(row["estimate"]), (row["estimate"], place), xytext=(0, 6),
                        textcoords="offset points", ha="center", fontsize=7, color=INK,
                    )  # fmt: skip
            axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
            axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        highest = max((row["ci_high"] or row["estimate"] or 0.0) for key, row in own.items()
                      if key[1] in ("over_reliance", "under_reliance"))  # fmt: skip
        # Room for a whole marker at 0.
        both[0].set_xlim(-0.03, min(1.03, highest + 0.05))
        _arms_axis(both[0], [arm_name(arm) for arm in arms])
        both[1].spines["left"].set_visible(False)
        both[1].tick_params(axis="y", length=0)
        for place in range(1, len(arms)):
            both[1].axhline(place - 0.45, color=FAINT, linewidth=0.6, zorder=0)
        both[0].set_ylim(-0.5, len(arms) - 0.3)
    return figure


def parts_figure(results: Results) -> Figure:
    """Return right answers on natural and on adversarial images by arm."""
    parts = (("natural", BLUE, "o"), ("adversarial", ORANGE, "s"))
    rows = results["accuracy_by_part"]
    arms = [row["method"] for row in results["per_user_accuracy"]][::-1]
    with figure_style():
        figure, axes = subplots(
            figsize=(WIDTH_IN, _HEAD_IN + 0.34 * len(arms)), layout="constrained"
        )
        for up, (part, colour, marker) in zip((0.12, -0.12), parts, strict=True):
            of = {row["method"]: row for row in rows[part]}
            for place, arm in enumerate(arms):
                if arm in of:
                    draw_estimate(axes, _shares(of[arm]), place + up, colour, marker)
            axes.plot([], [], marker, color=colour, label=f"{part} images", linestyle="none")
        _arms_axis(axes, [arm_name(arm) for arm in arms])
        _right_axis(axes, [low for part in rows.values() for low in _lows(part)])
        axes.set_xlabel("right answers, mean over participants")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _shares(row: Row) -> dict[str, float | None]:
    names = {"estimate": "mean", "ci_low": "ci_low", "ci_high": "ci_high"}
    return {name: None if row[of] is None else row[of] / 100 for name, of in names.items()}


def sweep_figure(results: Results) -> Figure:
    """Return the AI alone over its threshold on both bases, with teams on the bins beside it."""
    bases = {"all": "all images", "bins": "the six bins, as many as there are"}
    rows = [row for row in results["ai_alone"] if row["base"] in bases]
    teams = [
        row for row in results["weighted"]
        if row["weights"] == _shown_weights(results) and row["estimate"] is not None
    ]  # fmt: skip
    with figure_style():
        figure, axes = subplots(figsize=(WIDTH_IN, 3.0), layout="constrained")
        for (base, words), (colour, marker, line) in zip(bases.items(), _LOOKS, strict=False):
            own = [row for row in rows if row["base"] == base]
            axes.plot(
                [row["threshold"] for row in own], [row["accuracy"] for row in own], marker,
                color=colour, linestyle=line, markersize=3.6, label=f"AI alone, {words}",
            )  # fmt: skip
            for row in own:
                if row["best"]:
                    axes.plot(row["threshold"], row["accuracy"], marker, color=colour,
                              markersize=8, markerfacecolor="none")  # fmt: skip
        _teams(axes, teams)
        axes.set_xlim(0.02, 0.98)
        axes.set_xlabel("threshold T: the AI alone accepts its label from this confidence on")
        axes.set_ylabel("right, natural images")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
    return figure


def _shown_weights(results: Results) -> str:
    return next(iter(results["bin_weights"]))


def _teams(axes: Axes, teams: Sequence[Row]) -> None:
    """Write each team's accuracy at the right edge, the names kept apart."""
    low, high = axes.get_ylim()
    values = [row["estimate"] for row in teams]
    low, high = min([low, *values]) - 0.02, max([high, *values]) + 0.02
    axes.set_ylim(low, min(high, 1.02))
    gap, above = 0.055 * (high - low), -1.0
    for row in sorted(teams, key=lambda row: row["estimate"]):
        y = max(row["estimate"], above + gap)
        above = y
        axes.plot([0.975, 1.0], [row["estimate"]] * 2, color=INK, linewidth=1.2, clip_on=False,
                  transform=axes.get_yaxis_transform())  # fmt: skip
        axes.annotate(
            f"{arm_name(row['method'])} {percent(row['estimate'], 1)}", (1.01, y),
            xycoords=("axes fraction", "data"), va="center", fontsize=7.5, annotation_clip=False,
        )  # fmt: skip


def differences_figure(results: Results) -> Figure:
    """Return the model's differences to the reference, quantity by quantity."""
    reference = results["data"]["reference"]
    pairs = [row for row in results["models"]["all"]["pairs"] if row["second"] == reference]
    arms = list(dict.fromkeys(row["first"] for row in pairs))[::-1]
    panels = (
        ("accuracy", "Right answers", INK, "D"),
        ("over_reliance", "Over-reliance", ORANGE, "s"),
        ("under_reliance", "Under-reliance", BLUE, "o"),
        ("discrimination", "Discrimination", GREY, "^"),
    )
    of = {(row["first"], row["quantity"]): row for row in pairs}
    with figure_style():
        figure, every = subplots(
            1, len(panels), sharex=True, sharey=True, layout="constrained",
            figsize=(WIDTH_IN, 0.85 + 0.3 * len(arms)),
        )  # fmt: skip
        for axes, (quantity, title, colour, marker) in zip(every, panels, strict=True):
            axes.set_title(title)
            axes.axvline(0, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
            for place, arm in enumerate(arms):
                draw_estimate(axes, of[arm, quantity], place, colour, marker)
            points_axis(axes.xaxis)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, symmetric=True))
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
        every[0].set_yticks(range(len(arms)), [arm_name(arm) for arm in arms])
        every[0].set_ylim(-0.5, len(arms) - 0.5)
        figure.supxlabel(f"points, arm less {arm_name(reference)}", fontsize=8.5)
    return figure


def ratings_figure(results: Results) -> Figure:
    """Return how often answers of each confidence rating are right, by arm."""
    rows = [row for row in results["ratings"]["steps"] if row["n"]]
    arms = list(dict.fromkeys(row["method"] for row in rows))
    across = min(len(arms), 3)
    down = -(-len(arms) // across)
    with figure_style():
        figure, panels = subplots(
            down, across, sharex=True, sharey=True, squeeze=False, layout="constrained",
            figsize=(WIDTH_IN, 0.3 + 1.9 * down),
        )  # fmt: skip
        for axes, arm in zip(panels.flat, arms, strict=False):
            own = [row for row in rows if row["method"] == arm]
            axes.set_title(arm_name(arm))
            axes.plot([1, 4], [0.5, 1], color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)))
            for row in own:
                axes.plot([row["step"]] * 2, [row["ci_low"], row["ci_high"]], color=BLUE,
                          linewidth=1.1)  # fmt: skip
            axes.plot([r["step"] for r in own], [r["rate"] for r in own], "o-", color=BLUE,
                      markersize=4, linewidth=1.0)  # fmt: skip
            axes.set_xticks([1, 2, 3, 4])
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
        for axes in panels.flat[len(arms) :]:
            axes.set_visible(False)
        figure.supxlabel("how sure, from a guess (1) to sure (4)", fontsize=8.5)
        figure.supylabel("right answers", fontsize=8.5)
    return figure

"""Power against participants, a line for each number of items."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from analysis.power.grid import ALPHA
from analysis.power.question import Question
from analysis.power.summary import WANTED
from analysis.report.style import INK, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import percent

Rows = Sequence[Mapping[str, Any]]

# Lightness falls with the number of items; marker and line say the same in grey.
_LOOKS = (
    ("#e08a1e", "s", (0, (1, 1.2))),
    ("#5b8fc0", "o", (0, (4, 1.6))),
    ("#0b4f8a", "D", "-"),
    ("#3a2d5c", "^", (0, (6, 1.5, 1, 1.5))),
    ("#1c1c1c", "v", (0, (2, 2))),
    ("#8a8a8a", "P", (0, (3, 1, 1, 1, 1, 1))),
)
MOST_LINES = len(_LOOKS)
_ACROSS = 3
_PANEL_IN = 2.35


def power_figure(rows: Rows, question: Question) -> Figure:
    """Draw one term's power: a panel for each effect."""
    effects = list(dict.fromkeys(question.effect_of(row) for row in rows))
    items = sorted({row["items"] for row in rows})
    across = min(len(effects), _ACROSS)
    down = -(-len(effects) // across)
    with figure_style():
        figure, panels = subplots(
            down, across, squeeze=False, layout="constrained",
            figsize=(min(WIDTH_IN, 1.1 + across * _PANEL_IN * (1.5 if across == 1 else 1)),
                     0.3 + down * _PANEL_IN),
        )  # fmt: skip
        for axes, effect in zip(panels.flat, effects, strict=False):
            own = [row for row in rows if question.effect_of(row) == effect]
            _panel(axes, own, items, _title(own[0], question))
        for axes in panels.flat[len(effects) :]:
            axes.set_visible(False)
        for line in panels:
            line[0].set_ylabel(
                "studies that say so" if rows[0]["family"] else "studies that find it"
            )
        # A row or column of panels may be short: its lowest ones carry the axis' name.
        for place, axes in enumerate(panels.flat[: len(effects)]):
            if place + across >= len(effects):
                axes.set_xlabel("participants")
        if len(items) > 1:
            handles, labels = panels[0, 0].get_legend_handles_labels()
            figure.legend(
                handles, labels, loc="outside lower center",
                ncols=min(len(items), 6), handlelength=2.6, title="items each",
                title_fontsize=8,
            )  # fmt: skip
    return figure


def _title(row: Mapping[str, Any], question: Question) -> str:
    null = "false alarms" if row["truth"] == 0 else ""
    said = row["term"] if row["family"] else null
    return f"{question.panel(row)}\n{said}".strip()


def _panel(axes: Axes, rows: Rows, items: Sequence[int], title: str) -> None:
    null = rows[0]["truth"] == 0
    axes.set_title(title)
    axes.axhline(
        ALPHA if null else WANTED, color=SOFT, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0
    )
    for place, count in enumerate(items):
        own = sorted((r for r in rows if r["items"] == count), key=lambda r: r["participants"])
        colour, marker, line = _LOOKS[place % MOST_LINES]
        # Side by side, so that intervals at one number of participants don't overlap.
        shift = 1 + 0.025 * (place - (len(items) - 1) / 2)
        x = [row["participants"] * shift for row in own]
        y = [row["power"] for row in own]
        below = [max(0.0, row["power"] - row["ci_low"]) for row in own]
        above = [max(0.0, row["ci_high"] - row["power"]) for row in own]
        axes.errorbar(
            x, y, yerr=[below, above], color=colour, marker=marker, linestyle=line,
            markersize=4.2, linewidth=1.3, elinewidth=0.8, capsize=0, label=f"{count}",
        )  # fmt: skip
    people = sorted({row["participants"] for row in rows})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(people))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(number) for number in people])
    margin = 1.25
    axes.set_xlim(people[0] / margin, people[-1] * margin)
    highest = max(row["ci_high"] for row in rows)
    axes.set_ylim(0, min(1.03, max(0.2, 1.1 * highest)) if null else 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    axes.annotate(
        percent(ALPHA if null else WANTED),
        (1 if null else 0, ALPHA if null else WANTED),
        xycoords=("axes fraction", "data"),
        xytext=(-1 if null else 2, 2),
        textcoords="offset points",
        ha="right" if null else "left",
        fontsize=7,
        color=INK,
    )

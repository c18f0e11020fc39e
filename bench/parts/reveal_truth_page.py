"""Made-up studies of progressive_reveal: bars, table, picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib import pyplot as plt

from analysis.report.style import FAINT, WIDTH_IN, figure_style
from analysis.studies.progressive_reveal.words import look
from bench.book import table
from bench.parts.words import bar
from stimuli.names import method_name
from tests.analysis.studies.progressive_reveal.world import METHODS

Row = Mapping[str, Any]

FAILING: Final = "occlusion"
"""The method whose rounds are often never recognised."""
PICTURE: Final = "truth.png"
QUANTITIES: Final[Mapping[str, str]] = {
    "restricted": "restricted mean, image by image",
    "all_last_step": "Table III, all rounds with last pixels",
    "recognised": "Table III, recognised rounds only",
    "rate": "Table III, recognition rate",
    "reached": "recognised by the last step (life table)",
    "turnbull": "recognised with 10 % of the image (Turnbull)",
    "modelled": "recognised by the last step (discrete-time model)",
}
COURSE: Final = "apart_by_step_"
"""Begins the names of the model's differences to the life table, step by step."""
SHARES: Final = ("restricted", "all_last_step", "recognised")
RATES: Final = ("rate", "reached", "turnbull")
MOST_SHARE, MOST_RATE = 0.001, 0.01
"""Largest mean errors: of shares of the image, of recognition."""
_MARKERS: Final = {"restricted": "o", "all_last_step": "s", "recognised": "D"}


def judged(rows: Sequence[Row], found: Sequence[Row], needed: float) -> list[dict[str, Any]]:
    """Return the bars: mean errors, coverage, and what dropping unrecognised rounds does."""
    return [
        _within(1, rows, SHARES, MOST_SHARE, "averages of the uncovered share"),
        _within(2, rows, RATES, MOST_RATE, "recognition (Table III, life table, Turnbull)"),
        _within(3, rows, ("modelled",), MOST_RATE, "recognition by the discrete-time model"),
        _covered(rows),
        _dropped(found, needed),
    ]


def _within(
    number: int, rows: Sequence[Row], quantities: Sequence[str], most: float, what: str
) -> dict[str, Any]:
    own = [row for row in rows if row["quantity"] in quantities]
    worst = max(own, key=lambda row: abs(row["bias"]))
    return bar(
        number,
        f"{what}: mean error of each at most {100 * most:g} points",
        f"{100 * abs(worst['bias']):.2f} ± {100 * worst['error']:.2f} at most "
        f"({QUANTITIES[worst['quantity']]}, {method_name(worst['method'])})",
        abs(worst["bias"]) <= most,
    )


def _covered(rows: Sequence[Row]) -> dict[str, Any]:
    worst = min(rows, key=lambda row: row["coverage"] - row["chance_low"])
    return bar(
        4,
        "95 % intervals hold the truth in 95 % of the studies or more, chance aside",
        f"{100 * min(row['coverage'] for row in rows):.1f} % at least; closest to the limit: "
        f"{100 * worst['coverage']:.1f} %, where {100 * worst['chance_low']:.1f} % would be chance",
        worst["coverage"] >= worst["chance_low"],
    )


def _dropped(found: Sequence[Row], needed: float) -> dict[str, Any]:
    own = [row for row in found if row["method"] == FAILING]
    dropped = [row["high"] < needed for row in own if row["quantity"] == "recognised"]
    kept = [row["low"] <= needed <= row["high"] for row in own if row["quantity"] == "restricted"]
    return bar(
        5,
        f"dropping unrecognised rounds shows: with {method_name(FAILING)} the average over "
        "recognised rounds misses what people need in every study, the restricted mean in hardly "
        "any",
        f"whole interval below it in {100 * np.mean(dropped):.1f} % of the studies, restricted "
        f"mean's interval around it in {100 * np.mean(kept):.1f} %",
        bool(np.all(dropped)) and float(np.mean(kept)) > 0.9,
    )


def dropping_told(rows: Sequence[Row], needed: float) -> str:
    """Return in words what dropping unrecognised rounds does to the failing method."""
    own = {row["quantity"]: row for row in rows if row["method"] == FAILING}
    return (
        f"Dropping unrecognised rounds: with {method_name(FAILING)} people need "
        f"{100 * needed:.2f} % of the image (up to each image's smallest final count). The average "
        f"over recognised rounds says {100 * own['recognised']['mean']:.2f} %, the restricted mean "
        f"{100 * own['restricted']['mean']:.2f} %."
    )


def summary_table(rows: Sequence[Row]) -> str:
    """Return truth, mean, error and coverage of every quantity by method."""
    headings = ("quantity", "method", "truth", "mean", "bias ± SE", "coverage", "studies")
    cells = [
        (
            QUANTITIES[row["quantity"]],
            method_name(row["method"]),
            f"{100 * row['truth']:.2f} %",
            f"{100 * row['mean']:.2f} %",
            f"{100 * row['bias']:+.2f} ± {100 * row['error']:.2f}",
            f"{100 * row['coverage']:.1f} % ({100 * row['chance_low']:.0f} to "
            f"{100 * row['chance_high']:.0f})",
            str(row["studies"]),
        )
        for row in rows
    ]
    note = (
        "Mean: truth and bias. Coverage of the 95 % intervals for the population of people and "
        "images; in brackets, the range that contains 99.9 % of benches if coverage is 95 %. The "
        "two-way bootstrap of Turnbull's estimate is conservative, so its coverage is higher. The "
        "error of the "
        "discrete-time model is its difference from the life table of the same study, plus the "
        "mean error of life tables: chance affects both in the same way."
    )
    return f"{table(headings, cells)}\n\n{note}"


def course_told(course: Sequence[Row]) -> str:
    """Return in words how far the model lies from the life table on the way to the last step."""
    highest = max(course, key=lambda row: row["apart"])
    lowest = min(course, key=lambda row: row["apart"])
    ends = " and ".join(
        f"{100 * row['apart']:+.1f} ± {100 * row['error']:.1f} points (step {row['step']}, "
        f"{method_name(row['method'])})"
        for row in (highest, lowest)
    )
    return (
        "At single steps the discrete-time model's recognition differs from the life table of the "
        f"same study by between {ends}, on average over the studies (for steps that share a "
        "hazard, at the last of them). The model assumes that effects of people and images are "
        "the same at every step, but in these simulations they become smaller towards the last "
        "steps. The life table makes no such assumption."
    )


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw what three averages say beside what is needed."""
    with figure_style():
        figure, axes = plt.subplots(figsize=(WIDTH_IN, 2.6), layout="constrained")
        for place, method in enumerate(reversed(METHODS)):
            axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)
            colour, _, _ = look(METHODS, method)
            own = {row["quantity"]: row for row in rows if row["method"] == method}
            for kind, fill in zip(SHARES, (colour, FAINT, "white"), strict=True):
                axes.plot(
                    100 * own[kind]["mean"], place, _MARKERS[kind], color=colour,
                    markerfacecolor=fill, label=None if place else QUANTITIES[kind],
                )  # fmt: skip
            axes.plot([100 * own["restricted"]["truth"]] * 2, [place - 0.3, place + 0.3],
                      color=colour)  # fmt: skip
        axes.set_yticks(range(len(METHODS)), [method_name(m) for m in reversed(METHODS)])
        axes.set_xlabel("per cent of the image; strokes: the true restricted mean")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=3,
                      fontsize=7.5)  # fmt: skip
        figure.savefig(path, dpi=150)
        plt.close(figure)

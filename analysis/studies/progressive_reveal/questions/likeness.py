"""How similar the methods' maps are to the human maps, at the last step and at every step.

These are Figures 8 and 9 of the paper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.stats import spearmanr

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.pivot import Wide, limits_of, n_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure
from analysis.report.parts import Column
from analysis.report.style import SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import correlation, number, p_equals, percent
from analysis.statistics.proportions import LEVEL, Interval
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import (
    METHOD_COLUMN,
    estimates_of,
    levels_of,
    named,
)

BINS = 24
WEAK = 0.1
"""Within this of 0 a correlation is called none."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_REPLICATES = 2000

LIKENESS_OF = Quantity(
    "likeness", "Mean", "Mean correlation with the human map at the last step (Figure 8).",
    correlation, "Spearman",
)  # fmt: skip
QUANTILE = Quantity(
    "likeness_quantile", "Quantile", "Quantile over images of the same correlation."
)  # fmt: skip
ABOVE = Quantity(
    "likeness_above", "Above", "Share of images with a correlation above weak.", percent
)  # fmt: skip
NEAR = Quantity("likeness_near", "Within", "Share of images within it.", percent)
BELOW = Quantity("likeness_below", "Below", "Share of images below its negative.", percent)
WITH_SHARE = Quantity(
    "likeness_share_rho", "With needed share",
    "Correlation, over images, of likeness and average uncovered share.", correlation, "Spearman",
)  # fmt: skip
BY_STEP = Quantity("likeness_by_step", "Mean", "Mean correlation at a step (Figure 9).")
QUANTILE_BY_STEP = Quantity(
    "likeness_quantile_by_step", "Quantile", "Quantile over images of the correlation at a step."
)  # fmt: skip
OF_LAST = (LIKENESS_OF, QUANTILE, ABOVE, NEAR, BELOW, WITH_SHARE)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many images have which correlation at the last step."""

    method: Annotated[str, about("The method.")]
    edges: Annotated[tuple[float, ...], about("Edges of the bins.")]
    counts: Annotated[tuple[int, ...], about("Images in each bin.")]


@dataclass(frozen=True, slots=True)
class Likeness(Estimates):
    """How similar the methods' maps are to the human maps."""

    weak: Annotated[float, about("Within this of 0 a correlation is called none.")]
    last: Annotated[tuple[Histogram, ...], about("At the last step, by method (Figure 8).")]


def likeness_of(
    table: RoundTable, items: pd.DataFrame | None, curves: pd.DataFrame | None, seed: int
) -> Likeness:
    """Return Spearman's correlations with the human map (Figures 8 and 9)."""
    last = _last(table, items, curves)
    rows = (
        row
        for method, values in last.items()
        for row in (*_described(method, values, seed), _with_share(table, method, values))
    )
    edges = np.linspace(-1, 1, BINS + 1)
    histograms = tuple(
        Histogram(method, tuple(map(float, edges)), tuple(map(int, np.histogram(values, edges)[0])))
        for method, values in last.items()
    )
    return Likeness((*rows, *_by_step(table, curves)), WEAK, histograms)


def _last(
    table: RoundTable, items: pd.DataFrame | None, curves: pd.DataFrame | None
) -> dict[str, pd.Series]:
    """Return the correlation at the last step by image, method by method."""
    frame = items if items is not None and "human_correlation" in items else None
    if frame is None and curves is not None and "human_correlation" in curves:
        frame = curves[curves["step"] == curves["step"].max()]
    if frame is None or "method" not in frame:
        return {}
    by_method = {}
    for method in table.methods:
        rows = frame[(frame["method"] == method) & frame["item"].astype(str).isin(table.items)]
        values = rows.set_index(rows["item"].astype(str))["human_correlation"].dropna()
        values = values[~values.index.duplicated()].astype(float)
        if len(values) and method != table.reference:
            by_method[method] = values
    return by_method


def _described(method: str, values: pd.Series, seed: int) -> Iterator[EstimateRow]:
    coefficients, of = values.to_numpy(), {"method": method}
    rng = np.random.Generator(np.random.PCG64(seed))
    means = coefficients[
        rng.integers(len(coefficients), size=(_REPLICATES, len(coefficients)))
    ].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    mean = float(coefficients.mean())
    limits = Interval(mean, float(low), float(high)) if len(coefficients) > 1 else mean
    yield estimate_row(LIKENESS_OF, of, limits, len(coefficients))
    for quantile in (0.25, 0.5, 0.75):
        cut = float(np.quantile(coefficients, quantile))
        yield estimate_row(QUANTILE, of | {"quantile": percent(quantile)}, cut)
    parts = {
        ABOVE: coefficients > WEAK,
        NEAR: np.abs(coefficients) <= WEAK,
        BELOW: coefficients < -WEAK,
    }
    for quantity, images in parts.items():
        yield estimate_row(quantity, of, float(images.mean()), len(coefficients))


def _by_step(table: RoundTable, curves: pd.DataFrame | None) -> Iterator[EstimateRow]:
    if curves is None or "human_correlation" not in curves:
        return
    known = curves[curves["item"].astype(str).isin(table.items)].dropna(
        subset=["human_correlation"]
    )
    for method in table.methods[1:]:
        maps = known[known["method"] == method]
        for step in sorted(maps["step"].unique()):
            values = maps.loc[maps["step"] == step, "human_correlation"].astype(float)
            of = {"method": method, "step": str(step)}
            yield estimate_row(BY_STEP, of, float(values.mean()), len(values))
            for quantile, cut in values.quantile(list(_QUANTILES)).items():
                level = {"quantile": percent(float(str(quantile)))}
                yield estimate_row(QUANTILE_BY_STEP, of | level, float(cut))


def _with_share(table: RoundTable, method: str, values: pd.Series) -> EstimateRow:
    """Return whether images whose map is more like the human one need less."""
    done = table.completed.frame
    shares = done[done["method"] == method].groupby("item")["share"].mean()
    both = pd.concat([values.rename("r"), shares], axis=1, join="inner")
    of = {"method": method}
    if len(both) <= 3 or both.nunique().min() <= 1:
        return estimate_row(WITH_SHARE, of, None, len(both))
    rho = spearmanr(both["r"], both["share"])
    return estimate_row(WITH_SHARE, of, float(rho.statistic), len(both), p=float(rho.pvalue))


def compute(data: RevealData) -> Likeness:
    """Return the correlations with the human maps, at the last step and at every one."""
    return likeness_of(data.table, data.dataset.items, data.curves, data.plan.seed)


def _columns(here: RevealView[Likeness]) -> tuple[Column, ...]:
    weak = number(here.answer.weak, 1)
    return named(
        METHOD_COLUMN,
        value_of(LIKENESS_OF),
        limits_of(LIKENESS_OF),
        Column("Middle half", _middle_half, str),
        value_of(ABOVE, heading=f"Above {weak}"),
        value_of(NEAR, heading=f"Within ±{weak}"),
        value_of(BELOW, heading=f"Below −{weak}"),
        n_of(LIKENESS_OF, "Images"),
        Column(WITH_SHARE.heading, _rho, str, WITH_SHARE.unit),
    )(here)


def _middle_half(row: Wide) -> str:
    low, high = (row[f"{QUANTILE.id}/{percent(quantile)}"] for quantile in (0.25, 0.75))
    return f"{number(low)} to {number(high)}"


def _rho(row: Wide) -> str:
    return f"{number(row[WITH_SHARE.id])} ({p_equals(row[f'{WITH_SHARE.id}.p'])})"


TABLE = pivot(
    lambda here: f"Rank correlation with the {here.methods.human_map} at the last step.",
    _columns,
    by=("method",),
    over="quantile",
    of=lambda here: here.answer.rows(*OF_LAST),
    note="With needed share: over images, whether maps more like that one go with a larger "
    "(positive) or smaller (negative) share uncovered.",
)


def draw_last(here: RevealView[Likeness]) -> Figure:
    """Return the maps' correlation with the human ones at the last step (Figure 8)."""
    rows = here.answer.last
    with figure_style():
        figure, panels = subplots(
            1, len(rows), figsize=(WIDTH_IN, 2.2), sharex=True, sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, row in zip(panels[0], rows, strict=True):
            axes.bar(
                row.edges[:-1], row.counts, np.diff(row.edges), align="edge",
                color=here.methods.look(row.method)[0], edgecolor="white", linewidth=0.4,
            )  # fmt: skip
            axes.axvline(0, color=SOFT, linewidth=0.8)
            axes.set_title(here.methods.panel_name(row.method))
            axes.set_xlabel(f"Spearman with the\n{here.methods.human_map}")
            axes.set_xlim(-1, 1)
            axes.set_xticks([-0.5, 0, 0.5])
            axes.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel("images")
    return figure


LAST_FIGURE = ReportFigure(
    "correlation",
    lambda here: (
        f"Rank correlation of each map with the {here.methods.human_map} of the same "
        "image, at the last step (Figure 8 of the paper)."
    ),
    "One histogram for each method",
    draw_last,
    "answer.last",
)


def draw_steps(here: RevealView[Likeness]) -> Figure:
    """Return the maps' correlation with the human ones at every step (Figure 9)."""
    methods = here.answer.levels("method", BY_STEP)
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.3), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            x = levels_of("step", here.answer.rows(BY_STEP, method=method))
            colour = here.methods.look(method)[0]
            cuts = {
                quantile: estimates_of(
                    here.answer.rows(QUANTILE_BY_STEP, method=method, quantile=percent(quantile))
                )
                for quantile in _QUANTILES
            }
            for low, high, alpha in ((0.1, 0.9, 0.13), (0.25, 0.75, 0.2)):
                axes.fill_between(x, cuts[low], cuts[high], color=colour, alpha=alpha, linewidth=0)
            axes.plot(x, cuts[0.5], color=colour)
            axes.axhline(0, color=SOFT, linewidth=0.8)
            axes.set_title(here.methods.panel_name(method))
            axes.set_xlabel("step")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
        panels[0][0].set_ylabel(f"Spearman with the\n{here.methods.human_map}")
    return figure


STEPS_FIGURE = ReportFigure(
    "correlation_steps",
    "The same at every step: median over images, middle half and middle 80 % (Figure 9 of "
    "the paper).",
    "One panel for each method: correlation by step",
    draw_steps,
    lambda here: here.answer.rows(BY_STEP),
)


def _lacking(data: RevealData, answer: Likeness | None) -> list[Lacking]:
    assert answer is not None
    rows = []
    if data.curves is None:
        result = (
            "similarity to the reference maps at each step (Figure 9), and exact counts of steps "
            "at which no round ended"
        )
        rows.append(Lacking(result, "there is no table of curves"))
    if not answer.last:
        reason = (
            "there is no item table"
            if data.dataset.items is None
            else "there are no reference maps for these maps"
        )
        rows.append(Lacking("similarity to the reference maps (Figure 8)", reason))
    return rows


LIKENESS = Question(
    id="likeness",
    title="Likeness to the reference",
    answer=Likeness,
    quantities=(*OF_LAST, BY_STEP, QUANTILE_BY_STEP),
    compute=compute,
    parts=(LAST_FIGURE, TABLE, STEPS_FIGURE),
    view=RevealView,
    lacking=_lacking,
    registered=lambda _: Promise(
        "Rank correlation of each map with the reference map, and recognition."
    ),
)
"""How similar the methods' maps are to the human maps."""

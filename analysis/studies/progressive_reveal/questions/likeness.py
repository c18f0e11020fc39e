"""How similar the methods' maps are to the human maps, at the last step and at every step.

These are Figures 8 and 9 of the paper.
"""

from dataclasses import dataclass, fields
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.stats import spearmanr

from analysis.questions.question import Lacking, Promise, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Column, limits
from analysis.report.style import SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import grouped, number, p_value, percent
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.questions.participants import Shown
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import METHOD_COLUMN, named, rows_of

Array = np.ndarray

BINS = 24
WEAK = 0.1
"""Within this of 0 a correlation is called none."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_REPLICATES = 2000

HISTOGRAM: Final = ("edges", "counts")


@dataclass(frozen=True, slots=True)
class MapLikeness:
    """How a method's maps correlate with the human ones at the last step (Spearman)."""

    method: Annotated[str, about("The method.")]
    images: Annotated[int, about("Images.")]
    estimate: Annotated[float, about("Mean correlation over images.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit over images.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    q25: Annotated[float, about("Lower quartile.")]
    median: Annotated[float, about("Median.")]
    q75: Annotated[float, about("Upper quartile.")]
    above: Annotated[float, about("Share of images with a correlation above weak.")]
    near: Annotated[float, about("Share of images within it.")]
    below: Annotated[float, about("Share of images below its negative.")]
    edges: Annotated[tuple[float, ...], about("Edges of a histogram's bins.")]
    counts: Annotated[tuple[int, ...], about("Images in each bin.")]


@dataclass(frozen=True, slots=True)
class LikenessStep:
    """The same at a step: quantiles over images."""

    method: Annotated[str, about("The method.")]
    step: Annotated[int, about("The step.")]
    images: Annotated[int, about("Images.")]
    mean: Annotated[float, about("Mean correlation.")]
    q10: Annotated[float, about("10 % quantile.")]
    q25: Annotated[float, about("Lower quartile.")]
    q50: Annotated[float, about("Median.")]
    q75: Annotated[float, about("Upper quartile.")]
    q90: Annotated[float, about("90 % quantile.")]


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Whether images whose map is more like the human one need less to be recognised."""

    method: Annotated[str, about("The method.")]
    images: Annotated[int, about("Images.")]
    rho: Annotated[float | None, about("Spearman's correlation of likeness and average share.")]
    p: Annotated[float | None, about("Its p, two-sided.")]


@dataclass(frozen=True, slots=True)
class Likeness:
    """How similar the methods' maps are to the human maps."""

    weak: Annotated[float, about("Within this of 0 a correlation is called none.")]
    last: Annotated[tuple[MapLikeness, ...], about("At the last step, by method (Figure 8).")]
    steps: Annotated[tuple[LikenessStep, ...], about("At every step, by method (Figure 9).")]
    efficiency: Annotated[tuple[Efficiency, ...], about("Whether likeness helps, by method.")]


def likeness_of(
    table: RoundTable, items: pd.DataFrame | None, curves: pd.DataFrame | None, seed: int
) -> Likeness:
    """Return Spearman's correlations with the human map (Figures 8 and 9)."""
    last = _last(table, items, curves)
    return Likeness(
        weak=WEAK,
        last=tuple(_described(method, own, seed) for method, own in last.items()),
        steps=_steps(table, curves),
        efficiency=tuple(_efficiency(table, method, own) for method, own in last.items()),
    )


def _last(
    table: RoundTable, items: pd.DataFrame | None, curves: pd.DataFrame | None
) -> dict[str, pd.Series]:
    """Return the correlation at the last step by image, method by method."""
    frame = items if items is not None and "human_correlation" in items else None
    if frame is None and curves is not None and "human_correlation" in curves:
        frame = curves[curves["step"] == curves["step"].max()]
    if frame is None or "method" not in frame:
        return {}
    found = {}
    for method in table.methods:
        own = frame[(frame["method"] == method) & frame["item"].astype(str).isin(table.items)]
        values = own.set_index(own["item"].astype(str))["human_correlation"].dropna()
        values = values[~values.index.duplicated()].astype(float)
        if len(values) and method != table.reference:
            found[method] = values
    return found


def _described(method: str, values: pd.Series, seed: int) -> MapLikeness:
    own = values.to_numpy()
    rng = np.random.Generator(np.random.PCG64(seed))
    means = own[rng.integers(len(own), size=(_REPLICATES, len(own)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    edges = np.linspace(-1, 1, BINS + 1)
    return MapLikeness(
        method=method,
        images=len(own),
        estimate=float(own.mean()),
        ci_low=float(low) if len(own) > 1 else None,
        ci_high=float(high) if len(own) > 1 else None,
        q25=float(np.quantile(own, 0.25)),
        median=float(np.median(own)),
        q75=float(np.quantile(own, 0.75)),
        above=float((own > WEAK).mean()),
        near=float((np.abs(own) <= WEAK).mean()),
        below=float((own < -WEAK).mean()),
        edges=tuple(map(float, edges)),
        counts=tuple(map(int, np.histogram(own, edges)[0])),
    )


def _steps(table: RoundTable, curves: pd.DataFrame | None) -> tuple[LikenessStep, ...]:
    if curves is None or "human_correlation" not in curves:
        return ()
    own = curves[curves["item"].astype(str).isin(table.items)].dropna(subset=["human_correlation"])
    rows = []
    for method in table.methods[1:]:
        maps = own[own["method"] == method]
        for step in sorted(maps["step"].unique()):
            values = maps.loc[maps["step"] == step, "human_correlation"].astype(float)
            cuts = values.quantile(list(_QUANTILES))
            rows.append(
                LikenessStep(
                    method=method,
                    step=int(step),
                    images=len(values),
                    mean=float(values.mean()),
                    **{f"q{round(100 * q):02d}": float(cuts[q]) for q in _QUANTILES},
                )
            )
    return tuple(rows)


def _efficiency(table: RoundTable, method: str, values: pd.Series) -> Efficiency:
    done = table.completed.frame
    shares = done[done["method"] == method].groupby("item")["share"].mean()
    both = pd.concat([values.rename("r"), shares], axis=1, join="inner")
    known = len(both) > 3 and both.nunique().min() > 1
    found = spearmanr(both["r"], both["share"]) if known else None
    return Efficiency(
        method=method,
        images=len(both),
        rho=None if found is None else float(found.statistic),
        p=None if found is None else float(found.pvalue),
    )


def compute(data: RevealData) -> Likeness:
    """Return the correlations with the human maps, at the last step and at every one."""
    return likeness_of(data.table, data.dataset.items, data.curves, data.plan.seed)


def _file_rows(here: Shown[Likeness]) -> list[dict[str, Any]]:
    """Return the rows of the file, without the histograms."""
    names = [one.name for one in fields(MapLikeness) if one.name not in HISTOGRAM]
    return [{name: getattr(row, name) for name in names} for row in here.answer.last]


def _columns(here: Shown[Likeness]) -> tuple[Column, ...]:
    weak = number(here.answer.weak, 1)
    efficiency = {row.method: row for row in here.answer.efficiency}

    def with_share(row: MapLikeness) -> str:
        own = efficiency[row.method]
        return f"{number(own.rho)} (p {p_value(own.p)})"

    return named(
        METHOD_COLUMN,
        Column("Mean", "estimate", number, "Spearman"),
        limits(),
        Column("Middle half", lambda row: f"{number(row.q25)} to {number(row.q75)}", str),
        Column(f"Above {weak}", "above", percent),
        Column(f"Within ±{weak}", "near", percent),
        Column(f"Below −{weak}", "below", percent),
        Column("Images", "images", grouped, "n"),
        Column("With needed share", with_share, str, "Spearman"),
    )(here)


TABLE = ReportTable(
    "correlations_last",
    _file_rows,
    lambda here: f"Rank correlation with the {here.methods.human_map} at the last step.",
    _columns,
    "With needed share: over images, whether maps more like that one go with a larger "
    "(positive) or smaller (negative) share uncovered.",
    shown="answer.last",
)
BY_STEP = ReportTable("correlations_steps", "answer.steps")


def draw_last(here: Shown[Likeness]) -> Figure:
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


def draw_steps(here: Shown[Likeness]) -> Figure:
    """Return the maps' correlation with the human ones at every step (Figure 9)."""
    found = here.answer.steps
    methods = [method for method in here.methods.all if rows_of(found, method)]
    with figure_style():
        figure, panels = subplots(
            1, len(methods), figsize=(WIDTH_IN, 2.3), sharey=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        for axes, method in zip(panels[0], methods, strict=True):
            rows = rows_of(found, method)
            x = [row.step for row in rows]
            colour = here.methods.look(method)[0]
            for low, high, alpha in (
                ([row.q10 for row in rows], [row.q90 for row in rows], 0.13),
                ([row.q25 for row in rows], [row.q75 for row in rows], 0.2),
            ):
                axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)
            axes.plot(x, [row.q50 for row in rows], color=colour)
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
    "answer.steps",
)


def _lacking(data: RevealData, found: Likeness | None) -> list[Lacking]:
    assert found is not None
    rows = []
    if data.curves is None:
        result = (
            "similarity to the reference maps at each step (Figure 9), and exact counts of steps "
            "at which no round ended"
        )
        rows.append(Lacking(result, "there is no table of curves"))
    if not found.last:
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
    compute=compute,
    parts=(LAST_FIGURE, TABLE, STEPS_FIGURE, BY_STEP),
    view=Shown,
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "Rank correlation of each map with the reference map, and recognition."
    ),
)
"""How similar the methods' maps are to the human maps."""

"""How like the human maps the methods' maps are: at the last step, and at every step."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from analysis.report.about import about
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

BINS = 24
WEAK = 0.1
"""Within this of 0 a correlation is called none."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_REPLICATES = 2000


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

"""A fit's residuals and random effects as figures."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import beta, norm
from statsmodels.nonparametric.smoothers_lowess import lowess

from analysis.report.style import BLUE, FAINT, INK, ORANGE, SOFT, figure_style, subplots

_MOST_NAMED = 60
_MOST_POINTS = 5_000
_WIDE = 30  # times the smallest fitted value: from there on a logarithmic axis
_LEVEL = 0.95


def figures(tables: dict[str, pd.DataFrame], unit: str) -> Iterator[tuple[str, Figure]]:
    """Yield a fit's figures by the stems of their files.

    Parameters
    ----------
    tables
        As of `analysis.fit.rows.residual_tables`.
    unit
        What random effects are counted in; empty for the response's own unit.
    """
    with figure_style():
        yield "residuals", _residuals(tables["residuals"])
        for group, rows in tables["random_effects"].groupby("group", sort=False):
            yield f"random_effects_{_file_name(str(group))}", _caterpillar(str(group), rows, unit)


def _file_name(group: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in group)


def _residuals(rows: pd.DataFrame) -> Figure:
    figure, (left, right) = subplots(1, 2, figsize=(7.0, 3.3), layout="constrained")
    shown = rows if len(rows) <= _MOST_POINTS else rows.sample(_MOST_POINTS, random_state=1)
    faint = float(np.clip(60 / np.sqrt(len(shown)) / 10, 0.12, 0.7))
    left.axhline(0, color=INK, linewidth=0.7)
    fitted, scale = shown["fitted"], "linear"
    if fitted.min() > 0 and fitted.max() > _WIDE * fitted.min():
        scale = "log"
    left.set_xscale(scale)
    left.scatter(fitted, shown["quantile"], s=9, color=BLUE, alpha=faint, linewidth=0)
    if shown["fitted"].nunique() > 5:
        smooth = lowess(shown["quantile"], np.log(fitted) if scale == "log" else fitted, frac=0.6)
        left.plot(np.sort(fitted), smooth[:, 1], color=ORANGE)
    left.set(xlabel="Fitted value", ylabel="Quantile residual", title="Residuals and fitted values")
    _quantiles(right, rows["quantile"].to_numpy(), faint)
    return figure


def _quantiles(axes: Axes, values: np.ndarray, faint: float) -> None:
    """Draw sorted residuals against the normal's quantiles, with 95 % limits of each."""
    n = len(values)
    rank = np.arange(1, n + 1)
    expected = norm.ppf((rank - 0.5) / n)
    tail = (1 - _LEVEL) / 2
    low, high = (norm.ppf(beta.ppf(share, rank, n + 1 - rank)) for share in (tail, 1 - tail))
    axes.fill_between(expected, low, high, color=FAINT, linewidth=0, label="95 % of each")
    axes.plot(expected, expected, color=INK, linewidth=0.7)
    axes.scatter(expected, np.sort(values), s=9, color=BLUE, alpha=max(faint, 0.3), linewidth=0)
    axes.set(xlabel="Normal quantile", ylabel="Quantile residual", title="Normal Q–Q")
    axes.legend(loc="upper left")


def _caterpillar(group: str, rows: pd.DataFrame, unit: str) -> Figure:
    """Draw each level's effects with limits, sorted by the first of them."""
    terms = list(dict.fromkeys(rows["term"]))
    first = rows[rows["term"] == terms[0]].sort_values("mode", kind="stable")
    order = {level: place for place, level in enumerate(first["level"])}
    named = len(order) <= _MOST_NAMED
    height = float(np.clip(0.9 + 0.16 * len(order), 2.2, 9.0)) if named else 5.0
    figure, panels = subplots(
        1, len(terms), figsize=(max(3.6, 2.9 * len(terms)), height), layout="constrained",
        sharey=True, squeeze=False,
    )  # fmt: skip
    for axes, term in zip(panels[0], terms, strict=True):
        own = rows[rows["term"] == term]
        places = own["level"].map(order)
        axes.axvline(0, color=SOFT, linewidth=0.7)
        axes.hlines(places, own["low"], own["high"], color=BLUE, linewidth=1.0)
        axes.plot(own["mode"], places, "o", color=BLUE, markersize=3.2 if named else 2)
        axes.set(title=term, xlabel=f"Deviation ({unit})" if unit else "Deviation")
        axes.set_ylim(-0.7, len(order) - 0.3)
    panels[0][0].set_ylabel(group)
    panels[0][0].set_yticks(list(order.values()) if named else [], list(order) if named else [])
    return figure

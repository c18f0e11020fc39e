"""How like the human maps the methods' maps are: at the last step, and at every step."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

BINS = 24
WEAK = 0.1
"""Within this of 0 a correlation is called none."""
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_REPLICATES = 2000


def correlation_results(
    table: RoundTable, items: pd.DataFrame | None, curves: pd.DataFrame | None, seed: int
) -> dict[str, Any]:
    """Return Spearman's correlations with the human map (Figures 8 and 9).

    Returns
    -------
    dict
        ``last``: by method, over images, mean with its interval over images drawn again,
        quartiles, shares above, near and below 0, and a histogram; ``steps``: by method and
        step the quantiles over images; ``efficiency``: by method, whether images whose map is
        more like the human one need less of the image to be recognised.
    """
    last = _last(table, items, curves)
    return {
        "weak": WEAK,
        "last": [_described(method, own, seed) for method, own in last.items()],
        "steps": _steps(table, curves),
        "efficiency": [_efficiency(table, method, own) for method, own in last.items()],
    }


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


def _described(method: str, values: pd.Series, seed: int) -> dict[str, Any]:
    own = values.to_numpy()
    rng = np.random.Generator(np.random.PCG64(seed))
    means = own[rng.integers(len(own), size=(_REPLICATES, len(own)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    edges = np.linspace(-1, 1, BINS + 1)
    return {
        "method": method,
        "images": len(own),
        "estimate": float(own.mean()),
        "ci_low": float(low) if len(own) > 1 else None,
        "ci_high": float(high) if len(own) > 1 else None,
        "q25": float(np.quantile(own, 0.25)),
        "median": float(np.median(own)),
        "q75": float(np.quantile(own, 0.75)),
        "above": float((own > WEAK).mean()),
        "near": float((np.abs(own) <= WEAK).mean()),
        "below": float((own < -WEAK).mean()),
        "edges": edges,
        "counts": np.histogram(own, edges)[0],
    }


def _steps(table: RoundTable, curves: pd.DataFrame | None) -> list[dict[str, Any]]:
    if curves is None or "human_correlation" not in curves:
        return []
    own = curves[curves["item"].astype(str).isin(table.items)].dropna(subset=["human_correlation"])
    rows = []
    for method in table.methods[1:]:
        for step, part in own[own["method"] == method].groupby("step"):
            values = part["human_correlation"].astype(float)
            cuts = values.quantile(list(_QUANTILES))
            rows.append(
                {
                    "method": method,
                    "step": int(step),
                    "images": len(values),
                    "mean": float(values.mean()),
                    **{f"q{round(100 * q):02d}": float(cuts[q]) for q in _QUANTILES},
                }
            )
    return rows


def _efficiency(table: RoundTable, method: str, values: pd.Series) -> dict[str, Any]:
    done = table.completed.frame
    shares = done[done["method"] == method].groupby("item")["share"].mean()
    both = pd.concat([values.rename("r"), shares], axis=1, join="inner")
    known = len(both) > 3 and both.nunique().min() > 1
    found = spearmanr(both["r"], both["share"]) if known else None
    return {
        "method": method,
        "images": len(both),
        "rho": None if found is None else float(found.statistic),
        "p": None if found is None else float(found.pvalue),
    }

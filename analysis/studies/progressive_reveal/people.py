"""Which method suits whom: shrunken effects of people and images."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed import MixedResult
from analysis.mixed.modes import Modes, conditional_modes
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

KINDS = ("participant", "item")
CLEAR = 1.96
"""Conditional standard errors by which a best method must lead the second to be called clear."""


def suits(fitted: MixedResult, table: RoundTable) -> list[dict[str, Any]]:
    """Return for people and for images what the shrunken effects say of each method.

    Returns
    -------
    list of dict
        Of people, then of images: ``spread``: by method the standard deviation of its
        advantage over the reference between units, as estimated; ``best``: by method for how
        many units it is best by the shrunken effects, and for how many clearly; ``units``:
        every unit's effects (log odds of recognition at a step, less the average unit's).
        ``varies``: whether units differ at all in what the methods do for them.
    """
    modes = conditional_modes(fitted)
    return [_of(modes[kind], kind, fitted, table) for kind in KINDS if kind in modes]


def _of(modes: Modes, kind: str, fitted: MixedResult, table: RoundTable) -> dict[str, Any]:
    shown = _design(fitted, kind, table.methods)
    effects = modes.effects @ shown.T
    fixed = _fixed(fitted, table)
    level = fixed + effects
    best = level.argmax(axis=1)
    clear = np.array([_leads(modes.covariance[u], shown, level[u]) for u in range(len(level))])
    contrasts = shown - shown[0]
    covariance = _covariance(fitted, kind, modes.terms)
    spread = np.sqrt(np.maximum(np.einsum("mi,ij,mj->m", contrasts, covariance, contrasts), 0))
    return {
        "of": kind,
        "number": len(modes.names),
        "varies": bool((spread[1:] > 0).any()),
        "spread": [
            {"method": method, "sd": float(sd)}
            for method, sd in zip(table.methods[1:], spread[1:], strict=True)
        ],
        "best": [
            {
                "method": method,
                "units": int((best == m).sum()),
                "clear": int(((best == m) & clear).sum()),
            }
            for m, method in enumerate(table.methods)
        ],
        "clear": int(clear.sum()),
        "clear_beyond": CLEAR,
        "units": [
            {
                "unit": name,
                "best": table.methods[best[u]],
                "clear": bool(clear[u]),
                "effects": [float(v) for v in effects[u]],
                "hazards": [float(v) for v in expit(level[u])],
            }
            for u, name in enumerate(modes.names)
        ],
    }


def _design(fitted: MixedResult, kind: str, methods: tuple[str, ...]) -> Array:
    """Return (methods, k) the regressors of a unit's effects under each method."""
    design = fitted.estimates.design
    place = [factor.group for factor in design.random].index(kind)
    steps = design.recipe.frame.get("step")
    rows = pd.DataFrame({"method": list(methods)})
    if steps is not None:
        rows["step"] = steps.iloc[0]
    return design.recipe.rows(rows)[1][place]


def _fixed(fitted: MixedResult, table: RoundTable) -> Array:
    """Return each method's log odds at a step, averaged over the steps at which rounds were."""
    frame = fitted.estimates.design.recipe.frame
    shares = frame["step"].value_counts(normalize=True) if "step" in frame else None
    x = []
    for method in table.methods:
        steps = [1] if shares is None else list(shares.index)
        rows = pd.DataFrame({"step": steps, "method": method})
        columns = fitted.estimates.design.recipe.rows(rows)[0]
        weights = np.ones(1) if shares is None else shares.to_numpy(dtype=float)
        x.append(weights @ columns)
    return np.array(x) @ fitted.estimates.coefficients


def _covariance(fitted: MixedResult, kind: str, terms: tuple[str, ...]) -> Array:
    sds = {row.term: row.sd for row in fitted.random if row.group == kind}
    found = np.diag([sds[term] ** 2 for term in terms])
    for row in fitted.correlations:
        if row.group == kind and np.isfinite(row.r):
            i, j = terms.index(row.term1), terms.index(row.term2)
            found[i, j] = found[j, i] = row.r * sds[row.term1] * sds[row.term2]
    return found


def _leads(covariance: Array, shown: Array, level: Array) -> bool:
    """Whether the best method leads the second by more than its conditional uncertainty."""
    if len(level) < 2:
        return False
    second, first = np.argsort(level)[-2:]
    gap = shown[first] - shown[second]
    se = float(np.sqrt(max(gap @ covariance @ gap, 0)))
    return bool(se > 0 and level[first] - level[second] > CLEAR * se)

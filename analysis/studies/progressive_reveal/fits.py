"""Beta-prime and exponentiated-Weibull fits, person by person and image by image."""

import warnings
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import fmin
from sklearn.mixture import GaussianMixture

from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

PUBLISHED = {"betaprime": "beta prime", "exponweib": "exponentiated Weibull"}
OTHERS = {"lognorm": "log-normal", "gamma": "gamma", "weibull_min": "Weibull"}
KINDS = ("participant", "item")
LEAST_ROUNDS = 10
MOST_UNITS = 150
MOST_GROUPS = 4
MANY = 2_000
"""Values from which on equal ones are taken together."""
CLEAR_BIC = 10.0
"""Difference of BIC from which one number of groups is said to describe better (Raftery 1995)."""
_FARTHEST = 1e4
_CLOSED = ("lognorm", "gamma")
"""Those that scipy fits without a search over all values."""


def fit_results(table: RoundTable, seed: int) -> dict[str, Any]:
    """Return the fits of the uncovered share (per cent of the image), recognised rounds only.

    Location is 0, so that each distribution has two shapes and a scale. As published they
    are fitted to each user and each image. Their shapes and scale trade off against each
    other along a bent ridge, in which any clustering finds pieces; so whether units fall into
    groups is asked of Gaussian mixtures over the mean and the logarithm of the standard
    deviation of each unit's log share (Bayesian information criterion).

    Returns
    -------
    dict
        ``pooled``: AIC by method and distribution; ``units``: parameters of each person and
        image; ``moments``: mean and SD of each one's log share; ``groups``: the criterion by
        number of groups; ``skipped``: how many units had too few rounds; ``unfit``: how many
        had no finite fit; ``beyond``: how many were more than are fitted.
    """
    own = table.frame[table.frame["recognised"]]
    percent = own.assign(percent=100 * own["share"])
    units: list[dict[str, Any]] = []
    counts = {"skipped": 0, "unfit": 0, "beyond": 0}
    for kind in KINDS:
        sizes = percent[kind].value_counts()
        enough = sizes[sizes >= LEAST_ROUNDS]
        counts["skipped"] += int(len(sizes) - len(enough))
        counts["beyond"] += max(0, len(enough) - MOST_UNITS)
        by_unit = percent.groupby(kind)["percent"]
        for name in sorted(enough.index[:MOST_UNITS]):
            values = by_unit.get_group(name).to_numpy(dtype=float)
            for law in PUBLISHED:
                found = _fit(law, values)
                if found is None:
                    counts["unfit"] += 1
                    continue
                units.append({"of": kind, "unit": str(name), "law": law, "n": len(values), **found})
    return {
        "least_rounds": LEAST_ROUNDS,
        "pooled": _pooled(percent, table.methods),
        "units": units,
        "moments": _moments(percent[percent["percent"] > 0]),
        "groups": _groups(percent[percent["percent"] > 0], seed),
        "clear_bic": CLEAR_BIC,
        **counts,
    }


def _pooled(percent: pd.DataFrame, methods: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for method in methods:
        values = percent.loc[percent["method"] == method, "percent"].to_numpy(dtype=float)
        if len(values) < LEAST_ROUNDS:
            continue
        for law in (*PUBLISHED, *OTHERS):
            found = _fit(law, values)
            if found is not None:
                rows.append({"method": method, "law": law, "n": len(values), **found})
    return rows


def _fit(law: str, values: Array) -> dict[str, Any] | None:
    """Return a maximum-likelihood fit; None where it isn't finite or runs away."""
    if np.ptp(values) == 0 or values.min() <= 0:
        return None
    family = getattr(stats, law)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            *shapes, scale = _likeliest(law, values)
        except (stats.FitError, FloatingPointError, ValueError):
            return None
        likelihood = float(family.logpdf(values, *shapes, loc=0, scale=scale).sum())
        distance = float(stats.kstest(values, law, args=(*shapes, 0, scale)).statistic)
    parameters = [*map(float, shapes), float(scale)]
    if not np.isfinite([likelihood, *parameters]).all() or max(parameters) > _FARTHEST:
        return None
    return {
        "shape1": parameters[0],
        "shape2": parameters[1] if len(shapes) > 1 else None,
        "scale": parameters[-1],
        "aic": 2 * len(parameters) - 2 * likelihood,
        "ks": distance,
    }


def _likeliest(law: str, values: Array) -> Array:
    """Return the shapes and the scale of largest likelihood.

    Many rounds end at few shares: the search then counts each share once, with its rounds.
    """
    family = getattr(stats, law)
    if len(values) < MANY or law in _CLOSED:
        shapes_at, begin = _begin(law, values)
        *shapes, _, scale = family.fit(values, *shapes_at, **begin, floc=0)
        return np.array([*shapes, scale])
    distinct, times = np.unique(values, return_counts=True)

    def loss(parameters: Array) -> float:
        if parameters.min() <= 0:
            return np.inf
        return -float(times @ family.logpdf(distinct, *parameters[:-1], scale=parameters[-1]))

    return fmin(loss, [*[1.0] * family.numargs, np.median(values)], disp=False)


def _begin(law: str, values: Array) -> tuple[tuple[float, ...], dict[str, float]]:
    """Return the shapes and the scale from which scipy's search begins, where it is slow to say.

    It begins with shapes of 1 and the scale that has the values' variance. For the
    exponentiated Weibull it integrates to find that, anew in each fit.
    """
    if law != "exponweib":
        return (), {}
    mean, variance = _standard_moments(law)
    scale = float(np.sqrt(values.var() / variance))
    within = values.mean() - scale * mean < values.min()
    return (1.0, 1.0), {"loc": 0.0, "scale": scale if within else 1.0}


@cache
def _standard_moments(law: str) -> tuple[float, float]:
    """Return the mean and the variance of a distribution whose shapes and scale are 1."""
    family = getattr(stats, law)
    mean, variance = family.stats(*[1.0] * family.numargs, moments="mv")
    return float(mean), float(variance)


def _moments(percent: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean and the standard deviation of each unit's log share."""
    rows = []
    for kind in KINDS:
        logs = np.log(percent["percent"]).groupby(percent[kind]).agg(["size", "mean", "std"])
        logs = logs[(logs["size"] >= LEAST_ROUNDS) & (logs["std"] > 0)]
        rows += [
            {"of": kind, "unit": str(name), "n": int(n), "mean_log": mean, "sd_log": sd}
            for name, n, mean, sd in logs.itertuples()
        ]
    return rows


def _groups(percent: pd.DataFrame, seed: int) -> list[dict[str, Any]]:
    moments, rows = _moments(percent), []
    for kind in KINDS:
        own = [row for row in moments if row["of"] == kind]
        if len(own) <= 3 * MOST_GROUPS:
            continue
        points = np.array([[row["mean_log"], np.log(row["sd_log"])] for row in own])
        spread = points.std(axis=0)
        scaled = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
        bic = [_bic(scaled, number, seed) for number in range(1, MOST_GROUPS + 1)]
        best = int(np.argmin(bic)) + 1
        gain = bic[0] - bic[best - 1]
        rows.append(
            {
                "of": kind,
                "units": len(own),
                "bic": bic,
                "best": best,
                "gain": gain,
                "clear": gain > CLEAR_BIC,
            }
        )
    return rows


def _bic(points: Array, groups: int, seed: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianMixture(groups, n_init=3, reg_covar=1e-3, random_state=seed).fit(points)
    return float(model.bic(points))

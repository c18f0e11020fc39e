"""Beta-prime and exponentiated-Weibull fits, person by person and image by image."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import fmin
from sklearn.mixture import GaussianMixture

from analysis.report.about import about
from analysis.studies.progressive_reveal.model_fit import UNIT_KINDS
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

BETA_PRIME: Final = "betaprime"
EXPONENTIATED_WEIBULL: Final = "exponweib"
PUBLISHED: Final[Mapping[str, str]] = {
    BETA_PRIME: "beta prime",
    EXPONENTIATED_WEIBULL: "exponentiated Weibull",
}
OTHERS: Final[Mapping[str, str]] = {
    "lognorm": "log-normal",
    "gamma": "gamma",
    "weibull_min": "Weibull",
}
LAWS: Final[Mapping[str, str]] = {**PUBLISHED, **OTHERS}
"""What distributions are called, by scipy's name."""
LEAST_ROUNDS = 10
MOST_UNITS = 150
MOST_GROUPS = 4
MANY = 2_000
"""Number of values from which equal ones are grouped."""
CLEAR_BIC = 10.0
"""Difference of BIC from which a number of groups counts as describing better (Raftery 1995)."""
_FARTHEST = 1e4
_CLOSED = ("lognorm", "gamma")
"""Distributions that scipy fits without a search over all values."""


@dataclass(frozen=True, slots=True)
class LawFit:
    """A distribution of the recognised rounds of a method, a participant or an image."""

    of: Annotated[str, about("Whose it is: a method's, a participant's or an item's.")]
    unit: Annotated[str, about("The method, participant or image.")]
    law: Annotated[str, about("The distribution, by scipy's name.")]
    n: Annotated[int, about("Rounds.")]
    shape1: Annotated[float, about("First shape.")]
    shape2: Annotated[float | None, about("Second shape; null if it has one.")]
    scale: Annotated[float, about("Scale, per cent of the image.")]
    aic: Annotated[float, about("Akaike's information criterion.")]
    ks: Annotated[float, about("Kolmogorov and Smirnov's distance.")]


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and spread of the log share of a participant or an image."""

    of: Annotated[str, about("Whose it is: a participant's or an item's.")]
    unit: Annotated[str, about("The participant or image.")]
    n: Annotated[int, about("Recognised rounds.")]
    mean_log: Annotated[float, about("Mean of the logarithm of the share, per cent.")]
    sd_log: Annotated[float, about("Its standard deviation.")]


@dataclass(frozen=True, slots=True)
class Groups:
    """Whether participants, or images, fall into groups by their moments (Gaussian mixtures)."""

    of: Annotated[str, about("Whose it is: a participant's or an item's.")]
    units: Annotated[int, about("How many.")]
    bic: Annotated[tuple[float, ...], about("Criterion by number of groups, from 1.")]
    best: Annotated[int, about("Number of groups with the lowest one.")]
    gain: Annotated[float, about("By how much it is lower than with one group.")]
    clear: Annotated[bool, about("Whether that is clear.")]


@dataclass(frozen=True, slots=True)
class Fits:
    """Distributions of the uncovered share at recognition, per cent of the image."""

    least_rounds: Annotated[int, about("Recognised rounds that a fit needs.")]
    pooled: Annotated[tuple[LawFit, ...], about("Fits by method and distribution.")]
    units: Annotated[tuple[LawFit, ...], about("Fits of each participant and image.")]
    moments: Annotated[tuple[Moments, ...], about("Moments of each participant and image.")]
    groups: Annotated[tuple[Groups, ...], about("Whether they fall into groups.")]
    clear_bic: Annotated[float, about("Gain of the criterion that is clear (Raftery 1995).")]
    skipped: Annotated[int, about("Participants and images with too few rounds.")]
    unfit: Annotated[int, about("Fits whose parameters diverged.")]
    beyond: Annotated[
        int, about("Participants and images that weren't fitted, since there are too many.")
    ]


def fit_distributions(table: RoundTable, seed: int) -> Fits:
    """Return the fits of the uncovered share (per cent of the image), recognised rounds only.

    Location is 0, so that each distribution has two shapes and a scale. As published, they are
    fitted to each user and each image. Their shapes and scale trade off against each other along a
    bent ridge, in which any clustering finds pieces; so Gaussian mixtures test whether units fall
    into groups: mixtures over the mean and the logarithm of the standard deviation of each unit's
    log share (Bayesian information criterion).
    """
    recognised = table.frame[table.frame["recognised"]]
    percent = recognised.assign(percent=100 * recognised["share"])
    positive = percent[percent["percent"] > 0]
    units: list[LawFit] = []
    skipped = unfit = beyond = 0
    for kind in UNIT_KINDS:
        sizes = percent[kind].value_counts()
        enough = sizes[sizes >= LEAST_ROUNDS]
        skipped += int(len(sizes) - len(enough))
        beyond += max(0, len(enough) - MOST_UNITS)
        by_unit = percent.groupby(kind)["percent"]
        for name in sorted(enough.index[:MOST_UNITS]):
            values = by_unit.get_group(name).to_numpy(dtype=float)
            for law in PUBLISHED:
                fit = _fit(law, values)
                if fit is None:
                    unfit += 1
                    continue
                units.append(LawFit(kind, str(name), law, len(values), **fit))
    moments = _moments(positive)
    return Fits(
        least_rounds=LEAST_ROUNDS,
        pooled=_pooled(percent, table.methods),
        units=tuple(units),
        moments=moments,
        groups=_groups(moments, seed),
        clear_bic=CLEAR_BIC,
        skipped=skipped,
        unfit=unfit,
        beyond=beyond,
    )


def _pooled(percent: pd.DataFrame, methods: Sequence[str]) -> tuple[LawFit, ...]:
    rows = []
    for method in methods:
        values = percent.loc[percent["method"] == method, "percent"].to_numpy(dtype=float)
        if len(values) < LEAST_ROUNDS:
            continue
        for law in LAWS:
            fit = _fit(law, values)
            if fit is not None:
                rows.append(LawFit("method", method, law, len(values), **fit))
    return tuple(rows)


def _fit(law: str, values: Array) -> dict[str, Any] | None:
    """Return a maximum-likelihood fit; None if it isn't finite or runs away."""
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
    """Return the starting shapes and scale of scipy's search, if scipy finds them slowly.

    Scipy begins with shapes of 1 and the scale that has the values' variance. For the exponentiated
    Weibull it finds that scale by integration, again in each fit.
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


def _moments(percent: pd.DataFrame) -> tuple[Moments, ...]:
    """Return the mean and the standard deviation of each unit's log share."""
    rows: list[Moments] = []
    for kind in UNIT_KINDS:
        logs = pd.Series(np.log(percent["percent"]))
        logs = logs.groupby(percent[kind]).agg(["size", "mean", "std"])
        logs = logs[(logs["size"] >= LEAST_ROUNDS) & (logs["std"] > 0)]
        rows += [
            Moments(kind, str(name), int(n), float(mean), float(sd))
            for name, n, mean, sd in logs.itertuples()
        ]
    return tuple(rows)


def _groups(moments: Sequence[Moments], seed: int) -> tuple[Groups, ...]:
    rows = []
    for kind in UNIT_KINDS:
        of_kind = [row for row in moments if row.of == kind]
        if len(of_kind) <= 3 * MOST_GROUPS:
            continue
        points = np.array([[row.mean_log, np.log(row.sd_log)] for row in of_kind])
        spread = points.std(axis=0)
        scaled = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1)
        bic = [_bic(scaled, number, seed) for number in range(1, MOST_GROUPS + 1)]
        best = int(np.argmin(bic)) + 1
        gain = bic[0] - bic[best - 1]
        rows.append(Groups(kind, len(of_kind), tuple(bic), best, gain, gain > CLEAR_BIC))
    return tuple(rows)


def _bic(points: Array, groups: int, seed: int) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianMixture(groups, n_init=3, reg_covar=1e-3, random_state=seed).fit(points)
    return float(model.bic(points))

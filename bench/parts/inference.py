"""Small samples: does a mixed model's test hold its level, and do its intervals cover?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import binom, chi2, norm

from analysis.mixed import marginal_probabilities
from analysis.mixed.design import Design, build_design
from analysis.mixed.estimation import Method, restricted_step
from analysis.mixed.families import BINOMIAL
from analysis.mixed.fit import fit_design
from analysis.mixed.freedom import Freedom
from analysis.mixed.inference import f_test
from analysis.mixed.laplace import Laplace
from analysis.mixed.result import MixedResult
from bench.book import Effort, Measured, Part, table
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers, ordered_map

FORMULA = "y ~ explained + (1 + explained || participant) + (1 + explained || item)"
SIZES = ((8, 24), (24, 48), (40, 16))
SLOPES = (0.0, 0.5, 1.0)
INTERCEPT, SD_PERSON, SLOPE_PERSON, SD_ITEM = -0.5, 0.6, 0.4, 1.0
TESTS = ("z", "t", "F", "chi2")
ALPHA, SURE = 0.05, 0.999
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


@dataclass(frozen=True, slots=True)
class Study:
    """One simulated study without an effect of `explained` on average."""

    people: int
    items: int
    slope_item: float
    number: int

    @property
    def key(self) -> str:
        """Its name, which its draws follow from."""
        return f"{self.people}x{self.items} {self.slope_item:g} {self.number}"

    @property
    def truth(self) -> float:
        """Probability of an answer, averaged over people and items; the same in both arms."""
        slopes = (SLOPE_PERSON**2 + self.slope_item**2) / 4
        spread = np.sqrt(SD_PERSON**2 + SD_ITEM**2 + slopes)
        return float(expit(INTERCEPT + spread * _NODES) @ _WEIGHTS / _WEIGHTS.sum())

    def design(self) -> Design:
        """Return its answers: half of the items explained for each person, in rotation."""
        design = _empty(self.people, self.items)
        rng = np.random.default_rng(seed_of("inference", self.key))
        effects = np.zeros(design.rows)
        spreads = (self.people, SD_PERSON, SLOPE_PERSON), (self.items, SD_ITEM, self.slope_item)
        for factor, (levels, *sds) in zip(design.random, spreads, strict=True):
            own = rng.normal(0, sds, (levels, 2))[factor.codes]
            effects += (own * factor.regressors).sum(axis=1)
        answers = rng.random(design.rows) < expit(INTERCEPT + effects)
        return replace(design, response=answers.astype(float))


@cache
def _empty(people: int, items: int) -> Design:
    person, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    columns = {"participant": person, "item": item, "explained": (person + item) % 2 - 0.5}
    return build_design(FORMULA, pd.DataFrame(columns).assign(y=0.0), "binomial")


def examine(study: Study) -> dict[str, Any]:
    """Return the p of each test of one study, and whether each interval covers."""
    design = study.design()
    fitted = fit_design(design, "binomial")
    smaller = fit_design(_without(design, "explained"), "binomial", Method(inference="z"))
    statistic = max(2 * (fitted.log_likelihood - smaller.log_likelihood), 0.0)
    row = fitted.fixed[1]
    known = replace(fitted, estimates=replace(fitted.estimates, freedom=Freedom.unlimited()))
    return {
        "fitted": fitted.converged and smaller.converged,
        "z": _plain_p(design, fitted),
        "t": row.p,
        "df": row.df,
        "F": f_test(smaller, fitted, statistic).p,
        "chi2": float(chi2.sf(statistic, 1)),
        "covers t": _covers(fitted, study.truth),
        "covers normal": _covers(known, study.truth),
    }


def _without(design: Design, term: str) -> Design:
    kept = [place for place, name in enumerate(design.fixed_names) if name != term]
    names = tuple(design.fixed_names[place] for place in kept)
    return replace(design, fixed=design.fixed[:, kept], fixed_names=names)


def _plain_p(design: Design, fitted: MixedResult) -> float:
    """Wald's p without the step of REML, whose growth is taken off again."""
    estimates, p = fitted.estimates, len(fitted.fixed)
    model = Laplace(estimates.scaling, BINOMIAL, design.response, design.trials, design.offset)
    scale = np.eye(len(estimates.covariance))
    scale[:p, :p] = np.linalg.inv(estimates.scaling.fixed)
    scaled = scale @ estimates.covariance @ scale.T
    point = np.concatenate([scale[:p, :p] @ estimates.coefficients, estimates.spread])
    own = estimates.scaling.fixed
    grown = own @ (restricted_step(model, point, scaled)[0] - scaled)[:p, :p] @ own.T
    row = fitted.fixed[1]
    return float(2 * norm.sf(abs(row.estimate) / np.sqrt(row.se**2 - grown[1, 1])))


def _covers(fitted: MixedResult, truth: float) -> list[bool]:
    """Whether the averages of both arms and their difference have the truth within."""
    arms = [pd.DataFrame({"explained": [arm]}) for arm in (-0.5, 0.5)]
    found = marginal_probabilities(fitted, arms)
    wanted = [(found.probability(arm), truth) for arm in range(2)]
    wanted.append((found.contrast(np.array([-1.0, 1.0])), 0.0))
    return [part.ci_low <= value <= part.ci_high for part, value in wanted]


def false_alarms(effort: Effort) -> Measured:
    """False alarms of four tests and coverage of averaged probabilities, by size and slope."""
    runs = 6 if effort.quick else 500
    figures: dict[str, Any] = {}
    levels, coverage = [], []
    for people, items in SIZES:
        for slope in SLOPES:
            name = f"{people} × {items}, {slope:g}"
            effort.say(name)
            tasks = ((s.key, s) for s in (Study(people, items, slope, n) for n in range(runs)))
            found = [one for _, one in ordered_map(examine, tasks, Workers())]
            figures[name] = row = _counted([one for one in found if one["fitted"]], runs)
            levels.append([name, *(_said(row[test]) for test in TESTS), f"{row['df']:.0f}"])
            coverage.append([name, *(_said(part) for part in row["t covers"]),
                             _said(row["normal covers"][2])])  # fmt: skip
    text = (
        f"{runs} studies a row of so many participants × items, drawn from `{FORMULA}`; "
        f"`explained` has no effect on average. Standard deviations between participants "
        f"{SD_PERSON:g} and {SLOPE_PERSON:g} (slope), between items {SD_ITEM:g} and the one named "
        "in the row (slope), in log odds. z: standard errors from the Hessian at the maximum, "
        "normal distribution. t: after one step of REML, Satterthwaite's degrees of freedom (the "
        "default). F, χ²: likelihood ratio, with the same degrees of freedom and without. After "
        "each share comes the range that contains 99.9 % of benches with the right level.\n\n"
        + table(["size, item slope", "z", "t", "F", "χ²", "median df"], levels)
        + "\n\nCoverage of the 95 % intervals of averaged probabilities (`--margins`), with "
        "t; the last column uses the normal distribution instead of t.\n\n"
        + table(
            ["size, item slope", "without", "explained", "difference", "difference, normal"],
            coverage,
        )
    )
    return Measured(text, {"runs": runs, "cells": figures})


def _counted(found: Sequence[Mapping[str, Any]], runs: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        test: _share([one[test] < ALPHA for one in found], ALPHA) for test in TESTS
    }
    for kind in ("t", "normal"):
        columns = np.array([one[f"covers {kind}"] for one in found]).T
        row[f"{kind} covers"] = [_share(column.tolist(), 1 - ALPHA) for column in columns]
    return row | {"df": float(np.median([one["df"] for one in found])), "failed": runs - len(found)}


def _share(hits: Sequence[bool], nominal: float) -> dict[str, float]:
    """A share with the range in which it lies in 99.9 % of benches if it is as stated."""
    low, high = binom.interval(SURE, len(hits), nominal)
    return {
        "share": float(np.mean(hits)),
        "low": float(low) / len(hits),
        "high": float(high) / len(hits),
    }


def _said(part: Mapping[str, float]) -> str:
    mark = "" if part["low"] <= part["share"] <= part["high"] else " **outside**"
    return f"{100 * part['share']:.1f} % ({100 * part['low']:.1f}–{100 * part['high']:.1f}){mark}"


PARTS: tuple[Part, ...] = (
    Part("small_samples", "Tests and intervals of the mixed model in small samples", false_alarms),
)

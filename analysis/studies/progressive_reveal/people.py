"""Which method suits whom: shrunken effects of people and images."""

from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.mixed import MixedResult
from analysis.mixed.modes import Modes, conditional_modes
from analysis.report.about import about
from analysis.report.model import level_code

Array = np.ndarray

KINDS: Final = ("participant", "item")
CLEAR: Final = 1.96
"""Conditional standard errors by which a best method must lead the second to be called clear."""


@dataclass(frozen=True, slots=True)
class MethodSpread:
    """How much a method's advantage over the reference varies."""

    method: Annotated[str, about("The method.")]
    sd: Annotated[float, about("Standard deviation between units, log odds, as estimated.")]


@dataclass(frozen=True, slots=True)
class Best:
    """For how many participants or images a method is the best one."""

    method: Annotated[str, about("The method.")]
    units: Annotated[int, about("For how many it is best by the shrunken effects.")]
    clear: Annotated[int, about("For how many of these it is clearly best.")]


@dataclass(frozen=True, slots=True)
class UnitEffect:
    """The shrunken effects of a participant or an image."""

    unit: Annotated[str, about("The participant or image.")]
    best: Annotated[str, about("Its best method.")]
    clear: Annotated[bool, about("Whether it is clearly better than the second.")]
    effects: Annotated[
        tuple[float, ...],
        about("By method: log odds of recognition at a step, less the average unit's."),
    ]
    hazards: Annotated[tuple[float, ...], about("By method: probability of recognition at a step.")]


@dataclass(frozen=True, slots=True)
class UnitEffects:
    """What the shrunken effects of participants, or of images, say about the methods."""

    of: Annotated[str, about("Of what: participant or item.")]
    number: Annotated[int, about("How many.")]
    varies: Annotated[bool, about("Whether they differ at all in what methods do for them.")]
    spread: Annotated[tuple[MethodSpread, ...], about("How much advantages vary, by method.")]
    best: Annotated[tuple[Best, ...], about("For how many each method is best.")]
    clear: Annotated[int, about("For how many the best is clearly better than the second.")]
    clear_beyond: Annotated[float, about("Conditional standard errors that make it clear.")]
    units: Annotated[tuple[UnitEffect, ...], about("Each participant or image.")]


def unit_effects(fitted: MixedResult, methods: tuple[str, ...]) -> tuple[UnitEffects, ...]:
    """Return for people and for images what the shrunken effects say of each method.

    The first method is the reference.
    """
    modes = conditional_modes(fitted)
    return tuple(_of_kind(modes[kind], kind, fitted, methods) for kind in KINDS if kind in modes)


def _of_kind(modes: Modes, kind: str, fitted: MixedResult, methods: tuple[str, ...]) -> UnitEffects:
    shown = _design(fitted, kind, methods)
    effects = modes.effects @ shown.T
    level = _fixed(fitted, methods) + effects
    best = level.argmax(axis=1)
    clear = np.array([_leads(modes.covariance[u], shown, level[u]) for u in range(len(level))])
    contrasts = shown - shown[0]
    covariance = _covariance(fitted, kind, modes.terms)
    spread = np.sqrt(np.maximum(np.einsum("mi,ij,mj->m", contrasts, covariance, contrasts), 0))
    return UnitEffects(
        of=kind,
        number=len(modes.names),
        varies=bool((spread[1:] > 0).any()),
        spread=tuple(
            MethodSpread(method, float(sd))
            for method, sd in zip(methods[1:], spread[1:], strict=True)
        ),
        best=tuple(
            Best(method, int((best == m).sum()), int(((best == m) & clear).sum()))
            for m, method in enumerate(methods)
        ),
        clear=int(clear.sum()),
        clear_beyond=CLEAR,
        units=tuple(
            UnitEffect(
                name,
                methods[best[u]],
                bool(clear[u]),
                tuple(map(float, effects[u])),
                tuple(map(float, expit(level[u]))),
            )
            for u, name in enumerate(modes.names)
        ),
    )


def _design(fitted: MixedResult, kind: str, methods: tuple[str, ...]) -> Array:
    """Return (methods, k) the regressors of a unit's effects under each method."""
    design = fitted.estimates.design
    place = [factor.group for factor in design.random].index(kind)
    steps = design.recipe.frame.get("step")
    rows = pd.DataFrame({"method": [level_code(method, methods[0]) for method in methods]})
    if steps is not None:
        rows["step"] = steps.iloc[0]
    return design.recipe.rows(rows)[1][place]


def _fixed(fitted: MixedResult, methods: tuple[str, ...]) -> Array:
    """Return each method's log odds at a step, averaged over the steps at which rounds were."""
    frame = fitted.estimates.design.recipe.frame
    shares = frame["step"].value_counts(normalize=True) if "step" in frame else None
    x = []
    for method in methods:
        steps = [1] if shares is None else list(shares.index)
        rows = pd.DataFrame({"step": steps, "method": level_code(method, methods[0])})
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
    """Return whether the best method leads the second by more than its conditional uncertainty."""
    if len(level) < 2:
        return False
    second, first = np.argsort(level)[-2:]
    gap = shown[first] - shown[second]
    se = float(np.sqrt(max(gap @ covariance @ gap, 0)))
    return bool(se > 0 and level[first] - level[second] > CLEAR * se)

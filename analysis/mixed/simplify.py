"""Which terms data can't determine, and the one rule by which a singular model is simplified."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from analysis.mixed.design import Design, RandomFactor
from analysis.mixed.freedom import VANISHING
from analysis.mixed.result import MixedResult

SINGULAR_SD = VANISHING


def rule(scale: str) -> str:
    """Return in words how a singular model is simplified; `scale` names the link's."""
    return (
        f"Random slopes whose standard deviation was estimated below {SINGULAR_SD:g} on the "
        f"{scale} were left out and the model was fitted again; random intercepts stayed."
    )


RULE = rule("logit scale")


def without_undetermined(design: Design) -> Design:
    """Return the design without random effects that these data can't determine.

    A grouping factor needs two levels, one of them with two rows. A slope must vary
    within two levels at least.
    """
    notes = []
    for factor in design.random:
        reason = _factor_reason(factor)
        if reason:
            notes.append(f"Random effects by {factor.group} were left out: {reason}.")
            continue
        notes += [
            f"The slope of {term} by {factor.group} was left out: "
            f"it doesn't vary within {factor.group}s."
            for place, term in enumerate(factor.terms)
            if not _varies_within(factor, place)
        ]
    design = _keeping(
        design, lambda factor, place: not _factor_reason(factor) and _varies_within(factor, place)
    )
    return replace(design, notes=(*design.notes, *notes))


def without_singular(design: Design, result: MixedResult) -> Design:
    """Leave out slopes whose standard deviation vanished (see `RULE`), and say which."""
    deviations = {(row.group, row.term): row.sd for row in result.random}

    def stays(factor: RandomFactor, place: int) -> bool:
        term = factor.terms[place]
        return deviations[factor.group, term] >= SINGULAR_SD or term == "(Intercept)"

    notes = []
    for factor in design.random:
        vanished = [t for place, t in enumerate(factor.terms) if not stays(factor, place)]
        if vanished:
            notes.append(
                f"Left out for a vanishing variance by {factor.group}: {', '.join(vanished)}."
            )
    if not notes:
        return design
    return replace(_keeping(design, stays), notes=(*design.notes, *notes))


def spelled(design: Design, response: str) -> str:
    """Return the formula of a design as it stands, e.g. ``y ~ 1 + x + (1 + x || g)``."""
    fixed = [_plain(name) for name in design.fixed_names]
    parts = [response + " ~ " + " + ".join(fixed or ["0"])]
    for factor in design.random:
        alone = [block[0] for block in factor.blocks if len(block) == 1]
        if alone:
            parts.append(_bar(factor, alone, "||"))
        parts += [_bar(factor, block, "|") for block in factor.blocks if len(block) > 1]
    return " + ".join(parts)


def _bar(factor: RandomFactor, places: Sequence[int], bar: str) -> str:
    """Return effects of a group that all correlate (``|``) or don't (``||``)."""
    terms = [_plain(factor.terms[place]) for place in places]
    if "1" not in terms:
        terms.insert(0, "0")
    return f"({' + '.join(terms)} {bar if len(terms) > 1 else '|'} {factor.group})"


def _keeping(design: Design, stays: Callable[[RandomFactor, int], bool]) -> Design:
    factors, recipes = [], []
    for factor, recipe in zip(design.random, design.recipe.random, strict=True):
        places = [place for place in range(len(factor.terms)) if stays(factor, place)]
        if places:
            factors.append(factor.keep(places))
            recipes.append(_recipe_keeping(recipe, places))
    return replace(
        design,
        random=tuple(factors),
        recipe=replace(design.recipe, random=tuple(recipes)),
    )


def _recipe_keeping(recipe: tuple, places: list[int]) -> tuple:
    kept, first = [], 0
    for effects, columns in recipe:
        own = tuple(c for n, c in enumerate(columns) if first + n in places)
        first += len(columns)
        kept.append((effects, own))
    return tuple(kept)


def _plain(name: str) -> str:
    return "1" if name == "(Intercept)" else name


def _factor_reason(factor: RandomFactor) -> str:
    if factor.levels < 2:
        return f"there is only one {factor.group}"
    if np.bincount(factor.codes).max() < 2:
        return f"no {factor.group} was seen twice"
    return ""


def _varies_within(factor: RandomFactor, place: int) -> bool:
    if factor.terms[place] == "(Intercept)":
        return True
    values = factor.regressors[:, place]
    low = np.full(factor.levels, np.inf)
    high = np.full(factor.levels, -np.inf)
    np.minimum.at(low, factor.codes, values)
    np.maximum.at(high, factor.codes, values)
    return int((high > low).sum()) >= 2

"""Averaged responses by the levels of a term, and their pairwise differences."""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from analysis.mixed.marginal import Estimate, Marginals, average
from analysis.mixed.result import MixedResult
from stimuli.errors import UserError

Array = np.ndarray

_FEW_VALUES = 5
_MOST_SETTINGS = 60


@dataclass(frozen=True, slots=True)
class Contrast:
    """Difference of two averages.

    `z` is the difference over its standard error, `p` by the difference's degrees of freedom;
    `p_holm` is corrected over the term's contrasts.
    """

    one: str
    other: str
    difference: Estimate
    z: float
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Margins:
    """Averages of the response with a term set to each of its values for every row.

    Attributes
    ----------
    term
        As asked, e.g. ``period``, ``cond:solver``, ``Days=0,5,9``.
    labels
        One a setting: its values in the term's order, e.g. ``a, 5``.
    averages
        One a setting.
    contrasts
        All pairs.
    """

    term: str
    labels: tuple[str, ...]
    averages: tuple[Estimate, ...]
    contrasts: tuple[Contrast, ...]


def margins(result: MixedResult, term: str) -> Margins:
    """Return averaged responses for the values of one column or of several.

    Every row of the table is given the value, other columns stay as they are; the model's
    response is averaged over the rows and over the random effects (so a probability is
    the population's, not that of a person in the middle). Standard errors by the delta
    method, over coefficients and covariances; degrees of freedom as of the coefficients.

    Parameters
    ----------
    result
        A fitted model.
    term
        A column of the formula, or several joined by ``:``. Text and numbers with up to
        five values take their values, other numbers the mean and one standard deviation
        around it, unless values are given: ``Days=0,5,9``.

    Raises
    ------
    UserError
        If the formula has no such column, or a value doesn't occur.
    """
    frame = result.estimates.design.recipe.frame
    columns = [_values(part, result, frame) for part in term.split(":")]
    settings = list(itertools.product(*[[(name, v) for v in values] for name, values in columns]))
    if len(settings) > _MOST_SETTINGS:
        raise UserError(f"{term}: {len(settings)} settings; {_MOST_SETTINGS} at most")
    offset = result.estimates.design.offset
    found = [average(result, _at(frame, dict(setting)), offset) for setting in settings]
    values, slopes = (np.array(part) for part in zip(*found, strict=True))
    marginals = Marginals(values, slopes, result.estimates, result.family)
    labels = tuple(", ".join(_shown(value) for _, value in setting) for setting in settings)
    averages = tuple(marginals.probability(place) for place in range(len(settings)))
    return Margins(term, labels, averages, _pairs(marginals, labels))


def _values(part: str, result: MixedResult, frame: pd.DataFrame) -> tuple[str, Sequence[object]]:
    name, given, text = part.partition("=")
    name = name.strip()
    predictors = _predictors(result, frame)
    if name not in predictors:
        raise UserError(f"{name}: no fixed effect of the model; it has {', '.join(predictors)}")
    cells = frame[name]
    coded = re.compile(rf"\bC\({re.escape(name)}[,)]")
    is_factor = cells.dtype == object or any(
        coded.search(term) for term in result.estimates.design.fixed_names
    )
    if not given:
        return name, sorted(cells.unique()) if is_factor else _usual_values(cells)
    wanted: list[object] = [word.strip() for word in text.split(",")]
    if cells.dtype != object:
        try:
            wanted = [float(str(word)) for word in wanted]
        except ValueError:
            raise UserError(f"{part}: {name} takes numbers") from None
    unknown = [str(v) for v in wanted if is_factor and not (cells == v).any()]
    if unknown:
        raise UserError(f"{part}: {name} has no {', '.join(unknown)}; see its values in the table")
    return name, wanted


def _at(frame: pd.DataFrame, setting: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table with every row at the values of a setting."""
    return frame.assign(**setting)


def _predictors(result: MixedResult, frame: pd.DataFrame) -> list[str]:
    """Return the columns that the fixed effects use."""
    used = result.estimates.design.recipe.fixed.columns
    return [str(name) for name in frame if name in used]


def _usual_values(cells: pd.Series) -> Sequence[object]:
    values = sorted(cells.unique())
    if len(values) <= _FEW_VALUES:
        return values
    mean, sd = float(cells.mean()), float(cells.std())
    return [mean - sd, mean, mean + sd]


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, int | float | np.number) else str(value)


def _pairs(marginals: Marginals, labels: Sequence[str]) -> tuple[Contrast, ...]:
    pairs = list(itertools.combinations(range(len(labels)), 2))
    rows = []
    for one, other in pairs:
        weights = np.zeros(len(labels))
        weights[other], weights[one] = 1, -1
        difference = marginals.contrast(weights)
        rows.append((labels[other], labels[one], difference, difference.ratio, difference.p))
    raw = np.array([row[-1] for row in rows])
    known = np.isfinite(raw)
    holm = np.full(len(rows), np.nan)
    if known.any():
        holm[known] = multipletests(raw[known], method="holm")[1]
    return tuple(Contrast(*row, float(p)) for row, p in zip(rows, holm, strict=True))

"""From a formula in lme4's notation and a table to matrices."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import formulae
import numpy as np
import pandas as pd

from stimuli.errors import UserError

Array = np.ndarray

_DOUBLE_BAR = re.compile(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\|\|([^()]*)\)")


@dataclass(frozen=True, slots=True)
class RandomTerm:
    """One independent random effect: a regressor whose slope varies over a group's levels.

    Attributes
    ----------
    group
        Name of the grouping factor; nested factors are written ``g:h``.
    term
        ``(Intercept)`` or the slope's name.
    codes
        (n,) level of every row, 0-based.
    levels
        The levels, in sorted order.
    regressor
        (n,) 1 for an intercept, else the slope's values.
    """

    group: str
    term: str
    codes: Array
    levels: tuple[str, ...]
    regressor: Array


@dataclass(frozen=True, slots=True)
class Design:
    """Response, fixed-effects matrix and random terms of one model.

    Attributes
    ----------
    formula
        As written, ``||`` included.
    response
        (n,) float.
    fixed
        (n, p) float; its columns are named by `fixed_names`.
    random
        The random terms, in the formula's order.
    """

    formula: str
    response: Array
    fixed: Array
    fixed_names: tuple[str, ...]
    random: tuple[RandomTerm, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.response)

    @property
    def groups(self) -> dict[str, int]:
        """Number of levels of every grouping factor."""
        return {term.group: len(term.levels) for term in self.random}


def expand_double_bars(formula: str) -> str:
    """Return the formula with ``(a + b || g)`` as ``(1 | g) + (0 + a | g) + (0 + b | g)``.

    The left side is expanded by the formula's own algebra, so ``x*z`` gives x, z
    and x:z.

    Examples
    --------
    >>> expand_double_bars("y ~ x + (1 + x || g)")
    'y ~ x + (1 | g) + (0 + x | g)'
    """
    return _DOUBLE_BAR.sub(_independent_terms, formula)


def _independent_terms(match: re.Match[str]) -> str:
    left, group = match.group(1), match.group(2).strip()
    terms = [term.name for term in formulae.model_description(f"{left}").terms]
    parts = [f"(1 | {group})" if t == "Intercept" else f"(0 + {t} | {group})" for t in terms]
    return " + ".join(parts)


def build_design(formula: str, frame: pd.DataFrame) -> Design:
    """Return the matrices of a model with independent random effects.

    Parameters
    ----------
    formula
        In lme4's notation; random parts are intercepts, single slopes or ``||``.
    frame
        One row an observation, without missing cells in the formula's columns.

    Raises
    ------
    UserError
        If a column is not in the table, or random effects are asked to correlate
        (``(1 + x | g)``), which the engine can't fit.
    """
    _refuse_correlated(formula)
    try:
        matrices = formulae.design_matrices(expand_double_bars(formula), frame, na_action="error")
    except KeyError as error:
        raise UserError(f"formula {formula!r}: the table has no column {error}") from None
    common = matrices.common.as_dataframe()
    random = matrices.group.terms.values() if matrices.group is not None else ()
    return Design(
        formula=formula,
        response=np.asarray(matrices.response.design_matrix, dtype=float).ravel(),
        fixed=common.to_numpy(dtype=float),
        fixed_names=tuple(_spelled(name) for name in common.columns),
        random=tuple(part for term in random for part in _random_parts(term, frame)),
    )


def _refuse_correlated(formula: str) -> None:
    for left, bar, group in re.findall(r"\(([^()|]*)(\|\|?)([^()|]*)\)", formula):
        terms = [term.name for term in formulae.model_description(left or "1").terms]
        if bar == "|" and len(terms) > 1:
            raise UserError(
                f"formula {formula!r}: correlated effects by {group.strip()} can't be fitted "
                f"here; write ({left.strip()} || {group.strip()})"
            )


def _random_parts(term: object, frame: pd.DataFrame) -> list[RandomTerm]:
    group = term.factor.name
    columns = group.split(":")
    keys = frame[columns[0]].astype(str)
    for column in columns[1:]:
        keys = keys + ":" + frame[column].astype(str)
    levels, codes = np.unique(keys.to_numpy(dtype=str), return_inverse=True)
    values = np.ones(len(frame)) if term.kind == "intercept" else np.asarray(term.expr.data)
    values = values.reshape(len(frame), -1)
    slope = _spelled("Intercept" if term.kind == "intercept" else term.expr.name)
    names = [slope] if values.shape[1] == 1 else list(term.expr.labels)
    return [
        RandomTerm(group, name, codes, tuple(levels.tolist()), values[:, place].astype(float))
        for place, name in enumerate(names)
    ]


def _spelled(name: str) -> str:
    return "(Intercept)" if name == "Intercept" else name


def independent_columns(matrix: Array, names: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the columns to keep, and the names of those that others already determine.

    Columns are taken in order; one that lies in the span of the kept ones is left
    out (relative tolerance 1e-8), so that earlier terms win.
    """
    kept: list[int] = []
    aliased: list[str] = []
    basis = np.zeros((matrix.shape[0], 0))
    for place, name in enumerate(names):
        column = matrix[:, place]
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length <= 1e-8 * max(float(np.linalg.norm(column)), 1e-300):
            aliased.append(name)
        else:
            kept.append(place)
            basis = np.column_stack([basis, rest / length])
    return kept, aliased

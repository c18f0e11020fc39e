"""From a formula and a table to matrices."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from analysis.mixed.effects import Effects, complete, typed, typed_again
from analysis.mixed.formula import Formula, RandomPart, read_formula
from analysis.mixed.response import ordered_response, read_response
from stimuli.errors import UserError

Array = np.ndarray


@dataclass(frozen=True, slots=True)
class RandomFactor:
    """A grouping factor with the effects that vary over its levels.

    Attributes
    ----------
    group
        Its name; nested factors are written ``g:h``.
    terms
        Names of the k effects: ``(Intercept)`` or a slope's.
    blocks
        The effects' places, by which of them may correlate: ``((0, 1),)`` for
        ``(1 + x | g)``, ``((0,), (1,))`` for ``(1 + x || g)``.
    codes
        (n,) level of every row, 0-based.
    levels
        Number of levels.
    regressors
        (n, k) 1 for an intercept, else the slope's values.
    """

    group: str
    terms: tuple[str, ...]
    blocks: tuple[tuple[int, ...], ...]
    codes: Array
    levels: int
    regressors: Array

    def keep(self, places: Sequence[int]) -> "RandomFactor":
        """Return the factor with some of its effects only."""
        new = {place: number for number, place in enumerate(places)}
        blocks = (tuple(new[p] for p in block if p in new) for block in self.blocks)
        return RandomFactor(
            self.group,
            tuple(self.terms[place] for place in places),
            tuple(block for block in blocks if block),
            self.codes,
            self.levels,
            self.regressors[:, list(places)],
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make rows of the same matrices from a new table.

    Attributes
    ----------
    fixed
        The fixed effects.
    columns
        Its columns that stayed in the model.
    random
        For every factor of the design its parts, each with the columns that stayed.
    frame
        The rows that the model was fitted to, columns typed.
    places
        (n,) their places in the given table, from 0.
    """

    fixed: Effects
    columns: tuple[int, ...]
    random: tuple[tuple[tuple[Effects, tuple[int, ...]], ...], ...]
    frame: pd.DataFrame = field(repr=False)
    places: Array = field(repr=False, default_factory=lambda: np.zeros(0, dtype=int))

    def rows(self, frame: pd.DataFrame) -> tuple[Array, list[Array]]:
        """Return the fixed columns (m, p) and every factor's regressors (m, k)."""
        frame = typed_again(frame, self.frame)
        fixed = self.fixed.rows(frame)[:, list(self.columns)]
        random = [
            np.hstack([effects.rows(frame)[:, list(kept)] for effects, kept in parts])
            for parts in self.random
        ]
        return fixed, random


@dataclass(frozen=True, slots=True)
class Design:
    """Response, fixed-effects matrix and grouping factors of one model.

    Attributes
    ----------
    formula
        As written.
    response
        (n,) float; successes where the response is a count of them.
    trials
        (n,) the number of trials behind each row's successes, or 1; the rows' weights for families
        other than binomial and probit.
    offset
        (n,) added to the linear predictor with coefficient 1.
    fixed
        (n, p) float; its columns are named by `fixed_names`.
    random
        The grouping factors, in the formula's order.
    recipe
        How new rows are made.
    notes
        What was done to the table, one sentence each.
    levels
        An ordinal response's, from the lowest; the response then counts them from 0.
    """

    formula: str
    response: Array
    trials: Array
    offset: Array
    fixed: Array
    fixed_names: tuple[str, ...]
    random: tuple[RandomFactor, ...]
    recipe: Recipe = field(repr=False)
    notes: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.response)

    @property
    def groups(self) -> dict[str, int]:
        """Number of levels of every grouping factor."""
        return {factor.group: factor.levels for factor in self.random}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table is read besides the formula's terms.

    Attributes
    ----------
    weights
        Column of the rows' weights, above 0, as in lme4: a gaussian row's residual variance is
        divided by its weight, a binomial row's share of successes is of that many trials, any other
        row's log-density is multiplied by it.
    levels
        An ordinal response's, from the lowest; needed if they are text.
    also
        Further columns whose cells must not be missing, so that another model can be
        fitted to the same rows.
    """

    weights: str | None = None
    levels: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


_USUAL = Reading()


def build_design(
    formula: str, frame: pd.DataFrame, family: str, reading: Reading = _USUAL
) -> Design:
    """Return the matrices of a model.

    Rows with a missing cell in one of the formula's columns are left out, and a note says so.

    Parameters
    ----------
    formula
        In lme4's notation.
    frame
        One row for each observation.
    family
        One of `analysis.mixed.families.FAMILIES`.
    reading
        Weights and levels.

    Raises
    ------
    UserError
        If the formula can't be read, or a column is missing or of the wrong kind.
    """
    parts, weights = read_formula(formula, frame.columns), reading.weights
    if weights is not None and weights not in frame:
        raise UserError(f"--weights {weights}: the table has no such column")
    weighing = [weights] if weights is not None else []
    wanted = list(dict.fromkeys([*parts.columns, *weighing, *reading.also]))
    rows, notes = complete(frame, wanted)
    if rows.empty:
        raise UserError(f"formula {formula!r}: no row has a cell in each of {', '.join(wanted)}")
    groups = {name for part in parts.random for group in part.groups for name in group}
    groups |= set(reading.also) - set(parts.columns)
    if reading.levels:
        groups |= {token.text for token in parts.response if token.kind == "name"}
    numeric = [*parts.numeric_columns(), *weighing]
    table = typed(rows, wanted, numeric=numeric, groups=groups)
    row_weights = table[weights].to_numpy(dtype=float) if weights is not None else None
    if family == "ordinal":
        response, levels = ordered_response(parts.response, table, reading.levels)
        trials = np.ones(len(rows)) if row_weights is None else row_weights
    else:
        response, trials = read_response(parts.response, table, family, rows, row_weights)
        levels = ()
    fixed = Effects.fit(parts.fixed, table, formula)
    random, made, more = _random(parts, table, formula)
    design = Design(
        formula=formula,
        response=response,
        trials=trials,
        offset=_offset(parts, table, formula),
        fixed=fixed.matrix,
        fixed_names=fixed.names,
        random=random,
        recipe=Recipe(
            fixed.bare(), tuple(range(len(fixed.names))), made, table, rows.index.to_numpy()
        ),
        notes=(*notes, *more),
        levels=levels,
    )
    _check_finite(design)
    return _below_thresholds(design) if levels else design


def _below_thresholds(design: Design) -> Design:
    """Leave out the intercept, which the thresholds replace, and columns that they determine."""
    whole = np.column_stack([np.ones(design.rows), design.fixed])
    names = ("the thresholds", *design.fixed_names)
    places, aliased = independent_columns(whole, names)
    kept = [place - 1 for place in places if place]
    dropped = [name for name in aliased if name != "(Intercept)"]
    notes = [f"{name} was left out: the thresholds and the terms before it determine it."
             for name in dropped]  # fmt: skip
    return replace(
        design,
        fixed=design.fixed[:, kept],
        fixed_names=tuple(design.fixed_names[place] for place in kept),
        recipe=replace(design.recipe, columns=tuple(kept)),
        notes=(*design.notes, *notes),
    )


def _random(
    parts: Formula, table: pd.DataFrame, formula: str
) -> tuple[tuple[RandomFactor, ...], tuple, list[str]]:
    factors: dict[str, RandomFactor] = {}
    made: dict[str, list[tuple[Effects, tuple[int, ...]]]] = {}
    notes: list[str] = []
    for part in parts.random:
        effects = Effects.fit(part.effects, table, formula)
        if not effects.names:
            raise UserError(f"formula {formula!r}: nothing varies by {':'.join(part.groups[0])}")
        if part.independent and effects.has_factors:
            notes.append(
                f"(... || {':'.join(part.groups[-1])}) contains a factor: its columns "
                f"({', '.join(effects.names)}) vary independently of each other."
            )
        for columns in part.groups:
            group = ":".join(columns)
            factors[group] = _joined(factors.get(group), part, effects, columns, table, formula)
            made.setdefault(group, []).append((effects.bare(), tuple(range(len(effects.names)))))
    return tuple(factors.values()), tuple(tuple(made[group]) for group in factors), notes


def _joined(
    before: RandomFactor | None,
    part: RandomPart,
    effects: Effects,
    columns: tuple[str, ...],
    table: pd.DataFrame,
    formula: str,
) -> RandomFactor:
    k = len(effects.names)
    places = tuple((place,) for place in range(k)) if part.independent else (tuple(range(k)),)
    if before is None:
        codes, levels = level_codes([table[column] for column in columns])
        return RandomFactor(":".join(columns), effects.names, places, codes, levels, effects.matrix)
    twice = set(before.terms) & set(effects.names)
    if twice:
        raise UserError(
            f"formula {formula!r}: {', '.join(sorted(twice))} by {before.group} occurs twice"
        )
    first = len(before.terms)
    return RandomFactor(
        before.group,
        before.terms + effects.names,
        before.blocks + tuple(tuple(first + p for p in block) for block in places),
        before.codes,
        before.levels,
        np.hstack([before.regressors, effects.matrix]),
    )


def level_codes(columns: Sequence[pd.Series]) -> tuple[Array, int]:
    """Return (n,) codes of the combinations that occur, and how many there are."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        column_codes, labels = pd.factorize(column, sort=True)
        codes, _ = pd.factorize(codes * len(labels) + column_codes, sort=True)
    return codes.astype(np.int64), int(codes.max()) + 1


def _offset(parts: Formula, table: pd.DataFrame, formula: str) -> Array:
    total = np.zeros(len(table))
    for tokens in parts.offsets:
        total += Effects.number(tokens, table, formula)
    return total


def _check_finite(design: Design) -> None:
    matrices = [(design.fixed, design.fixed_names)]
    matrices += [(factor.regressors, factor.terms) for factor in design.random]
    matrices += [(design.offset[:, None], ("the offset",))]
    matrices += [(design.response[:, None], ("the response",))]
    for matrix, names in matrices:
        odd = ~np.isfinite(matrix)
        for place in np.flatnonzero(odd.any(axis=0)):
            raise UserError(
                f"formula {design.formula!r}: {names[place]} is not a finite number in "
                f"{int(odd[:, place].sum())} rows; leave them out or choose another scale"
            )


def independent_columns(matrix: Array, names: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the columns to keep, and the names of those that others already determine.

    Columns are taken in order; one of which the kept ones leave next to nothing (`next_to_nothing`)
    is left out, so that earlier terms win.
    """
    kept: list[int] = []
    aliased: list[str] = []
    basis = np.empty(matrix.shape, order="F")
    least = next_to_nothing(matrix)
    for place, name in enumerate(names):
        column, known = matrix[:, place], basis[:, : len(kept)]
        rest = column - known @ (known.T @ column)
        rest -= known @ (known.T @ rest)
        length = float(np.linalg.norm(rest))
        if length <= least[place]:
            aliased.append(name)
        else:
            basis[:, len(kept)] = rest / length
            kept.append(place)
    return kept, aliased


def next_to_nothing(columns: Array) -> Array:
    """Return the length up to which what is left of each column counts as nothing, (p,).

    A millionth of the column's spread around its mean, whatever its unit and wherever its zero is:
    columns that differ less are the same, written with other digits. Of a column that hardly
    varies, what can be rounding.
    """
    spread = np.linalg.norm(columns - columns.mean(axis=0), axis=0)
    return np.maximum(1e-6 * spread, 1e-13 * np.maximum(np.linalg.norm(columns, axis=0), 1e-300))

"""The response of a model, checked against its family."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.mixed.effects import Effects, as_numbers, label_of
from analysis.mixed.families import COUNTS, SHARES
from analysis.mixed.formula import Tokens, as_written, whole_call
from stimuli.errors import UserError

Array = np.ndarray

_MOST_LEVELS = 50
_WHOLE = 1e-6  # of the trials: shares in a file have a few digits


def read_response(
    tokens: Tokens,
    table: pd.DataFrame,
    family: str,
    rows: pd.DataFrame,
    weights: Array | None = None,
) -> tuple[Array, Array]:
    """Return the response (n,) and the number of trials, or weight, (n,) behind each.

    Parameters
    ----------
    tokens
        What stands left of ``~``.
    table
        Typed columns.
    family
        One of `analysis.mixed.families.FAMILIES`.
    rows
        The same rows as read; their index names lines in messages.
    weights
        (n,) rows' weights; trials for a binomial response, which may then be a share.

    Raises
    ------
    UserError
        If the response doesn't suit the family, or a weight isn't above 0.
    """
    text = as_written(tokens)
    if weights is not None:
        _refuse(weights <= 0, weights, "a weight", rows, "weights are above 0")
    values, trials = _unweighted(tokens, text, table, family, rows, weights)
    if weights is None:
        return values, trials
    if family not in SHARES:
        return values, weights
    return values * weights, trials * weights


def _unweighted(
    tokens: Tokens,
    text: str,
    table: pd.DataFrame,
    family: str,
    rows: pd.DataFrame,
    weights: Array | None,
) -> tuple[Array, Array]:
    counts = whole_call(tokens, "cbind")
    if counts is not None:
        return _cbind(counts, text, table, family, rows)
    if any(token.text == "cbind" for token in tokens):
        raise UserError(f"{text}: cbind(successes, failures) is the whole response or none of it")
    if len(tokens) == 1 and tokens[0].kind == "name":
        values = _column(tokens[0].text, table, family, rows)
    else:
        _check_numeric(tokens, table, rows)
        values = Effects.number(tokens, table, text)
    if weights is not None and family in SHARES:
        successes = values * weights
        whole = np.abs(successes - np.round(successes)) < _WHOLE * np.maximum(weights, 1)
        fits = (values >= 0) & (values <= 1) & (whole | np.isin(values, (0.0, 1.0)))
        _refuse(~fits, values, text, rows, "times its weight it is no number of successes")
        return values, np.ones(len(values))
    return _checked(values, text, family, rows), np.ones(len(values))


def _column(name: str, table: pd.DataFrame, family: str, rows: pd.DataFrame) -> Array:
    cells = table[name]
    if cells.dtype != object:
        return cells.to_numpy(dtype=float)
    if family not in SHARES:
        stray = as_numbers(rows[name]).isna()
        place = stray[stray].index[0]
        raise UserError(
            f"{name} is {rows[name][place]!r} in line {place + 2}: "
            f"a {family} response needs numbers"
        )
    folded = cells.str.lower()
    values = np.unique((folded if set(folded) <= {"true", "false"} else cells).to_numpy(dtype=str))
    if len(values) > 2:
        first_values = ", ".join(values[:5]) + (", ..." if len(values) > 5 else "")
        raise UserError(
            f"{name} has {len(values)} values ({first_values}): a {family} response has two, "
            "or is cbind(successes, failures)"
        )
    if len(values) < 2:
        raise UserError(f"{name} is {values[0]!r} in every row: there is nothing to fit")
    cells = folded if values[1] == "true" else cells
    return (cells.to_numpy(dtype=str) == values[1]).astype(float)


def _checked(values: Array, text: str, family: str, rows: pd.DataFrame) -> Array:
    if family in SHARES:
        odd = ~np.isin(values, (0.0, 1.0))
        inside = odd & (values > 0) & (values < 1)
        advice = (
            "shares need their trials: write cbind(successes, failures)"
            if inside.any()
            else f"a {family} response is 0 or 1, or cbind(successes, failures)"
        )
        _refuse(odd, values, text, rows, advice)
    if family in COUNTS:
        odd = (values < 0) | (values % 1 != 0)
        _refuse(odd, values, text, rows, f"a {family} response counts: 0, 1, 2, ...")
    if family == "gamma":
        _refuse(values <= 0, values, text, rows, "a gamma response is above 0")
    return values


def _cbind(
    counts: tuple[Tokens, ...], text: str, table: pd.DataFrame, family: str, rows: pd.DataFrame
) -> tuple[Array, Array]:
    if family not in SHARES:
        raise UserError(f"{text}: cbind(successes, failures) goes with --family binomial or probit")
    if len(counts) != 2 or not all(counts):
        raise UserError(f"{text}: cbind takes two, successes and failures")
    for tokens in counts:
        _check_numeric(tokens, table, rows)
    successes, failures = (Effects.number(tokens, table, text) for tokens in counts)
    for values in (successes, failures):
        odd = (values < 0) | (values % 1 != 0)
        _refuse(odd, values, text, rows, "successes and failures count: 0, 1, 2, ...")
    return successes, successes + failures


def ordered_response(
    tokens: Tokens, table: pd.DataFrame, order: Sequence[str]
) -> tuple[Array, tuple[str, ...]]:
    """Return (n,) the place of each row's level from 0, and the levels that occur, in order.

    Parameters
    ----------
    tokens
        What stands left of ``~``: one column.
    table
        Typed columns.
    order
        The levels from the lowest; empty for numbers, which have an order.

    Raises
    ------
    UserError
        If it isn't one column, its order isn't known, or fewer than two levels occur.
    """
    if len(tokens) != 1 or tokens[0].kind != "name":
        raise UserError(f"{as_written(tokens)}: an ordinal response is one column")
    name, cells = tokens[0].text, table[tokens[0].text]
    values = sorted(cells.unique())
    if cells.dtype == object and not order:
        first_values = ", ".join(values[:5]) + (", ..." if len(values) > 5 else "")
        raise UserError(
            f"{name} is text ({first_values}): give its order with --levels LOWEST,...,HIGHEST"
        )
    labels = [label_of(value) for value in values]
    strange = [label for label in labels if order and label not in order]
    if strange:
        raise UserError(f"{name} has {', '.join(strange[:5])}, which --levels doesn't list")
    levels = [label for label in order if label in labels] if order else labels
    if len(levels) < 2:
        raise UserError(f"{name} is {labels[0]} in every row: an ordinal response has two levels")
    if len(levels) > _MOST_LEVELS:
        raise UserError(
            f"{name} has {len(levels)} values: an ordinal response has {_MOST_LEVELS} at most; "
            "for more there is --family gaussian"
        )
    places = {
        value: float(levels.index(label)) for value, label in zip(values, labels, strict=True)
    }
    return cells.map(places).to_numpy(dtype=float), tuple(levels)


def _check_numeric(tokens: Tokens, table: pd.DataFrame, rows: pd.DataFrame) -> None:
    for token in tokens:
        if token.kind == "name" and table[token.text].dtype == object:
            stray = as_numbers(rows[token.text]).isna()
            place = stray[stray].index[0]
            raise UserError(
                f"{token.text} is {rows[token.text][place]!r} in line {place + 2} "
                "where a number is needed"
            )


def _refuse(odd: Array, values: Array, text: str, rows: pd.DataFrame, advice: str) -> None:
    if odd.any():
        place = int(np.flatnonzero(odd)[0])
        raise UserError(f"{text} is {values[place]:g} in line {rows.index[place] + 2}: {advice}")

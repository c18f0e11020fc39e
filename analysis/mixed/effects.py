"""The columns of one side of a formula: contrasts, interactions and transformations.

A table's cells are read as numbers or as levels of a factor.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import formulae
import numpy as np
import pandas as pd
from formulae.transforms import register_stateful_transform

from analysis.mixed.formula import Token, Tokens, as_written, fault
from stimuli.errors import UserError

Array = np.ndarray

MISSING = frozenset({"", "NA", "NaN", "nan", "N/A", "<NA>"})
_STRAY_SHARE = 0.9
_STRAY_LEVELS = 10

_ALIAS = re.compile(r"\b(?:column|level)(\d+)_\b")
_WHOLE = re.compile(r"(?<![\w.])(\d+)\.0(?![\w.])")
_POLY = re.compile(r"(poly\([^()]*(?:\([^()]*\)[^()]*)*\))\[(\d+)\]")

_I, _OPEN, _CLOSE = Token("function", "I"), Token("operator", "("), Token("operator", ")")
_ZERO, _PLUS = Token("number", "0"), Token("operator", "+")
_SPELLED = {"log": "np.log", "scale": "sample_scale"}


def complete(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows without a missing cell in the columns, and a note on the others.

    The index keeps the rows' places in the given table, from 0.
    """
    table = frame[list(columns)].reset_index(drop=True)
    missing = {name: _missing(table[name]) for name in columns}
    incomplete = np.zeros(len(table), dtype=bool)
    for cells in missing.values():
        incomplete |= cells
    if not incomplete.any():
        return table, []
    by = ", ".join(f"{name} {int(m.sum())}" for name, m in missing.items() if m.any())
    note = f"{int(incomplete.sum())} of {len(table)} rows were left out for missing cells ({by})."
    return table[~incomplete], [note]


def _missing(cells: pd.Series) -> np.ndarray:
    missing = cells.isna().to_numpy(dtype=bool)
    if is_text(cells):
        missing = missing | cells.astype(str).str.strip().isin(MISSING).to_numpy(dtype=bool)
    return missing


def is_text(cells: pd.Series) -> bool:
    """Whether a column holds anything but numbers (booleans count as text)."""
    return not pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells)


def typed(
    rows: pd.DataFrame,
    columns: Sequence[str],
    numeric: Collection[str] = (),
    groups: Collection[str] = (),
) -> pd.DataFrame:
    """Return the columns as int64, float64 or text.

    Numbers stay numbers, whole ones become integers; a column of text is a factor, even if its text
    could be read as numbers.

    Parameters
    ----------
    rows
        Rows without missing cells.
    columns
        Which columns.
    numeric
        Columns that must hold numbers.
    groups
        Columns that divide rows into groups; they may hold any text.

    Raises
    ------
    UserError
        If a numeric column holds text; the first such cell is named.
    """
    table = {}
    for name in columns:
        # As floats, whole numbers beyond 2^53 would merge ids.
        if name not in numeric and pd.api.types.is_integer_dtype(rows[name]):
            kind = np.uint64 if rows[name].max() >= 2**63 else np.int64
            table[name] = rows[name].astype(kind)
            continue
        numbers = as_numbers(rows[name])
        stray = numbers.isna()
        if name in numeric and stray.any():
            raise UserError(_stray(rows, name, stray) + " where a number is needed")
        if name in numeric or (not is_text(rows[name]) and not stray.any()):
            table[name] = _whole(numbers)
            continue
        if name not in groups and _looks_numeric(rows[name], stray):
            raise UserError(
                _stray(rows, name, stray) + ", and numbers elsewhere; mend or empty that cell"
            )
        table[name] = rows[name].astype(str).str.strip().astype(object)
    return pd.DataFrame(table).reset_index(drop=True)


def typed_again(frame: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that a typed table has, too; as text if they are text there."""
    have = [name for name in like if name in frame]
    text = {name: object for name in have if like[name].dtype == object}
    return frame[have].astype(text)


def as_numbers(cells: pd.Series) -> pd.Series:
    """Return the cells as float64, NaN if a cell isn't a number."""
    if pd.api.types.is_bool_dtype(cells):
        return pd.Series(np.full(len(cells), np.nan), index=cells.index)
    numbers = pd.to_numeric(cells, errors="coerce").astype(float)
    return numbers.where(np.isfinite(numbers))


def _whole(numbers: pd.Series) -> pd.Series:
    if (numbers % 1 == 0).all() and (numbers.abs() < 2**53).all():
        return numbers.astype(np.int64)
    return numbers


def _looks_numeric(cells: pd.Series, stray: pd.Series) -> bool:
    return 0 < stray.mean() < 1 - _STRAY_SHARE and cells.nunique() > _STRAY_LEVELS


def _stray(rows: pd.DataFrame, name: str, stray: pd.Series) -> str:
    place = stray[stray].index[0]
    return f"{name} is {rows[name][place]!r} in line {place + 2}"


@register_stateful_transform
class SampleScale:
    """Centre and divide by the standard deviation with n - 1, as R's ``scale`` does."""

    __transform_name__ = "sample_scale"

    def __init__(self) -> None:
        self._mean: float | None = None
        self._sd = 1.0

    def __call__(self, x: Array) -> Array:
        """Return the scaled values; later calls use the first one's mean and deviation."""
        if self._mean is None:
            self._mean, self._sd = float(np.mean(x)), float(np.std(x, ddof=1))
        return (x - self._mean) / self._sd


@dataclass(frozen=True, slots=True)
class Effects:
    """Fixed effects, or the effects left of a bar.

    Attributes
    ----------
    names
        One per column, e.g. ``(Intercept)``, ``Gender[M]``, ``x:z``, ``poly(x, 2)[1]``.
    matrix
        (n, columns) float.
    has_factors
        Whether a column comes from a factor.
    order
        Places of the columns in the parser's own order.
    parsed
        The parser's matrix, which knows contrasts and transformations, and the columns;
        None if there is no effect.
    """

    names: tuple[str, ...]
    matrix: Array
    has_factors: bool
    order: tuple[int, ...]
    parsed: Any

    @classmethod
    def fit(cls, tokens: Tokens, table: pd.DataFrame, formula: str) -> "Effects":
        """Evaluate tokens that `read_formula` let through, on typed columns.

        Raises
        ------
        UserError
            If the terms can't be read, or a factor has one level only.
        """
        names = list(dict.fromkeys(t.text for t in tokens if t.kind == "name"))
        _check_levels(tokens, table, formula)
        parsed = _evaluate(_spelled(tokens, names), _aliased(table, names), names, formula)
        if parsed is None:
            return cls((), np.zeros((len(table), 0)), False, (), None)
        frame = parsed.as_dataframe()
        order = sorted(range(frame.shape[1]), key=lambda place: _degree(frame.columns[place]))
        levels = {text for name in names if table[name].dtype == object for text in table[name]}
        spelled = tuple(_named(frame.columns[place], names, levels) for place in order)
        matrix = frame.to_numpy(dtype=float)[:, order]
        factors = any("[" in name and "poly(" not in name for name in frame.columns)
        return cls(spelled, matrix, factors, tuple(order), (parsed, tuple(names)))

    @staticmethod
    def number(tokens: Tokens, table: pd.DataFrame, formula: str) -> Array:
        """Return (n,) the value of one numeric expression, e.g. ``size - incidence``."""
        call = len(tokens) > 1 and tokens[0].kind == "function"
        wrapped = tokens if call else (_I, _OPEN, *tokens, _CLOSE)
        effects = Effects.fit((_ZERO, _PLUS, *wrapped), table, formula)
        if effects.matrix.shape[1] != 1:
            raise UserError(f"formula {formula!r}: {as_written(tokens)} is not one number a row")
        return effects.matrix[:, 0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns that it uses."""
        return self.parsed[1] if self.parsed is not None else ()

    def bare(self) -> "Effects":
        """Return the recipe without the matrix."""
        return replace(self, matrix=np.zeros((0, len(self.names))))

    def rows(self, frame: pd.DataFrame) -> Array:
        """Return (m, columns) for a new table, with the fitted table's contrasts and scales."""
        if self.parsed is None:
            return np.zeros((len(frame), 0))
        parsed, names = self.parsed
        made = np.asarray(parsed.evaluate_new_data(_aliased(frame, list(names))).design_matrix)
        return made.reshape(len(frame), -1)[:, list(self.order)].astype(float)


def _evaluate(text: str, frame: pd.DataFrame, names: list[str], formula: str) -> Any:
    try:
        # Values that aren't finite are found and reported once the design is complete.
        with np.errstate(all="ignore"):
            return formulae.design_matrices(
                text, frame, na_action="error", extra_namespace={"np": np}
            ).common
    except Exception as error:
        # The parser has no exception type of its own, and its messages hold our column names.
        reason = _named(" ".join(str(error).split()), names) or type(error).__name__
        raise fault(formula, f"can't be read ({reason})") from None


def _spelled(tokens: Tokens, names: list[str]) -> str:
    words, inside = [], []
    for place, token in enumerate(tokens):
        if token.text == "(":
            called = place > 0 and tokens[place - 1].kind in ("function", "coding")
            inside.append(tokens[place - 1].text if called else (inside or [""])[-1])
        elif token.text == ")":
            inside.pop()
        function = inside[-1] if inside else ""
        words.append(_word(token, function, names))
    return " ".join(words) or "0"


def _word(token: Token, function: str, names: list[str]) -> str:
    if token.kind == "name":
        return f"{'level' if function == 'C' else 'column'}{names.index(token.text)}_"
    if token.kind == "function":
        return _SPELLED.get(token.text, token.text)
    if token.kind == "text":
        return f'"{token.text}"'
    if token.kind == "number" and function not in ("", "poly") and token.text.isdigit():
        return token.text + ".0"  # integers grow without bounds under **, floats don't
    return "**" if token.text == "^" else token.text


def _aliased(table: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    columns = {}
    for place, name in enumerate(names):
        cells = table[name]
        columns[f"level{place}_"] = cells
        # Integers become floats, so that their powers don't overflow.
        columns[f"column{place}_"] = cells if cells.dtype == object else cells.astype(float)
    # The parser takes the number of rows from the table, even if a formula names no column.
    return pd.DataFrame(columns or {"none": np.zeros(len(table))}).reset_index(drop=True)


def label_of(value: object) -> str:
    """Return a level's or a setting's label: a number with all its digits, so that none merge."""
    if isinstance(value, float | np.floating):
        value = float(value)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)


def _named(text: str, names: list[str], levels: Collection[str] = ()) -> str:
    """Return a column's name as a formula has it; `levels` are the factors' texts, left alone."""
    if text == "Intercept":
        return "(Intercept)"
    text = _POLY.sub(lambda m: f"{m.group(1)}[{int(m.group(2)) + 1}]", text)
    text = text.replace("sample_scale(", "scale(")
    parts = re.split(r"(\[[^\]]*\])", text)
    text = "".join(part if part[1:-1] in levels else _WHOLE.sub(r"\1", part) for part in parts)
    return _ALIAS.sub(lambda m: names[int(m.group(1))], text)


def _degree(name: str) -> int:
    depth = degree = 0
    for sign in name:
        depth += (sign in "([") - (sign in ")]")
        degree += sign == ":" and depth == 0
    return degree


def _check_levels(tokens: Tokens, table: pd.DataFrame, formula: str) -> None:
    for place, token in enumerate(tokens):
        if token.kind in ("text", "number"):
            _check_level(tokens, place, table, formula)
        if token.kind != "name":
            continue
        cells = table[token.text]
        before = tokens[place - 2].text if place > 1 and tokens[place - 1].text == "(" else ""
        if (cells.dtype == object or before == "C") and cells.nunique() < 2:
            raise UserError(
                f"formula {formula!r}: {token.text} is {cells.iloc[0]!r} in every row; "
                "a factor needs two levels"
            )


def _check_level(tokens: Tokens, place: int, table: pd.DataFrame, formula: str) -> None:
    """Refuse a level that the column doesn't have, in ``x == "a"`` and ``C(x, Treatment("a"))``."""
    back = {"==": 2, "!=": 2, "(": 4}.get(tokens[place - 1].text if place else "", 0)
    is_base = back == 4 and tokens[place - 2].kind == "coding"
    if not is_base and tokens[place].kind == "number":
        return
    if tokens[place - back].kind != "name" or not back:
        raise fault(
            formula, f'text is compared with a column, as in I(x == "{tokens[place].text}")'
        )
    cells = table[tokens[place - back].text]
    wanted = tokens[place].text if tokens[place].kind == "text" else float(tokens[place].text)
    if not (cells == wanted).any():
        levels = ", ".join(map(str, sorted(cells.unique())[:5]))
        raise fault(formula, f"{tokens[place - back].text} has no {wanted!r}; it has {levels}")

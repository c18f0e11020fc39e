"""Cells of a table as numbers or as levels of a factor."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from stimuli.errors import UserError

MISSING = frozenset({"", "NA", "NaN", "nan", "N/A", "<NA>"})
_STRAY_SHARE = 0.9
_STRAY_LEVELS = 10


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
    """Whether a column holds something else than numbers (booleans count as text)."""
    return not pd.api.types.is_numeric_dtype(cells) or pd.api.types.is_bool_dtype(cells)


def typed(
    rows: pd.DataFrame,
    columns: Sequence[str],
    numeric: Collection[str] = (),
    groups: Collection[str] = (),
) -> pd.DataFrame:
    """Return the columns as int64, float64 or text.

    Numbers stay numbers, whole ones become integers; a column of text is a factor, also
    where its text could be read as numbers.

    Parameters
    ----------
    rows
        Rows without missing cells.
    columns
        Which columns.
    numeric
        Columns that must hold numbers.
    groups
        Columns that part rows into groups: any text may stand there.

    Raises
    ------
    UserError
        If a numeric column holds text; the first such cell is named.
    """
    table = {}
    for name in columns:
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
    """Return the columns that a typed table has too, text where they are text there."""
    have = [name for name in like if name in frame]
    text = {name: object for name in have if like[name].dtype == object}
    return frame[have].astype(text)


def as_numbers(cells: pd.Series) -> pd.Series:
    """Return the cells as float64, NaN where one is no number."""
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

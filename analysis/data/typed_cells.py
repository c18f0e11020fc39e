"""From columns' text to values, or to what is wrong: cells, and names of columns that lack."""

import difflib
from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd

from analysis.data.table_text import TextColumn, TextTable, or_none
from stimuli.io.tables import Column

Array = np.ndarray

TRUE = frozenset({"true", "t", "yes", "y", "1", "1.0", "wahr", "ja"})
FALSE = frozenset({"false", "f", "no", "n", "0", "0.0", "falsch", "nein"})
NOT_NEGATIVE = frozenset({"rt_s", "cutoff_s"})
TIMES = frozenset({"rt_s", "own_rt_s", "rt_corrected_s", "rating_rt_s", "typing_s"})
LONGEST_USUAL_S = 300.0
"""If half of the times to an answer are longer, they aren't in seconds."""
_LARGEST_WHOLE = 2.0**53

# What other programs call the columns that every study needs; compared without case and signs.
_ALSO_CALLED = {
    "participant": ("subject", "subj", "subjectid", "sub", "id", "code", "person", "worker"),
    "item": ("stimulus", "stim", "image", "plate", "itemid", "trialitem"),
    "explained": ("explanation", "withexplanation", "condition"),
    "solver": ("source", "agent"),
    "decision": ("response", "answer", "choice", "verdict"),
    "method": ("condition", "explainer", "xai", "xaimethod", "technique"),
    "class": ("label", "category", "truelabel", "target", "classname"),
    "recognised": ("recognized", "correct", "success", "solved", "hit"),
    "step": ("revelationstep", "steps", "revealstep"),
    "pixels": ("pixel", "npixels", "pixelcount", "uncovered"),
    "rt_s": ("rt", "rts", "rtms", "reactiontime", "responsetime", "latency", "time"),
}

_ALIKE = 0.75


def typed(cells: TextColumn, column: Column, filled: bool, table: TextTable) -> pd.Series:
    """Return a column's values as its schema says.

    Parameters
    ----------
    cells
        The column's text.
    column
        What it should hold.
    filled
        Whether no cell may be empty.
    table
        The table it stands in: tells line numbers and whether decimals have commas.

    Raises
    ------
    ValueError
        If a cell is empty that must not be, or is not what the schema says: the first
        such cell and its line.
    """
    empty = cells.missing
    if filled and cells.first(empty) >= 0:
        raise ValueError(f"{column.name} is empty in line {table.lines[cells.first(empty)]}")
    refuse = _refuser(cells, column, table)
    if column.levels is not None:
        levels = list(column.levels)
        refuse(~empty & ~np.isin(cells.texts, levels), f"one of {', '.join(levels)}")
    if column.kind == "boolean":
        return _booleans(cells, empty, refuse)
    if column.kind in ("real", "integer"):
        return _numbers(cells, empty, column, table, refuse)
    return pd.Series(cells.spread(or_none(cells.texts, empty)), dtype=object)


def _refuser(cells: TextColumn, column: Column, table: TextTable) -> Callable[[Array, str], None]:
    def refuse(odd: Array, wanted: str) -> None:
        row = cells.first(odd)
        if row >= 0:
            text = cells.texts[cells.codes[row]]
            shown = text if len(text) <= 60 else text[:57] + "..."
            raise ValueError(f"{column.name} is {shown!r} in line {table.lines[row]}, not {wanted}")

    return refuse


def _booleans(cells: TextColumn, empty: Array, refuse: Callable[[Array, str], None]) -> pd.Series:
    folded = [text.casefold() for text in cells.texts]
    true = np.array([text in TRUE for text in folded], dtype=bool)
    false = np.array([text in FALSE for text in folded], dtype=bool)
    refuse(~empty & ~true & ~false, "true or false")
    values = pd.array(or_none(true, empty), dtype="boolean")
    return pd.Series(values.take(cells.codes))


def _numbers(
    cells: TextColumn,
    empty: Array,
    column: Column,
    table: TextTable,
    refuse: Callable[[Array, str], None],
) -> pd.Series:
    texts = pd.Series(or_none(cells.texts, empty), dtype=object)
    if table.decimal_comma:
        # One comma is a decimal point; with a point beside it, it would be a guess.
        one = texts.str.count(",").eq(1) & ~texts.str.contains(".", regex=False, na=False)
        texts = texts.where(~one, texts.str.replace(",", ".", regex=False))
    values = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float)
    refuse(~empty & ~np.isfinite(values), "a number")
    if column.name in NOT_NEGATIVE:
        refuse(values < 0, "0 or more")
    if column.scale is not None:
        low, high = column.scale
        refuse(~empty & ~((values >= low) & (values <= high)), f"from {low} to {high}")
    if column.name in TIMES:
        _refuse_milliseconds(values[cells.codes], column, table)
    if column.kind == "integer":
        odd = (values % 1 != 0) | (np.abs(values) > _LARGEST_WHOLE)
        refuse(~empty & odd, "a whole number")
        whole = pd.array(values, dtype="Float64").astype("Int64")
        return pd.Series(whole.take(cells.codes))
    return pd.Series(cells.spread(values))


def _refuse_milliseconds(times: Array, column: Column, table: TextTable) -> None:
    """Refuse a column of times (n,), NaN where there is none, that isn't in seconds."""
    known = np.flatnonzero(np.isfinite(times))
    if len(known) and np.median(times[known]) > LONGEST_USUAL_S:
        row = known[np.argmax(times[known] > LONGEST_USUAL_S)]
        raise ValueError(
            f"{column.name} is {times[row]:g} in line {table.lines[row]}, and half of the column "
            f"is over {LONGEST_USUAL_S:g}: it holds seconds, so divide milliseconds by 1000"
        )


def near_miss(wanted: str, names: Collection[str], taken: Collection[str] = ()) -> str:
    """Return the column that may have been meant; empty where none comes near.

    Parameters
    ----------
    wanted
        The name that the table lacks.
    names
        The table's own names.
    taken
        Names that are needed themselves and so can't be meant.
    """
    free = {_bare(name): name for name in names if name not in taken}
    if _bare(wanted) in free:
        return free[_bare(wanted)]
    for other in _ALSO_CALLED.get(wanted, ()):
        if other in free:
            return free[other]
    close = difflib.get_close_matches(_bare(wanted), list(free), n=1, cutoff=_ALIKE)
    return free[close[0]] if close else ""


def missing_words(missing: Sequence[str], names: Collection[str], needed: Collection[str]) -> str:
    """Return the missing columns as ``rt_s (is it 'RT'?), solver``."""
    said = []
    for name in missing:
        near = near_miss(name, names, needed)
        said.append(f"{name} (is it {near!r}?)" if near else name)
    return ", ".join(said)


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())

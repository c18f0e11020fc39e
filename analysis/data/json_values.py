"""Plain values for JSON: no NaN, no NumPy, no digits beyond what was computed."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from typing import Any, Final

import numpy as np

DIGITS = 10
SCALARS: Final = frozenset((str, bool, int, float, type(None)))
"""Types of JSON's own values that hold no others."""
_AS_THEY_ARE: Final = SCALARS - {float}


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Dataclasses become mappings, NumPy scalars and arrays Python's, and NaN, infinity and NA
    None. Floats are rounded to ten significant digits, below which results differ between
    machines.
    """
    # A large study's results are millions of values: the most common types come first.
    kind = type(value)
    if kind is float:
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else None
    if kind in SCALARS:
        return value
    if (names := field_names(kind)) is not None:
        cells = ((name, getattr(value, name)) for name in names)
        return {name: cell if type(cell) in _AS_THEY_ARE else plain(cell) for name, cell in cells}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, np.floating):
        return plain(float(value))
    return None if value != value or str(value) == "<NA>" else str(value)


@cache  # dataclasses looks them up anew for each value
def field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of a dataclass's fields; None for another type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None

"""Plain values for JSON: no NaN, no NumPy, no digits beyond what was computed."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

DIGITS = 10


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Dataclasses become mappings, NumPy scalars and arrays Python's, and NaN, infinity and NA
    None. Floats are rounded to ten significant digits, below which results differ between
    machines.
    """
    if type(value) is float:  # by far the most common type
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else None
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
    if value is None:
        return None
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return None if value != value or str(value) == "<NA>" else str(value)

"""What is wrong in a file, in our words, from what pydantic finds.

The start window says the same in its language: ``[mistakes]`` of ``refusals.toml``.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

NUMBER, TEXT, LIST = "must be a number", "must be a text between quotes", "must be a list: [ ]"
WHOLE, TRUTH, TABLE = "must be a whole number", "must be true or false", "must be a table of keys"
DATE: Final = "must be a date, such as 2026-11-02"
UNKNOWN: Final = "extra_forbidden"
REASONS: Final[Mapping[str, str]] = {
    "missing": "is missing",
    UNKNOWN: "unknown key",
    "string_type": TEXT,
    "int_type": WHOLE,
    "int_from_float": WHOLE,
    "int_parsing": WHOLE,
    "float_type": NUMBER,
    "float_parsing": NUMBER,
    "finite_number": "must be a finite number",
    "bool_type": TRUTH,
    "bool_parsing": TRUTH,
    "list_type": LIST,
    "tuple_type": LIST,
    "frozen_set_type": LIST,
    "dict_type": TABLE,
    "mapping_type": TABLE,
    "model_type": TABLE,
    "model_attributes_type": TABLE,
    "date_type": DATE,
    "date_parsing": DATE,
    "date_from_datetime_parsing": DATE,
    "date_from_datetime_inexact": DATE,
    "literal_error": "must be {expected}",
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be {ge:g} or more",
    "less_than": "must be below {lt:g}",
    "less_than_equal": "must be {le:g} or less",
    "too_short": "must have {min_length} or more entries, and has {actual_length}",
    "too_long": "must have at most {max_length} entries",
    "string_too_short": "must have {min_length} or more letters",
    "string_too_long": "must have at most {max_length} letters",
    "string_pattern_mismatch": "must be written as the pattern {pattern}",
    "value_error": "{error}",
}
"""By pydantic's type of error, with the names of what it tells beside."""


def first_fault(error: ValidationError) -> Mapping[str, Any]:
    """Return what pydantic found first."""
    return error.errors()[0]


def place_of(fault: Mapping[str, Any]) -> str:
    """Return where a fault is, with a colon behind: its key; empty for the whole file.

    Entries of a list count from 1.
    """
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in fault["loc"])
    return f"{key}: " if key else ""


def reason_of(fault: Mapping[str, Any]) -> str:
    """Return what is wrong, in our words."""
    reason = REASONS.get(fault["type"])
    return fault["msg"] if reason is None else reason.format(**fault.get("ctx", {}))


def place_and_reason(error: ValidationError, keys: str = "") -> str:
    """Return place and reason of the first fault; ``keys`` names the keys that there may be."""
    fault = first_fault(error)
    more = f"; known: {keys}" if keys and fault["type"] == UNKNOWN else ""
    return f"{place_of(fault)}{reason_of(fault)}{more}"

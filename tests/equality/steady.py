"""What differs between two runs of the same code, made the same: dates, versions, durations."""

import re
from typing import Any

VOLATILE = (
    # Simulated sessions begin in the year 2000: their dates are results.
    (re.compile(r"\b(?!2000)20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z?)?"), "DATE"),
    (
        re.compile(r"\b([A-Za-z][\w-]*) v?\d+\.\d+(?:\.\d+)+(?:[-+.]?(?:post|dev|rc|cpu)\w*)?"),
        r"\1 VERSION",
    ),
)
VERSION_KEYS = frozenset(("versions", "packages"))
DIGEST_KEYS = frozenset(("documents",))
"""Hashes of pages that hold a date."""


def steady_text(text: str) -> str:
    """Return text without dates and versions."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return text


def steady_value(value: Any) -> Any:
    """Return a JSON value without dates, versions, and hashes of what holds them."""
    if isinstance(value, str):
        return steady_text(value)
    if isinstance(value, list):
        return [steady_value(part) for part in value]
    if isinstance(value, dict):
        return {key: _of_key(key, part) for key, part in value.items()}
    return value


def _of_key(key: str, value: Any) -> Any:
    if key in VERSION_KEYS | DIGEST_KEYS and isinstance(value, dict):
        return dict.fromkeys(value, "VERSION" if key in VERSION_KEYS else "SHA-256")
    return steady_value(value)

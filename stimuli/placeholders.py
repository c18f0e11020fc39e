"""Texts that take values from a protocol's fields, such as ``{trial.cutoff_s}``.

``{field:%}`` is a share times 100. ``{field:word|words}`` is the first word if the value is 1, else
the second. Two braces stand for one.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([^{}:]*)(?::([^{}]*))?\}|[{}]")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def filled(text: str, values: BaseModel) -> str:
    """Return a text with the values of the fields that it names.

    Raises
    ------
    ValueError
        If it names something that isn't a field with a value, or a brace stands alone.
    """
    return PLACEHOLDER.sub(lambda match: _written(match, values), text)


def fields_named(*texts: str) -> set[str]:
    """Return the fields whose values texts take."""
    return {match[1] for text in texts for match in PLACEHOLDER.finditer(text) if match[1]}


def flat(values: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return a protocol's plain values by their whole names, such as ``trial.limit_s``."""
    leaves: dict[str, Any] = {}
    for key, inner in values.items():
        name = f"{above}{key}"
        leaves |= flat(inner, f"{name}.") if isinstance(inner, Mapping) else {name: inner}
    return leaves


def in_words(value: Any) -> str:
    """Return a field's value as a text shows it; a list of tables would fill the page."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case list() | tuple():
            tables = any(isinstance(entry, Mapping | BaseModel) for entry in value)
            return str(len(value)) if tables else ", ".join(map(in_words, value)) or "empty"
    return str(value) if value != "" else "empty"


def _written(match: re.Match[str], values: BaseModel) -> str:
    name, how = match[1], match[2]
    if name is None:
        if len(match[0]) == 2:
            return match[0][0]
        raise ValueError(f"{match[0]} stands alone in a text; write {2 * match[0]} for one")
    value = _value(name, values)
    if how is None:
        return in_words(value)
    if how == "%":
        return f"{100 * value:g}"
    singular, bar, plural = how.partition("|")
    if not bar:
        raise ValueError(f"{match[0]}: after the colon stands % or word|words")
    return singular if value == 1 else plural


def _value(name: str, values: BaseModel) -> Any:
    value: Any = values
    for part in name.split("."):
        there = isinstance(value, BaseModel) and _NAME.fullmatch(part)
        value = getattr(value, part, None) if there else None
    if value is None or callable(value) or isinstance(value, BaseModel):
        raise ValueError(f"{{{name}}}: no field of this protocol has this name")
    return value

"""A method's settings as they are typed: NAME=VALUE."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeGuard

from stimuli.errors import UserError

CAPTUM: Final = "captum:"
"""How names of captum's attributions begin. Here, so that captum is imported only for them."""


def typed_settings(name: str, usual: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a method from texts such as ``patch_px=16`` or ``areas=[.1,.2]``.

    Parameters
    ----------
    name
        The method's.
    usual
        Its settings with their usual values. A value is of the usual one's kind, or any plain
        JSON value where that is None.
    texts
        What was typed.

    Raises
    ------
    UserError
        If the method has no such setting, or the value isn't of its kind.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in usual:
            near = difflib.get_close_matches(key, usual, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has: {', '.join(usual) or 'none'}"
            raise UserError(f"--set {text}: {name} has no setting {key!r}; {hint}")
        settings[key] = _value(value, usual[key], text)
    return settings


def _value(text: str, usual: Any, typed: str) -> Any:
    """Return a text as a value of the same kind as the usual one."""
    if isinstance(usual, str):
        return text
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = text if usual is None else None
    if usual is None and _plain(value):
        return tuple(value) if isinstance(value, list) else value
    if isinstance(usual, tuple) and isinstance(value, list) and all(map(_is_number, value)):
        return tuple(float(part) for part in value)
    if isinstance(usual, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(usual, int):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(usual, float) and _is_number(value):
        return float(value)
    raise UserError(f"--set {typed}: takes a value such as {json.dumps(usual)}, the default")


def _plain(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    return all(isinstance(part, (bool, int, float, str)) for part in parts)


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

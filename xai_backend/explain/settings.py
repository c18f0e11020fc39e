"""A method's settings as they are typed: NAME=VALUE."""

import difflib
import json
from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any

from stimuli.errors import UserError
from xai_backend.methods import METHODS


def typed_settings(name: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of a method from texts such as ``patch_px=16`` or ``areas=[.1,.2]``.

    Raises
    ------
    UserError
        If the method has no such setting, or the value isn't of its kind.
    """
    if name not in METHODS:
        return {}
    usual = {
        field.name: field.default if field.default is not MISSING else None
        for field in fields(METHODS[name])  # type: ignore[arg-type]
    }
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
        value = None
    if isinstance(usual, tuple) and isinstance(value, list) and all(map(_number, value)):
        return tuple(float(part) for part in value)
    if isinstance(usual, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(usual, int):
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(usual, float) and _number(value):
        return float(value)
    raise UserError(f"--set {typed}: write it as {json.dumps(usual)} is written")


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

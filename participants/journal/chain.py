"""Lines of a journal: their text, and the hash that chains each to all before it."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json, sha256_hex

CHAIN = "chain"
ENVELOPE = ("event", "seq", "t_monotonic_s", "t_utc")
FIRST_LINK = "0" * 64
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)

Cause = Literal["full", "read_only", "gone", "other"]


class JournalError(UserError):
    """A journal can't be written any further; says why and what to do.

    Attributes
    ----------
    cause
        What screens tell of it: the disk is ``full`` or ``read_only``, the file is ``gone``,
        or something ``other``.
    """

    def __init__(self, message: str, cause: Cause = "other") -> None:
        super().__init__(message)
        self.cause = cause


def link(previous: str, line: Mapping[str, Any]) -> str:
    """Return a line's chain: SHA-256 of the chain before and the line's canonical JSON.

    Parameters
    ----------
    previous
        The chain of the line before, 64 hexadecimal digits; `FIRST_LINK` for the first.
    line
        The line's keys and values without ``chain``.
    """
    return sha256_hex(previous.encode("ascii") + canonical_json(dict(line)))


def line_text(line: Mapping[str, Any]) -> bytes:
    """Return a line as it stands in the file: one JSON object, no spaces, UTF-8, ``\\n``."""
    return _ENCODER.encode(line).encode("utf-8") + b"\n"

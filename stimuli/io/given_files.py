"""Files that a user gives: tables, lists, settings. A mistake in one is told in one line."""

import tomllib
from pathlib import Path
from typing import Any

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd


def read_bytes(path: Path) -> bytes:
    """Return a file's content; UserError if it can't be read or is no file (see `refuse_odd`)."""
    refuse_odd(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None


def read_text(path: Path) -> str:
    """Return a file's text, without a byte order mark; lines end in a line feed.

    Raises
    ------
    UserError
        As `read_bytes`, or if it isn't UTF-8.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; UserError as `read_text`, or if it isn't valid."""
    return parse_toml(read_text(path), str(path))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML text; UserError says where it isn't valid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{where}: is not valid TOML: {error}") from None

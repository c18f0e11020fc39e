"""Text files that a user gives: tables, lists, settings. A mistake in one is told in one line."""

import tomllib
from pathlib import Path
from typing import Any

from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd


def read_text(path: Path) -> str:
    """Return a file's text, without a byte order mark; lines end in a line feed.

    Raises
    ------
    UserError
        If it can't be read, is no file (see `refuse_odd`), or isn't UTF-8.
    """
    refuse_odd(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text; save it as UTF-8") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file; UserError as `read_text`, or if it isn't valid."""
    return parse_toml(read_text(path), str(path))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML text; UserError says where it isn't valid."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{where}: is not valid TOML: {error}") from None

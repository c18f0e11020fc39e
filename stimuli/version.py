"""Which version of the suite this is."""

import tomllib
from functools import cache
from pathlib import Path


@cache
def suite_version() -> str:
    """Return the suite's version as its project file states it."""
    path = Path(__file__).resolve().parents[1] / "pyproject.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"]

"""Where a lab keeps its things, before any lab file has been read."""

import os
import sys
from contextlib import suppress
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from stimuli.io.files import make_private_folder

LAB_VARIABLE = "PLAINSIGHT_LAB"
DATA_VARIABLE = "PLAINSIGHT_DATA"
LOGS = "logs"
TEXTS = "texts"
"""Folder, in the lab folder, of the lab's own texts."""


def lab_root() -> Path:
    """Return the lab folder: ``PLAINSIGHT_LAB``, or the user's data folder.

    Never the checkout: data about people must not lie beside the code.
    """
    chosen = os.environ.get(LAB_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "plainsight"


def cache_dir() -> Path:
    """Return the lab's cache: downloads and trained networks, all of it replaceable."""
    return _within_lab("cache")


def log_dir() -> Path:
    """Return the folder of log files, one a run."""
    return _within_lab(LOGS)


def _within_lab(name: str) -> Path:
    """Return a folder in the lab folder; the lab folder is created, private, if it is missing."""
    root = lab_root()
    # If it can't be made, a later write there says why.
    with suppress(OSError):
        make_private_folder(root)
    return root / name


def home_of(package: str | Path) -> Traversable:
    """Return the folder of a package, or the folder itself."""
    return package if isinstance(package, Path) else resources.files(package)

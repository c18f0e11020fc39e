"""Where a lab keeps its things, before any lab file has been read."""

import os
import sys
from pathlib import Path

LAB_VARIABLE = "PLAINSIGHT_LAB"
DATA_VARIABLE = "PLAINSIGHT_DATA"


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
    return lab_root() / "cache"


def log_dir() -> Path:
    """Return the folder of log files, one a run."""
    return lab_root() / "logs"

"""PsychoPy's import: the first on a PC by one process at a time, and none of it for nothing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from filelock import FileLock

from stimuli.places import cache_dir

UNUSED: Final = ("matplotlib", "openpyxl", "pyarrow")
"""Packages that PsychoPy and pandas use if they are there: for spreadsheets and polygons."""


def import_psychopy() -> None:
    """Import PsychoPy while no other process of this lab does.

    At its first import it makes its folder of preferences, and of two processes that do so
    at once one fails.
    """
    place = cache_dir()
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / "psychopy.lock"):
        import psychopy  # noqa: F401


def import_visual() -> ModuleType:
    """Return PsychoPy's module of windows, imported without what it can do without.

    It needs a display.
    """
    with hidden(*UNUSED):
        from psychopy import visual
    return visual


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """Let imports find these packages missing, unless they are imported already.

    Parameters
    ----------
    packages
        Names of packages that whoever imports them can do without.
    """
    absent = [name for name in packages if name not in sys.modules]
    # Python's own sign of a module that isn't there.
    missing: dict[str, Any] = dict.fromkeys(absent)
    sys.modules.update(missing)
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]

"""PsychoPy's import: the first on a PC by one process at a time, and none of it for nothing."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from filelock import FileLock

from stimuli.places import cache_dir

UNUSED: Final = ("matplotlib", "openpyxl", "pyarrow")
"""Packages that PsychoPy and pandas use if they are there: for spreadsheets and polygons."""

DEFERRED: Final = ("pandas", "scipy.interpolate")
"""Packages that PsychoPy imports for tables of conditions and for calibration.

A session needs neither; they are half the time that PsychoPy takes to import.
"""


class Deferred(ModuleType):
    """A module that is imported when it is first used."""

    def __getattr__(self, name: str) -> Any:
        # Python asks a module for these while it imports it.
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


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
    with hidden(*UNUSED), deferred(*DEFERRED):
        from psychopy import visual
    return visual


@contextmanager
def deferred(*names: str) -> Iterator[None]:
    """Let what is imported meanwhile import these modules at their first use only.

    Parameters
    ----------
    names
        Modules whose attributes aren't used, and whose submodules aren't imported, meanwhile.
        Those that are imported already stay as they are.
    """
    put = {name: Deferred(name) for name in names if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, module in put.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


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

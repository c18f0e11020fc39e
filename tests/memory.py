"""What a test module leaves behind goes back to the system, so that processes stay small.

A process takes file after file. Without this its memory would grow to several times of what the
largest file needs: freed arrays of torch and numpy stay with the process, and the caches that a
module defines outlive its tests.
"""

import ctypes
import sys
from types import ModuleType


def give_back(module: ModuleType) -> None:
    """Empty the caches that a test module defines, and return freed memory to the system."""
    for value in vars(module).values():
        if hasattr(value, "cache_clear") and value.__module__ == module.__name__:
            value.cache_clear()
    if sys.platform == "linux" and hasattr(glibc := ctypes.CDLL(None), "malloc_trim"):
        glibc.malloc_trim(0)

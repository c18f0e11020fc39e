"""Loops in machine code where numba is there; the callers have numpy ways with equal bits."""

from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=16)
def compiled(loop: Callable[..., int]) -> Callable[..., int] | None:
    """Return a loop that is compiled on its first call, or None without numba.

    No relaxed arithmetic: sums and roots are the same as Python's.
    """
    try:
        import numba
    except ImportError:
        return None
    try:
        return numba.njit(cache=True)(loop)
    except RuntimeError:
        # numba finds no folder for its cache.
        return numba.njit(loop)

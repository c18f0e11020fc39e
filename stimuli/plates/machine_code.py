"""Loops in machine code where numba is there; the callers have numpy ways with equal bits."""

from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=16)
def compiled(loop: Callable[..., int]) -> Callable[..., int] | None:
    """Return a loop compiled on its first call, or None where numba is not there.

    No relaxed arithmetic: sums and roots come out as Python's own.
    """
    try:
        import numba
    except ImportError:
        return None
    try:
        return numba.njit(cache=True)(loop)
    except RuntimeError:
        # numba finds no folder that it may write its cache to.
        return numba.njit(loop)

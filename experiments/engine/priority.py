"""A quiet processor while something is timed."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Priority = Literal["realtime", "high", "normal"]

REALTIME_LEVEL = 1
NICE_STEP = -10


def raise_priority() -> Priority:
    """Raise this process's priority as far as the system lets it; return how far."""
    return _raise_linux() if sys.platform == "linux" else _raise_elsewhere()


def _raise_linux() -> Priority:
    assert sys.platform == "linux"
    try:
        # Children and the graphics driver's worker threads keep the normal schedule.
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(REALTIME_LEVEL))
    except OSError:
        return _raise_nice()
    return "realtime"


def _raise_nice() -> Priority:
    assert sys.platform == "linux"
    try:
        os.nice(NICE_STEP)
    except OSError:
        return "normal"
    return "high"


def _raise_elsewhere() -> Priority:
    import psutil

    try:
        if sys.platform == "win32":
            psutil.Process().nice(psutil.HIGH_PRIORITY_CLASS)
        else:
            psutil.Process().nice(NICE_STEP)
    except psutil.AccessDenied:
        return "normal"
    return "high"


@contextmanager
def held_garbage() -> Iterator[None]:
    """Keep the garbage collector from running inside; what was there is collected before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

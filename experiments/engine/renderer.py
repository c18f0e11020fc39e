"""Mesa's software renderer, which draws where there is no graphics card: kept to one thread.

With threads of its own it writes into memory that it has freed. The thread that draws last counts
its part as done, wakes whoever waits, and unlocks. The thread that flips reads that count without
the lock (`lp_fence_signalled`) and may free the lock in between. Whether this happens depends on
what else the processor does. The process then dies of SIGSEGV or SIGABRT at a later allocation.
"""

import os
from collections.abc import Mapping
from typing import Final

ONE_THREAD: Final[Mapping[str, str]] = {"LP_NUM_THREADS": "0"}
"""The renderer's setting: no thread but the one that flips. Graphics cards' drivers ignore it."""


def draw_in_one_thread() -> None:
    """Keep the renderer to the thread that flips; call it before the process's first window opens.

    That thread's priority then holds for drawing, too.
    """
    os.environ.update(ONE_THREAD)

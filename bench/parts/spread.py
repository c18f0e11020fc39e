"""Work of a bench, spread over the processes of this computer."""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def spread(
    function: Callable[[Job], Result], jobs: Iterable[Job], *, here: bool = False
) -> list[Result]:
    """Return the results of a module-level function, in the jobs' order.

    One process a core, one thread a process; what comes out doesn't depend on how many.
    ``here`` does all in this process, for work that isn't worth the start of others.
    """
    work: Sequence[Job] = tuple(jobs)
    workers = min(os.cpu_count() or 1, len(work))
    if workers <= 1 or here:
        return [function(job) for job in work]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_one_thread) as pool:
        return list(pool.map(function, work))


def _one_thread() -> None:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)

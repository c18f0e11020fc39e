"""Kill a job again and again, and say what that cost and changed."""

import multiprocessing
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from bench.parts.cluster import PATIENCE_S, cluster
from bench.parts.killed_job import A_BATCH, begun, computed, finished, run
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.workers import IN_FLIGHT_PER_WORKER, Workers

PAUSE_S = 0.002
LIFE_S = 1200.0
"""What a life that nobody kills may take at most."""


@dataclass(frozen=True, slots=True)
class Lives:
    """What became of a job that was killed.

    Attributes
    ----------
    kills
        How often it was killed; a life that ended before its moment came wasn't.
    begun
        Maps that were begun in all lives together.
    in_flight
        Maps that kills can have cost at most: those of the batches in flight, begun or
        computed but not yet on the disk.
    twice
        Maps that were begun again after they had been finished.
    """

    kills: int
    begun: int
    in_flight: int
    twice: int


def kill_and_finish(folder: Path, store: Path, count: int, kills: int, processes: int) -> Lives:
    """Run a job, kill it at random moments with SIGKILL, and let the last life finish.

    Moments are drawn by seed: after so many batches, of all lives together, and some
    milliseconds.
    """
    moments = _moments(count, kills)
    killed = twice = 0
    for kill in range(kills + 1):
        held, before = finished(store), len(begun(folder))
        life = _started(folder, store, count, processes)
        if kill < kills:
            killed += _kill(life, folder, moments[kill], kill)
            _let_workers_end(folder)
        else:
            _check(life)
        twice += sum(key in held for keys in begun(folder)[before:] for key in keys)
    batches = 1 if processes == 1 else IN_FLIGHT_PER_WORKER * processes
    in_flight = killed * batches * A_BATCH
    return Lives(killed, computed(folder).total(), in_flight, twice)


def _started(folder: Path, store: Path, count: int, processes: int) -> BaseProcess:
    workers = Workers(here=True) if processes == 1 else Workers(processes)
    life = _context().Process(target=run, args=(folder, store, count, workers))
    life.start()
    return life


@lru_cache(maxsize=1)
def _context() -> Any:
    """Return how lives begin: where it can be had from a process that holds torch already."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([run.__module__])
    return context


def _moments(count: int, kills: int) -> list[int]:
    """Return after how many batches kills fall, over the first nine tenths of the job."""
    batches = count // A_BATCH * 9 // 10
    return sorted(seed_of("kill", kill) % batches for kill in range(kills))


def _kill(life: BaseProcess, folder: Path, batches: int, kill: int) -> bool:
    """Kill a life at its moment; return whether it still lived."""
    deadline = time.monotonic() + PATIENCE_S
    while life.is_alive() and len(begun(folder)) < batches and time.monotonic() < deadline:
        time.sleep(PAUSE_S)
    time.sleep(seed_of("moment", kill) % 30 / 1000)
    life.kill()
    life.join()
    if life.exitcode == -signal.SIGKILL:
        return True
    _check(life)
    return False


def _check(life: BaseProcess) -> None:
    """Wait for the end of a life that nobody kills."""
    life.join(LIFE_S)
    if life.is_alive():
        life.kill()
        raise RuntimeError(f"a life lasted over {LIFE_S:g} s")
    if life.exitcode != 0:
        raise RuntimeError(f"a life that nobody killed ended with status {life.exitcode}")


def _let_workers_end(folder: Path) -> None:
    """Wait until nothing more is begun: workers outlive their parent by a moment."""
    seen = -1
    while seen != (now := len(begun(folder))):
        seen = now
        time.sleep(0.2)


def lose_a_worker(folder: Path, store: Path, count: int, workers: int = 3) -> int:
    """Run a job over Dask and kill one worker for good on the way; return who was left."""
    begins = partial(_has_begun, folder, count // 12)
    with cluster(folder, workers) as there, _killed_once(begins, there.workers[0]):
        run(folder, store, count, Workers(scheduler=there.address))
        return sum(worker.poll() is None for worker in there.workers)


@dataclass(frozen=True, slots=True)
class SchedulerLost:
    """What became of a job over Dask whose scheduler was killed, and that was started again.

    Attributes
    ----------
    line
        How the job ended.
    kept
        Maps on the disk then.
    twice
        Those of them that were computed again.
    begun
        Maps that were begun in both lives together.
    """

    line: str
    kept: int
    twice: int
    begun: int


def lose_the_scheduler(folder: Path, store: Path, count: int, workers: int = 2) -> SchedulerLost:
    """Kill the scheduler of a job over Dask on the way, and run the job again on a new cluster."""

    def holds_some() -> bool:
        return _has_begun(folder, count // 12) and bool(finished(store))

    with cluster(folder, workers) as there, _killed_once(holds_some, there.scheduler):
        try:
            run(folder, store, count, Workers(scheduler=there.address))
            line = ""
        except UserError as refused:
            line = str(refused)
    held, before = finished(store), len(begun(folder))
    with cluster(folder, workers) as there:
        run(folder, store, count, Workers(scheduler=there.address))
    again = [key for keys in begun(folder)[before:] for key in keys]
    twice = sum(key in held for key in again)
    return SchedulerLost(line, len(held), twice, computed(folder).total())


def _has_begun(folder: Path, batches: int) -> bool:
    return len(begun(folder)) >= batches


@contextmanager
def _killed_once(ready: Callable[[], bool], process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill a process for good once `ready` returns True, or when patience ends."""

    def kill() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not ready() and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
        process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        killer.join()

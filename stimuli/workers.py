"""The same function over many tasks: on this PC's processes or on a Dask cluster.

Results come in the tasks' order and are the same whatever the number of workers. With
`Kept` every finished task outlives the process, so that an interrupted job goes on where
it stopped.
"""

import json
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TextIO, TypeVar

from stimuli.errors import UserError
from stimuli.io.files import naming

T = TypeVar("T")
R = TypeVar("R")

CONNECT_S = 20
IN_FLIGHT_PER_WORKER = 8
ORDINAL = "PLAINSIGHT_WORKER"
"""Environment variable of a local process: its number among the workers, from 0."""
ROOMS = ("analysis", "experiments", "participants", "stimuli", "xai_backend")
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True, slots=True)
class Workers:
    """Where tasks run.

    Attributes
    ----------
    processes
        Number of local processes; 0 for as many as there are usable CPUs.
    scheduler
        Address of a Dask scheduler, e.g. ``tcp://10.0.0.5:8786``; replaces the processes.
    here
        Whether tasks run one after the other in the calling process, without workers.
    """

    processes: int = 0
    scheduler: str | None = None
    here: bool = False

    @property
    def local(self) -> int:
        """Number of local processes."""
        return self.processes or available_cpus()


def available_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_reachable(workers: Workers) -> None:
    """Refuse, before long work, a scheduler that can't be reached or has no workers.

    Raises
    ------
    UserError
        With one line that says why; local processes are always available.
    """
    if workers.scheduler:
        with _dask(workers.scheduler):
            pass


class Keeper(Protocol):
    """Where finished tasks are kept by their keys."""

    def __contains__(self, key: str) -> bool:
        """Say whether a task is finished."""

    def __getitem__(self, key: str) -> Any:
        """Return a finished task's result."""

    def put(self, key: str, value: Any) -> None:
        """Keep a task's result; it is safe when this returns."""


@dataclass(slots=True)
class Kept:
    """Finished tasks in a file, one JSON line each, on disk before they are passed on.

    A line that was cut short is dropped, and its task runs again.

    Parameters
    ----------
    path
        The file; made with its folder when the first result comes.

    Raises
    ------
    UserError
        If the file can't be read or holds something else.
    """

    path: Path
    _values: dict[str, Any] = field(init=False, default_factory=dict)
    _stream: TextIO | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        whole = 0
        try:
            data = self.path.read_bytes() if self.path.exists() else b""
            for line in data.splitlines(keepends=True):
                if line.endswith(b"\n"):
                    row = json.loads(line)
                    self._values[row["key"]] = row["value"]
                    whole += len(line)
            if whole < len(data):
                os.truncate(self.path, whole)
        except OSError as error:
            raise UserError(f"{self.path}: can't be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{self.path}: doesn't contain finished tasks; move it away") from None

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def put(self, key: str, value: Any) -> None:
        """Keep a result; it is on the disk when this returns."""
        with naming(self.path):
            if self._stream is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self.path.open("a", encoding="utf-8", newline="\n")
            self._stream.write(json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n")
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._values[key] = value

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def ordered_map(
    function: Callable[[T], R],
    tasks: Iterable[tuple[str, T]],
    workers: Workers = Workers(),
    keeper: Keeper | None = None,
    on_done: Callable[[str], None] = lambda key: None,
) -> Iterator[tuple[str, R]]:
    """Yield each task's key and result, in the tasks' order.

    Every worker computes with one thread. A worker that dies ends the job; an interrupted
    job ends its workers at once.

    Parameters
    ----------
    function
        Of a module, so that another process can import it; what it returns must depend on
        the task alone, and be plain JSON values where `Kept` keeps results.
    tasks
        Key and argument; keys differ. At most eight a worker are in flight.
    workers
        Where they run.
    keeper
        Finished tasks; those in it aren't run again. A result is put there as soon as it
        comes, whatever the order.
    on_done
        Called with the key of every finished task, in the order of completion, kept ones included.

    Raises
    ------
    UserError
        If the scheduler can't be reached or a worker was ended from outside.
    """
    queue = iter(tasks)
    waiting: dict[Future, str] = {}
    ready: dict[str, R] = {}
    order: list[str] = []
    with _LazyExecutor(workers) as pool:
        exhausted = False
        while True:
            while not exhausted and len(order) < pool.in_flight:
                try:
                    key, task = next(queue)
                except StopIteration:
                    exhausted = True
                    break
                order.append(key)
                if keeper is not None and key in keeper:
                    ready[key] = keeper[key]
                    on_done(key)
                else:
                    waiting[pool.submit(function, task)] = key
            while order and order[0] in ready:
                first = order.pop(0)
                yield first, ready.pop(first)
            if not order:
                if exhausted:
                    return
                continue
            done = wait(waiting, return_when=FIRST_COMPLETED).done
            # Results are kept before another task's error ends the job.
            for future in sorted(done, key=_failed):
                key = waiting.pop(future)
                ready[key] = _result(future)
                if keeper is not None:
                    keeper.put(key, ready[key])
                on_done(key)


def _failed(future: Future) -> bool:
    return future.cancelled() or future.exception() is not None


def _result(future: Future) -> Any:
    try:
        return future.result()
    except Exception as fault:
        if line := _not_the_tasks(fault):
            raise UserError(line) from None
        raise


def _not_the_tasks(fault: Exception) -> str:
    """Return the remedy for an error of the workers themselves; empty for a task's own error."""
    if isinstance(fault, BrokenProcessPool) or type(fault).__name__ == "KilledWorker":
        return (
            "a worker process was ended from outside (out of memory?); "
            "fewer --workers need less, and the same command goes on where it stopped"
        )
    if isinstance(fault, CancelledError):
        return (
            "--scheduler: the scheduler ended, or the connection to it broke; start it again with "
            "its workers, and the same command goes on where it stopped"
        )
    absent = (fault.name or "") if isinstance(fault, ModuleNotFoundError) else ""
    if absent.partition(".")[0] in ROOMS or "Error during deserialization" in str(fault):
        return (
            "--scheduler: the scheduler and its workers can't import this suite; start them with "
            "PYTHONPATH set to its checkout and with its environment's Python"
        )
    return ""


class _LazyExecutor:
    """Workers that start with the first task, so that kept results need no workers."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._context: Any = nullcontext()
        self._executor: Executor | None = None
        self.in_flight = IN_FLIGHT_PER_WORKER * workers.local

    def __enter__(self) -> "_LazyExecutor":
        return self

    def submit(self, function: Callable[[T], R], task: T) -> Future:
        if self._executor is None:
            self._context = _started(self._workers)
            self._executor, count = self._context.__enter__()
            self.in_flight = 1 if self._workers.here else IN_FLIGHT_PER_WORKER * count
        return self._executor.submit(function, task)

    def __exit__(self, *reason: Any) -> None:
        self._context.__exit__(*reason)


def _started(workers: Workers) -> Any:
    """Return a context that gives an executor and its number of workers."""
    if workers.here:
        return nullcontext((_Here(), 1))
    return _dask(workers.scheduler) if workers.scheduler else _processes(workers.local)


class _Here(Executor):
    """Runs each task at once, in this process."""

    def submit(self, function: Callable[..., R], /, *args: Any, **options: Any) -> Future[R]:
        future: Future[R] = Future()
        try:
            future.set_result(function(*args, **options))
        except Exception as fault:
            future.set_exception(fault)
        return future


@contextmanager
def _processes(count: int) -> Iterator[tuple[Executor, int]]:
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    started = context.Value("i", 0)
    executor = ProcessPoolExecutor(
        count, mp_context=context, initializer=_become_worker, initargs=(started,)
    )
    try:
        yield executor, count
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    executor.shutdown()


def _become_worker(started: Any) -> None:
    """Compute with one thread, leave Ctrl+C to the parent, and never outlive it.

    Libraries' output is kept off standard output, which is for answers only.
    """
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    with started.get_lock():
        os.environ[ORDINAL] = str(started.value)
        started.value += 1
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _dask(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise UserError("--scheduler needs dask and distributed, which aren't here") from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"--scheduler {address}: can't be reached ({error})") from None
    # Of a broken connection the library writes page after page; the job says it in a line.
    for handler in logging.getLogger("distributed").handlers:
        handler.setLevel(logging.CRITICAL)
    with client:
        count = sum(client.nthreads().values())
        if count == 0:
            raise UserError(f"--scheduler {address}: has no workers; start some with dask worker")
        executor = client.get_executor(pure=False)
        try:
            yield executor, count
        finally:
            executor.shutdown(wait=False)

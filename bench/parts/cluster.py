"""A Dask cluster on this computer: its scheduler and workers are processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster.

    Attributes
    ----------
    address
        The scheduler's, as ``--scheduler`` takes it.
    scheduler, workers
        Their processes.
    """

    address: str
    scheduler: "subprocess.Popen[bytes]"
    workers: tuple["subprocess.Popen[bytes]", ...]


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a scheduler and workers of one thread each; end them with the block.

    Parameters
    ----------
    folder
        Where they write what they say.
    workers
        How many.

    Raises
    ------
    TimeoutError
        If they don't come.
    """
    from distributed import Client

    address_file = folder / "scheduler.json"
    address_file.unlink(missing_ok=True)
    shared = ["--no-dashboard", "--scheduler-file", str(address_file)]
    started = [_started(folder, "scheduler", [*shared, "--host", "127.0.0.1", "--port", "0"])]
    try:
        options = [*shared, "--no-nanny", "--nthreads", "1", "--name"]
        started += [
            _started(folder, "worker", [*options, str(number)]) for number in range(workers)
        ]
        with Client(scheduler_file=str(address_file), timeout=PATIENCE_S) as client:
            client.wait_for_workers(workers, timeout=PATIENCE_S)
            address = client.scheduler.address
        yield Cluster(address, started[0], tuple(started[1:]))
    finally:
        for process in started:
            process.kill()
            process.wait()


def _started(folder: Path, kind: str, options: list[str]) -> "subprocess.Popen[bytes]":
    with (folder / "dask.txt").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdout=log,
            stderr=log,
        )

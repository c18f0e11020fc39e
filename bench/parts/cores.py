"""Which processor core runs what, while steps are timed on a virtual display (Linux)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

SERVER_LEVEL = 1
"""The engine's own: neither display nor program takes the core from the other."""


@contextmanager
def seats(program_id: int, server_id: int) -> Iterator[None]:
    """Let a program and its X server share the last core; the block has the others.

    A picture handed over on one core waits for no other core to wake: on two, that alone takes a
    tenth of a millisecond, differently each time. The server gets real-time priority where that
    is allowed, as the program has. What the block starts runs on the other cores: observers that
    look many thousand times a second then take no time from what they observe. So do the program's
    child processes, a robot's hand for one. With a single core nothing is tied.

    Parameters
    ----------
    program_id, server_id
        Processes; all threads that they have now are tied.
    """
    own = os.sched_getaffinity(0)
    with suppress(PermissionError):
        os.sched_setscheduler(server_id, os.SCHED_RR, os.sched_param(SERVER_LEVEL))
    if len(own) < 2:
        yield
        return
    shared = {max(own)}
    for process_id in (program_id, server_id):
        _tie(process_id, shared)
    for child_id in _children(program_id):
        _tie(child_id, own - shared)
    os.sched_setaffinity(0, own - shared)
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


def _tie(process_id: int, cores: set[int]) -> None:
    for task_id in _tasks(process_id):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(task_id, cores)


def _tasks(process_id: int) -> list[int]:
    with suppress(FileNotFoundError):
        return [int(task.name) for task in Path(f"/proc/{process_id}/task").iterdir()]
    return []


def _children(process_id: int) -> list[int]:
    with suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(process_id).children(recursive=True)]
    return []

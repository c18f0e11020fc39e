"""Where program, server and observers run while steps are timed."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from bench.parts.cores import seats

LINUX = pytest.mark.skipif("sys.platform != 'linux'", reason="the virtual rig is Linux's")
pytestmark = [LINUX]
WAITS = [sys.executable, "-c", "input()"]


def waiting():
    return subprocess.Popen(WAITS, stdin=subprocess.PIPE)


def test_program_and_server_share_a_core_and_observers_have_the_others():
    before = os.sched_getaffinity(0)
    with waiting() as program, waiting() as server:
        with seats(program.pid, server.pid), waiting() as observer:
            found = [os.sched_getaffinity(one.pid) for one in (program, server, observer)]
            observer.communicate(b"\n")
        for one in (program, server):
            one.communicate(b"\n")
    shared = {max(before)} if len(before) > 1 else before
    others = before - shared or before
    assert found == [shared, shared, others]
    assert os.sched_getaffinity(0) == before


def test_a_programs_children_leave_its_core():
    """A robot's hand that waits for a key's time would take turns with the graphics driver."""
    before = os.sched_getaffinity(0)
    starts_one = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).wait(), flush=True)"
    with (
        subprocess.Popen(
            [sys.executable, "-c", starts_one, *WAITS], stdin=subprocess.PIPE
        ) as program,
        waiting() as server,
    ):
        children = psutil.Process(program.pid).children
        while not children():
            time.sleep(0.01)
        with seats(program.pid, server.pid):
            found = os.sched_getaffinity(children()[0].pid)
        for one in (program, server):
            one.communicate(b"\n")
    assert found == (before - {max(before)} or before)


def test_with_a_single_core_nothing_is_tied(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process_id: {0})
    monkeypatch.setattr(os, "sched_setaffinity", lambda *given: pytest.fail("tied"))
    with waiting() as program:
        with seats(program.pid, program.pid):
            pass
        program.communicate(b"\n")

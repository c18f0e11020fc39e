import json
import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import pytest

from stimuli import workers
from stimuli.errors import UserError
from stimuli.workers import Kept, Workers, ordered_map

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(__file__).parent / "workers" / "square_until_stopped.py"
TASKS = [(f"task {number}", number) for number in range(12)]
EXPECTED = [(f"task {number}", math.factorial(number)) for number in range(12)]
LONG = 2000  # tasks: minutes of work, however busy the computer is


def start(kept, count):
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(kept), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=heed_interrupts if os.name == "posix" else None,
    )


def heed_interrupts():
    """A shell lets what it starts in the background ignore Ctrl+C, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text("utf-8").split()[2] != "Z"


def children(pid):
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


@pytest.mark.parametrize("processes", [1, 2])
def test_results_come_in_the_tasks_order_whatever_the_number_of_workers(processes):
    assert list(ordered_map(math.factorial, TASKS, Workers(processes))) == EXPECTED


def test_workers_compute_with_one_thread_and_know_their_number():
    asked = [("threads", "OPENBLAS_NUM_THREADS"), ("number", workers.ORDINAL)]
    assert list(ordered_map(os.getenv, asked, Workers(1))) == [("threads", "1"), ("number", "0")]


def test_work_done_here_starts_no_worker_and_keeps_each_result_before_the_next(tmp_path):
    kept = Kept(tmp_path / "runs.jsonl")
    seen = []

    def square(number):
        seen.append([key for key, _ in TASKS if key in kept])
        return number * number

    found = list(ordered_map(square, TASKS[:3], Workers(here=True), kept))
    assert found == [(key, number * number) for key, number in TASKS[:3]]
    assert seen == [[], ["task 0"], ["task 0", "task 1"]]
    with pytest.raises(ValueError, match="negative"):
        list(ordered_map(math.factorial, [("a", -1)], Workers(here=True)))


def test_what_came_with_a_fault_is_kept(tmp_path, monkeypatch):
    """Eight results come together, one of them a fault."""
    together = nullcontext((workers._Here(), 1))
    monkeypatch.setattr(workers, "_started", lambda chosen: together)
    kept = Kept(tmp_path / "runs.jsonl")
    tasks = [*TASKS[:3], ("fault", -1), *TASKS[4:8]]
    with pytest.raises(ValueError, match="negative"):
        list(ordered_map(math.factorial, tasks, Workers(1), kept))
    assert [key for key, _ in tasks if key not in kept] == ["fault"]


def test_kept_results_start_no_worker(tmp_path):
    kept = Kept(tmp_path / "runs.jsonl")
    for key, number in TASKS:
        kept.put(key, math.factorial(number))
    kept.close()
    again = Kept(tmp_path / "runs.jsonl")
    done = []
    # Were a task run again, its unpicklable function would fail.
    assert list(ordered_map(lambda _: 0, TASKS, Workers(1), again, done.append)) == EXPECTED
    assert done == [key for key, _ in TASKS]


def test_a_line_cut_short_is_run_again(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text('{"key": "task 3", "value": 6}\n{"key": "task 4", "va', encoding="utf-8")
    kept = Kept(path)
    assert "task 3" in kept
    assert "task 4" not in kept
    assert list(ordered_map(math.factorial, TASKS[3:5], Workers(1), kept)) == EXPECTED[3:5]
    kept.close()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows == [{"key": "task 3", "value": 6}, {"key": "task 4", "value": 24}]


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text("participant,item\n1,2\n", encoding="utf-8")
    with pytest.raises(UserError, match="doesn't contain finished tasks"):
        Kept(tmp_path / "a.jsonl")


def test_a_worker_ended_from_outside_is_one_clear_line():
    with pytest.raises(UserError, match="ended from outside"):
        list(ordered_map(os._exit, [("a", 9)], Workers(1)))


@pytest.mark.skipif(os.name != "posix", reason="signals and /proc")
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_job_leaves_no_worker_behind_and_goes_on_where_it_stopped(tmp_path, stop):
    path = tmp_path / "runs.jsonl"
    job = start(path, LONG)
    finished = [job.stdout.readline().strip() for _ in range(3)]
    helpers = children(job.pid)
    job.send_signal(stop)
    job.wait(20)
    kept = {json.loads(line)["key"] for line in path.read_bytes().splitlines()}
    assert set(finished) <= kept
    assert len(kept) < LONG
    for _ in range(100):
        if not any(alive(pid) for pid in helpers):
            break
        time.sleep(0.1)
    assert not any(alive(pid) for pid in helpers)
    before = path.read_bytes()
    out, _ = start(path, 20).communicate(timeout=60)
    assert out.splitlines()[-1] == f"sum {sum(n * n for n in range(20))}"
    assert path.read_bytes().startswith(before)


def test_a_scheduler_that_is_not_there_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("stimuli.workers.CONNECT_S", 0.5)
    with pytest.raises(UserError, match="can't be reached"):
        list(ordered_map(math.factorial, TASKS, Workers(scheduler="tcp://127.0.0.1:9")))


def test_dask_gives_what_local_processes_give():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        there = Workers(scheduler=cluster.scheduler_address)
        assert list(ordered_map(math.factorial, TASKS, there)) == EXPECTED


def test_workers_that_cannot_import_the_suite_are_one_clear_line():
    fault = ModuleNotFoundError("No module named 'analysis'", name="analysis")
    future = Future()
    future.set_exception(fault)
    with pytest.raises(UserError, match="PYTHONPATH"):
        workers._result(future)


def test_a_scheduler_that_ends_is_one_clear_line():
    future = Future()
    future.cancel()
    with pytest.raises(UserError, match=r"the scheduler ended.* goes on where it stopped"):
        workers._result(future)

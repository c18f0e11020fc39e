"""One session a display: who is refused, who isn't, and what a kill leaves."""

import os
import subprocess
import sys
import threading
import time

import psutil
import pytest

from experiments.engine import display
from experiments.engine.display import (
    display_name,
    display_taken,
    only_start_window,
    require_free_display,
)
from stimuli.errors import UserError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="displays are named as X11's are")

HOLDER = """
import sys
from experiments.engine.display import display_taken
with display_taken("a session"):
    print("taken", flush=True)
    sys.stdin.readline()
"""
ENDING = """
import ctypes, sys, threading
from experiments.engine.display import display_taken
held = display_taken("a session")
held.__enter__()
threading.Thread(target=sys.stdin.readline).start()
print("taken", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""
PATIENCE_S = 60.0
# Numbers that no X server of this machine takes, this process's own: others test at once.
HERE, ELSEWHERE = f":{os.getpid()}01", f":{os.getpid()}02"


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.setenv("DISPLAY", HERE)


@pytest.fixture
def holder(here):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "taken\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_session_is_refused_by_name_of_the_first(holder):
    for look in (require_free_display, lambda: display_taken("doctor").__enter__()):
        with pytest.raises(UserError) as refused:
            look()
        said = str(refused.value)
        assert said.startswith("display: in use by a session since ")
        assert f"(process {holder.pid})" in said
        assert "\n" not in said


@pytest.mark.parametrize("end", ["kill", "ends"])
def test_a_display_is_free_when_its_session_ends_however_that_ends(holder, end):
    if end == "kill":
        holder.kill()
    holder.communicate("\n")
    with display_taken("a session"):
        pass
    require_free_display()


def test_a_session_that_is_ending_is_waited_for(monkeypatch):
    """Its first thread is gone, and with that its virtual display; another holds the lock still."""
    monkeypatch.setattr(display, "LOCKED_WITHIN_S", 0.01)
    with subprocess.Popen(
        [sys.executable, "-c", ENDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "taken\n"
        until = time.monotonic() + PATIENCE_S
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < until
            time.sleep(0.01)
        monkeypatch.setattr(display, "ENDED_WITHIN_S", 0.1)
        with pytest.raises(UserError, match="in use by a session"):
            require_free_display()
        monkeypatch.setattr(display, "ENDED_WITHIN_S", PATIENCE_S)
        threading.Timer(0.3, process.communicate, ["\n"]).start()
        require_free_display()


def test_other_homes_and_shells_of_one_display_share_the_lock(holder, monkeypatch, tmp_path):
    for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for spelling in (f"{HERE}.0", f"unix{HERE}", f"localhost{HERE}.1"):
        monkeypatch.setenv("DISPLAY", spelling)
        with pytest.raises(UserError, match="in use by a session"):
            require_free_display()


def test_displays_do_not_block_one_another(holder, monkeypatch):
    for other in (ELSEWHERE, f"rig-2{HERE}"):
        monkeypatch.setenv("DISPLAY", other)
        with display_taken("a session"):
            pass


def test_a_display_has_one_start_window_and_beside_it_a_session(monkeypatch):
    with only_start_window("is open"), display_taken("a session"):
        with pytest.raises(UserError, match=r"^is open$"), only_start_window("is open"):
            pass
        monkeypatch.setenv("DISPLAY", ELSEWHERE)
        with only_start_window("is open"):
            pass


def test_where_there_is_no_display_nothing_is_locked(monkeypatch):
    """`require_display` refuses; two starts without a display mustn't blame each other."""
    monkeypatch.delenv("DISPLAY")
    assert display_name() == ""
    with display_taken("a session"):
        require_free_display()

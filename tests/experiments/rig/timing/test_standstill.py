"""The witness of standstills: what it tells of cores that ran nobody, and of sleepers let alone."""

import os
import subprocess
import time

import numpy as np
import pytest
from hypothesis import strategies as st

from bench.parts.watching import stood_still_s
from experiments.rig.timing import exclusions
from experiments.rig.timing.exclusions import Standstill, witness
from experiments.rig.timing.instruments import program
from stimuli.errors import UserError
from tests.experiments.examples import given

LINUX = pytest.mark.skipif("sys.platform != 'linux'", reason="the virtual rig is Linux's")
MS = 1000

stretches = st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(0, 3))


@given(st.lists(stretches, max_size=8), st.integers(0, 60), st.integers(0, 60))
def test_time_stood_still_is_that_in_which_any_core_did(found, start, length):
    """Against a count of milliseconds, one by one."""
    still = np.zeros(200, dtype=bool)
    for from_ms, lasts_ms, _ in found:
        still[from_ms : from_ms + lasts_ms] = True
    spans = [Standstill(a / MS, (a + b) / MS, core) for a, b, core in found]
    total_s = stood_still_s(spans, start / MS, (start + length) / MS)
    assert total_s == pytest.approx(still[start : start + length].sum() / MS, abs=1e-9)


@LINUX
def test_sleepers_on_every_core_tell_late_wakings_in_their_order():
    """With a microsecond as the limit nearly every waking is late; a second's is none."""
    with witness(beyond_us=1) as found:
        if not found.cores:
            pytest.skip("real-time priority isn't allowed here")
        start_s = time.perf_counter()
        until_s = start_s + 30
        while {one.core for one in found.standstills} != os.sched_getaffinity(0):
            assert time.perf_counter() < until_s
            time.sleep(0.01)
        told, now_s = found.standstills, time.perf_counter()
    assert found.cores == len(os.sched_getaffinity(0))
    assert all(start_s - 1 < one.from_s < one.until_s < now_s for one in told)
    for core in os.sched_getaffinity(0):
        ends_s = [one.until_s for one in told if one.core == core]
        assert ends_s == sorted(ends_s)
    with witness(beyond_us=10**6) as found:
        time.sleep(0.05)
        assert found.standstills == ()


@LINUX
def test_without_leave_for_real_time_priority_nothing_is_witnessed(monkeypatch, tmp_path):
    """What the program then prints, by a stand-in: a test may not take its own rights away."""
    stand_in = tmp_path / "standstill"
    stand_in.write_text("#!/bin/sh\necho not allowed\n", encoding="utf-8")
    stand_in.chmod(0o755)
    monkeypatch.setattr(exclusions, "program", lambda name: stand_in)
    with witness() as found:
        assert (found.cores, found.standstills) == (0, ())


@LINUX
def test_without_its_words_the_program_says_how_it_is_called():
    done = subprocess.run([program("standstill")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "standstill BEYOND_US [NAP_US]\n")
    with pytest.raises(UserError, match="witness won't start: standstill BEYOND_US"):  # noqa: SIM117
        with witness(beyond_us=0):
            pass

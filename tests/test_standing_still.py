"""Failed window tests are run again where the machine stood still, and nowhere else."""

import time
from types import SimpleNamespace

import pytest

from experiments.rig.timing.standstill import Standstill
from tests.standing_still import WhileStandingStill, name_those_run_again

OURS, OTHER = "tests/windows/test_a.py::test_one", "tests/windows/test_b.py::test_two"


class Run:
    """A run of tests: when the machine stood still, and which tests pass by themselves."""

    def __init__(self, standstills=(), passing=()):
        self.tried = []
        self.reports = []
        self.plugin = WhileStandingStill(lambda: standstills, self._passes)
        self._passing = passing

    def _passes(self, test):
        self.tried.append(test)
        return test in self._passing

    def outcome(self, test=OURS, outcome="failed", window=True):
        item = SimpleNamespace(nodeid=test, get_closest_marker=lambda name: window or None)
        self.plugin.pytest_runtest_setup(item)
        report = SimpleNamespace(
            nodeid=test, outcome=outcome, failed=outcome == "failed", longrepr="why",
            user_properties=[],
        )  # fmt: skip
        self.reports.append(report)
        wrapper = self.plugin.pytest_runtest_makereport(item, None)
        next(wrapper)
        with pytest.raises(StopIteration) as stopped:
            wrapper.send(report)
        return stopped.value.value.outcome


def still(lasts_s=0.05, ago_s=-1.0):
    """Return a standstill; it begins later than any module if ``ago_s`` is negative."""
    begins_s = time.monotonic() - ago_s
    return Standstill(begins_s, begins_s + lasts_s, 0)


def test_a_failure_on_a_calm_machine_stands():
    run = Run(passing=[OURS])
    assert run.outcome() == "failed"
    assert run.tried == []


def test_a_standstill_before_the_module_excuses_nothing():
    run = Run([still(ago_s=10.0)], [OURS])
    assert run.outcome() == "failed"
    assert run.tried == []


def test_a_window_test_that_fails_by_itself_too_fails():
    run = Run([still()])
    assert run.outcome() == "failed"
    assert run.tried == [OURS]


def test_only_window_tests_that_failed_are_run_again():
    run = Run([still()], [OURS, OTHER])
    assert run.outcome(window=False) == "failed"
    assert run.outcome(outcome="passed") == "passed"
    assert run.outcome(outcome="skipped") == "skipped"
    assert run.tried == []


def test_what_passes_by_itself_passes_once_and_is_named():
    """A failed fixture fails the test too; one run answers for both."""
    run = Run([still()], [OURS])
    assert [run.outcome(), run.outcome()] == ["passed", "passed"]
    assert run.tried == [OURS]
    lines = []
    stats = {"": run.reports[:1], "passed": run.reports[1:], "warnings": ["no report"]}
    name_those_run_again(SimpleNamespace(stats=stats, write_line=lines.append))
    assert len(lines) == 1
    assert OURS in lines[0]
    assert "50 ms" in lines[0]

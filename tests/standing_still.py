"""A window test that failed while this machine stood still is run again, once, by itself.

Presses and flips are real, so a processor core that stops for some hundredths of a second (a
virtual machine's does, now and then) can fail a test without any fault of ours. A witness on each
core sees that (`experiments/rig/timing/exclusions.py`). It explains a failure if it lies in the
test's own time, that of its fixtures included, and lasted longer than the test tolerates; every
other failure stands. The end of the run names each test that was run again. More than a few fail
the run.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from experiments.rig.timing.exclusions import Standstill, witness
from stimuli.errors import UserError
from tests.seeds import OPTION

BEYOND_MS = 10
"""Shorter standstills aren't told: no test tolerates so little."""
TOLERANCE_MS = 17
"""What a window test tolerates, a frame at 60 Hz, unless its mark says ``tolerance_ms``."""
MOST_RUN_AGAIN = 2
NAP_MS = 4
"""Between two looks of a witness: a standstill is told up to so much shorter than it lasted."""
AGAIN = "PLAINSIGHT_TESTS_AGAIN"
"""Set in the run that tries one test again, so that it is the last."""
RUN_AGAIN = "run again after a standstill of seconds"
"""Property of a report, which reaches the end of a run whatever process ran the test."""
ROOT = Path(__file__).parent.parent


Span = tuple[float, float]


class WhileStandingStill:
    """The plugin.

    Parameters
    ----------
    seen
        Returns the standstills so far.
    passes
        Runs one test in a process of its own and tells whether it passes.
    clock
        Monotonic seconds.
    """

    def __init__(
        self,
        seen: Callable[[], Sequence[Standstill]],
        passes: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seen, self._passes, self._clock = seen, passes, clock
        self._since_s = 0.0
        self._made: dict[tuple[str, str], Span] = {}
        self._passed: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Note when a test began."""
        self._since_s = self._clock()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Note when a fixture was made: several tests may judge what it recorded then."""
        since_s = self._clock()
        try:
            return (yield)
        finally:
            self._made[fixturedef.baseid, fixturedef.argname] = since_s, self._clock()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let a failed window test pass if a standstill explains it and it passes by itself."""
        report = yield
        mark = item.get_closest_marker("window")
        if mark is not None and report.failed:
            tolerance_ms = mark.kwargs.get("tolerance_ms", TOLERANCE_MS)
            if self._passes_again(item, tolerance_ms / 1000):
                report.outcome, report.longrepr = "passed", None
                report.user_properties.append((RUN_AGAIN, self._passed[item.nodeid]))
        return report

    def _passes_again(self, item: pytest.Function, tolerance_s: float) -> bool:
        """Tell whether a failed test passes by itself, if a standstill explains the failure."""
        if item.nodeid in self._passed:
            # A fixture failed, so the test itself did too.
            return True
        if len(self._passed) > MOST_RUN_AGAIN:
            return False
        still_s = self._longest_s(self._own_time(item))
        if still_s > tolerance_s and self._passes(item.nodeid):
            self._passed[item.nodeid] = still_s
        return item.nodeid in self._passed

    def _own_time(self, item: pytest.Function) -> list[Span]:
        """Return when a test and its fixtures ran."""
        fixtures = [
            span
            for (base, name), span in self._made.items()
            if name in item.fixturenames and item.nodeid.startswith(base)
        ]
        return [(self._since_s, self._clock()), *fixtures]

    def _longest_s(self, spans: Sequence[Span]) -> float:
        """Return how long the machine stood still at most within some spans."""
        within = [
            min(until_s, one.until_s) - max(from_s, one.from_s)
            for one in self._seen()
            for from_s, until_s in spans
        ]
        return max(within, default=0.0)


def passes(seed: int, test: str) -> bool:
    """Run one test in a process of its own and tell whether it passes."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(
        [*command, OPTION, str(seed)],
        cwd=ROOT, env={**os.environ, AGAIN: "1"}, capture_output=True,
    )  # fmt: skip
    return done.returncode == 0


def those_run_again(terminalreporter: pytest.TerminalReporter) -> dict[str, float]:
    """Return how long the machine stood still, in seconds, for each test that was run again."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    return {
        report.nodeid: value
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == RUN_AGAIN
    }


def fail_if_many_ran_again(session: pytest.Session) -> None:
    """Fail a run in which too many tests were run again."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and len(those_run_again(reporter)) > MOST_RUN_AGAIN:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def name_those_run_again(terminalreporter: pytest.TerminalReporter) -> None:
    """Name and count the tests that were run again."""
    still_s = those_run_again(terminalreporter)
    for test, lasted_s in still_s.items():
        terminalreporter.write_line(
            f"RUN AGAIN {test}: failed while the machine stood still for "
            f"{1000 * lasted_s:.0f} ms, and passed by itself"
        )
    if still_s:
        too_many = f"; more than {MOST_RUN_AGAIN} fail the run"
        terminalreporter.write_line(
            f"RUN AGAIN: {len(still_s)} in all{too_many if len(still_s) > MOST_RUN_AGAIN else ''}"
        )


def watch(session: pytest.Session) -> None:
    """Register the plugin if there are window tests and this machine lets its cores be watched."""
    config = session.config
    window = any(item.get_closest_marker("window") for item in session.items)
    if AGAIN in os.environ or config.option.collectonly or not window:
        return
    stack = ExitStack()
    config.add_cleanup(stack.close)
    try:
        found = stack.enter_context(witness(1000 * BEYOND_MS, 1000 * NAP_MS))
    except UserError:
        return
    if found.cores:
        again = partial(passes, config.getoption(OPTION))
        config.pluginmanager.register(WhileStandingStill(lambda: found.standstills, again))

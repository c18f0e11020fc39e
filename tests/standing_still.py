"""A window test that failed while this machine stood still is run again, once, by itself.

Presses and flips are real, so a processor core that stops for some hundredths of a second (a
virtual machine's does, now and then) can fail a test without any fault of ours. A witness on each
core sees that (`experiments/rig/timing/standstill.py`). Where it saw nothing, a failure stands. The
end of the run names each test that was run again.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from experiments.rig.timing.standstill import Standstill, witness
from stimuli.errors import UserError

BEYOND_MS = 10
"""Longer than half a frame at 60 Hz: shorter standstills fail no test."""
NAP_MS = 1
AGAIN = "PLAINSIGHT_TESTS_AGAIN"
"""Set in the run that tries one test again, so that it is the last."""
RUN_AGAIN = "run again after a standstill of seconds"
"""Property of a report, which reaches the end of a run whatever process ran the test."""
ROOT = Path(__file__).parent.parent


class WhileStandingStill:
    """The plugin.

    Parameters
    ----------
    seen
        Returns the standstills so far.
    passes
        Runs one test in a process of its own and tells whether it passes.
    """

    def __init__(
        self, seen: Callable[[], Sequence[Standstill]], passes: Callable[[str], bool]
    ) -> None:
        self._seen, self._passes = seen, passes
        self._module, self._since_s = "", 0.0
        self._passed: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Note when a module began: what its tests judge was recorded since then."""
        module = item.nodeid.partition("::")[0]
        if module != self._module:
            self._module, self._since_s = module, time.monotonic()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo):
        """Let a failed window test pass if the machine stood still and it passes by itself."""
        report = yield
        window = item.get_closest_marker("window") is not None
        if window and report.failed and self._again(item.nodeid):
            report.outcome, report.longrepr = "passed", None
            report.user_properties.append((RUN_AGAIN, self._passed[item.nodeid]))
        return report

    def _again(self, test: str) -> bool:
        """Tell whether a failed test passes by itself, where the machine stood still."""
        if test in self._passed:
            # A fixture failed, so the test itself did too.
            return True
        still_s = max((one.until_s - one.from_s for one in self._standstills()), default=0.0)
        if still_s and self._passes(test):
            self._passed[test] = still_s
        return test in self._passed

    def _standstills(self) -> list[Standstill]:
        return [one for one in self._seen() if one.until_s > self._since_s]


def passes(test: str) -> bool:
    """Run one test in a process of its own and tell whether it passes."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, AGAIN: "1"}, capture_output=True)
    return done.returncode == 0


def name_those_run_again(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each test that was run again, once."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    still_s = {
        report.nodeid: value
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == RUN_AGAIN
    }
    for test, lasted_s in still_s.items():
        terminalreporter.write_line(
            f"RUN AGAIN {test}: failed while the machine stood still for "
            f"{1000 * lasted_s:.0f} ms, and passed by itself"
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
        config.pluginmanager.register(WhileStandingStill(lambda: found.standstills, passes))

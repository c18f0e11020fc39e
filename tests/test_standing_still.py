"""A window test is run again where a standstill in its own time explains its failure, only there.

Small suites, on a clock that stands until a test moves it.
"""

import pytest

from tests.standing_still import MOST_RUN_AGAIN, TOLERANCE_MS

CONFTEST = """
from types import SimpleNamespace
import pytest
from experiments.rig.timing.exclusions import Standstill
from tests import standing_still

class Machine:
    now_s, stills, tried = 0.0, [], []

    def work(self, ms):
        self.now_s += ms / 1000

    def stand_still(self, ms):
        self.work(100)
        self.stills.append(Standstill(self.now_s, self.now_s + ms / 1000, 0))
        self.work(ms + 100)

MACHINE = Machine()

def passes(test):
    MACHINE.tried.append(test)
    return "by_itself" in test

def pytest_configure(config):
    config.addinivalue_line("markers", "window: opens a window")
    plugin = standing_still.WhileStandingStill(
        lambda: MACHINE.stills, passes, lambda: MACHINE.now_s)
    config.pluginmanager.register(plugin)

def pytest_sessionfinish(session):
    standing_still.fail_if_many_ran_again(session)

def pytest_terminal_summary(terminalreporter):
    standing_still.name_those_run_again(terminalreporter)
    terminalreporter.write_line(f"TRIED {MACHINE.tried}")

@pytest.fixture
def machine():
    return MACHINE
"""


@pytest.fixture
def run(pytester):
    """Run a small suite; return its result, how many passed and failed, and what was tried."""
    pytester.makeconftest(CONFTEST)
    pytester.makeini("[pytest]\naddopts = -p no:cacheprovider")

    def run_suite(text):
        pytester.makepyfile(test_suite="import pytest\n" + text)
        result = pytester.runpytest_inprocess("-q")
        outcomes = result.parseoutcomes()
        tried = next(line for line in result.outlines if line.startswith("TRIED"))
        return (
            result,
            (outcomes.get("passed", 0), outcomes.get("failed", 0) + outcomes.get("errors", 0)),
            tried.count("::"),
        )

    return run_suite


def failing(name="fails_but_passes_by_itself", still_ms=TOLERANCE_MS + 1, mark="window"):
    """Return a test that fails, during which the machine stands still."""
    return (
        f"@pytest.mark.{mark}\n"
        f"def test_{name}(machine):\n    machine.stand_still({still_ms})\n    assert False\n"
    )


def test_what_passes_by_itself_passes_and_is_named_and_counted(run):
    result, passed_and_failed, tried = run(failing(still_ms=50))
    assert (passed_and_failed, tried, result.ret) == ((1, 0), 1, 0)
    result.stdout.fnmatch_lines(
        ["RUN AGAIN test_suite.py::test_fails_but_*stood still for 50 ms*", "RUN AGAIN: 1 in all"]
    )


@pytest.mark.parametrize(
    "suite",
    [
        failing(still_ms=TOLERANCE_MS - 1),
        failing(still_ms=34, mark="window(tolerance_ms=200)"),
        failing(mark="filterwarnings"),
        "def test_before(machine):\n    machine.stand_still(500)\n" + failing(still_ms=0),
        failing(still_ms=0)
        + "@pytest.mark.window\ndef test_after(machine):\n    machine.stand_still(500)\n",
    ],
    ids=["as long as tolerated", "as long as its mark tolerates", "no window", "before", "after"],
)
def test_a_failure_stands_that_no_standstill_explains(run, suite):
    result, (_, failed), tried = run(suite)
    assert (failed, tried, result.ret) == (1, 0, 1)


def test_a_test_that_fails_by_itself_too_fails(run):
    result, passed_and_failed, tried = run(failing(name="fails_always"))
    assert (passed_and_failed, tried, result.ret) == ((0, 1), 1, 1)


def test_a_standstill_while_a_shared_fixture_was_made_explains_what_its_tests_judge(run):
    judges = (
        "@pytest.mark.window\ndef test_{}(machine, {}):\n    machine.work(9)\n    assert False\n"
    )
    suite = (
        "@pytest.fixture(scope='module')\ndef recorded():\n"
        "    from conftest import MACHINE\n    MACHINE.stand_still(40)\n"
        "@pytest.fixture(scope='module')\ndef calm():\n    pass\n"
    )
    tests = [
        judges.format(name, fixture)
        for name, fixture in (
            ("first_by_itself", "recorded"),
            ("calm_by_itself", "calm"),
            ("later_by_itself", "recorded"),
        )
    ]
    _, passed_and_failed, tried = run(suite + "".join(tests))
    assert (passed_and_failed, tried) == ((2, 1), 2)


def test_a_fixture_that_fails_itself_may_be_explained(run):
    suite = (
        "@pytest.fixture\ndef broken(machine):\n    machine.stand_still(40)\n    assert False\n"
        "@pytest.mark.window\ndef test_by_itself(broken):\n    pass\n"
    )
    result, (_, failed), tried = run(suite)
    assert (failed, tried, result.ret) == (0, 1, 0)


def test_more_than_a_few_that_were_run_again_fail_the_run(run):
    tests = [failing(f"{number}_by_itself") for number in range(MOST_RUN_AGAIN + 2)]
    result, _, _ = run("".join(tests[:MOST_RUN_AGAIN]))
    assert result.ret == 0
    result, passed_and_failed, tried = run("".join(tests[: MOST_RUN_AGAIN + 1]))
    assert (passed_and_failed, tried) == ((MOST_RUN_AGAIN + 1, 0), MOST_RUN_AGAIN + 1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"RUN AGAIN: 3 in all; more than {MOST_RUN_AGAIN} fail the run"])
    # By then the run has failed, and nothing more is tried.
    assert run("".join(tests))[1:] == ((MOST_RUN_AGAIN + 1, 1), MOST_RUN_AGAIN + 1)

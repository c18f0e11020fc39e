"""What holds for every test: a home of its own, one thread a process, fixed examples and seeds.

Window tests may be run again where this machine stood still (`tests/standing_still.py`).
"""

import atexit
import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from lab import WITH_WINDOWS
from tests import seeds
from tests.memory import give_back

pytest_plugins = ["pytester"]

# Set at import, before a test module brings in psychopy or numpy: they write to the home
# folder, and count their threads, as soon as they are imported.
_HOME = Path(tempfile.mkdtemp(prefix="plainsight-tests-"))
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

_SLOW = Path(__file__).parent / "slow"
NEW_OBJECTS_PER_SEARCH = 50_000
"""Between two searches for garbage; Python's own number is 700."""

for variable, folder in {
    "HOME": "",
    "USERPROFILE": "",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_DATA_HOME": ".local/share",
    "PLAINSIGHT_LAB": "lab",
}.items():
    path = _HOME / folder
    path.mkdir(parents=True, exist_ok=True)
    os.environ[variable] = str(path)

# Commands that tests start needn't compile every module again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Tests look for data where they put it, and their child processes use this Python.
os.environ.pop("PLAINSIGHT_DATA", None)
os.environ["PLAINSIGHT_PYTHON_ENV"] = "current"
os.environ["PYTHONPATH"] = os.pathsep.join((str(seeds.SEEDED), str(Path(__file__).parent.parent)))
os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Torch keeps compiled convolutions, one for each shape: tests use many shapes, each for a moment.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "16")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the number that orders and seeds a run."""
    told = "mix files and tests by N and seed everything random with it (default 0: files in order)"
    parser.addoption(seeds.OPTION, type=int, default=0, metavar="N", help=told)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Start again where this Python orders its sets by chance; xdist's workers inherit it."""
    seed = config.getoption(seeds.OPTION)
    if os.name == "posix" and not seeds.is_hashing_fixed(seed):
        shutil.rmtree(_HOME, ignore_errors=True)
        seeds.start_again(seed)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Fix what holds for a whole run; with a number of its own hypothesis draws new examples."""
    # Imported late, since it takes a second, and a Python that starts again has no use for it.
    from hypothesis import core, settings
    from hypothesis.internal.conjecture import providers

    seed = config.getoption(seeds.OPTION)
    seeds.fix_surroundings(seed)
    settings.register_profile("house", deadline=None, derandomize=not seed, database=None)
    settings.load_profile("house")
    # Else examples have constants from whatever modules other tests brought in, and each process
    # takes five seconds to read them.
    providers._get_local_constants = lambda: providers._local_constants
    if seed:
        core.global_force_seed = seed


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests by the run's number."""
    seed = config.getoption(seeds.OPTION)
    if seed:
        items.sort(key=lambda item: seeds.place_of(seed, item.nodeid))


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest) -> None:
    """Let a fixture draw the same, whichever test asks for it first."""
    name = f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]"
    seeds.seed_generators(request.config.getoption(seeds.OPTION), name)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let a test draw the same, whatever ran before it."""
    seeds.seed_generators(item.config.getoption(seeds.OPTION), item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """Keep processes small: give back what a module used after its last test."""
    try:
        return (yield)
    finally:
        if isinstance(item, pytest.Function) and (nextitem is None or nextitem.path != item.path):
            give_back(item.module)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules of which no test runs: to import them takes up to 20 s."""
    if collection_path.suffix != ".py":
        return None
    if "not slow" in config.option.markexpr and collection_path.parent == _SLOW:
        return True
    if config.option.markexpr != WITH_WINDOWS:
        return None
    return "mark.window" not in collection_path.read_text(encoding="utf-8") or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the window tests that were run again, and how to repeat what failed."""
    from tests.standing_still import name_those_run_again

    name_those_run_again(terminalreporter)
    failed = [r for key in ("failed", "error") for r in terminalreporter.stats.get(key, ())]
    if files := sorted({report.nodeid.partition("::")[0] for report in failed}):
        seed = terminalreporter.config.getoption(seeds.OPTION)
        terminalreporter.write_line(seeds.how_to_repeat(seed, files))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which too many window tests were run again."""
    from tests.standing_still import fail_if_many_ran_again

    fail_if_many_ran_again(session)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let what tests draw at import be the same in each process, and collect little garbage.

    Each search of all that is loaded would take a second. Tests make many objects and few circles:
    at Python's own pace the searches took a twentieth of all processor time.
    """
    seeds.seed_generators(session.config.getoption(seeds.OPTION), "collection")
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(NEW_OBJECTS_PER_SEARCH)
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Watch the machine's cores while window tests run."""
    # Imported late, since it brings in what must find the variables above.
    from tests.standing_still import watch

    watch(session)

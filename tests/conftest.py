"""What holds for every test: a home of its own, one thread a process, fixed examples and seeds.

Window tests may be run again where this machine stood still (`tests/standing_still.py`).
"""

import atexit
import gc
import os
import random
import shutil
import sys
import tempfile
import zlib
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from lab import WITH_WINDOWS

# Set at import, before a test module brings in psychopy or numpy: they write to the home
# folder, and count their threads, as soon as they are imported.
_HOME = Path(tempfile.mkdtemp(prefix="plainsight-tests-"))
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

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

# Tests look for data where they put it, and their child processes use this Python.
os.environ.pop("PLAINSIGHT_DATA", None)
os.environ["PLAINSIGHT_PYTHON_ENV"] = "current"
os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


def _seed(key: str) -> None:
    """Seed the global generators that are loaded, by a name, which is the same in any order."""
    number = zlib.crc32(key.encode())
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(number)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef, request: pytest.FixtureRequest) -> None:
    """Let a fixture draw the same, whichever test asks for it first."""
    _seed(f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Let a test draw the same, whatever ran before it."""
    _seed(item.nodeid)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules without a window test where only those run: to import all takes 20 s."""
    if config.option.markexpr != WITH_WINDOWS or collection_path.suffix != ".py":
        return None
    return "mark.window" not in collection_path.read_text(encoding="utf-8") or None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the window tests that were run again."""
    from tests.standing_still import name_those_run_again

    name_those_run_again(terminalreporter)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect no garbage while tests are imported, and never look for it in what they import.

    Each search of all that is loaded would take a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Watch the machine's cores while window tests run."""
    # Imported late, since it brings in what must find the variables above.
    from tests.standing_still import watch

    watch(session)

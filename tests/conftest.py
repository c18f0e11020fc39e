"""What holds for every test: a home of its own, one thread a process, fixed examples.

Window tests may be run again where this machine stood still (`tests/standing_still.py`).
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

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


def pytest_collection_finish(session: pytest.Session) -> None:
    """Watch the machine's cores while window tests run."""
    # Imported late, since it brings in what must find the variables above.
    from tests.standing_still import watch

    watch(session)

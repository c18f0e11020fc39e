import tempfile
from pathlib import Path

import pytest

from participants.registry import Registry
from tests.participants.registry.postgres import binaries, running_server


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{(tmp_path / 'lab' / 'registry.sqlite').as_posix()}"


@pytest.fixture
def registry(url, clock):
    opened = Registry.open(url, clock)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def server():
    found = binaries()
    if found is None:
        pytest.skip("no PostgreSQL here: no initdb on PATH or in /usr/lib/postgresql/*/bin")
    # Not in pytest's folder: another user than root's has to reach it.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        with running_server(Path(name), found) as running:
            yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def either_url(request, url):
    """Return the URL of an empty database: a file of SQLite's, then one on a server."""
    return url if request.param == "sqlite" else request.getfixturevalue("server").database()

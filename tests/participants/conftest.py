import os
import subprocess
import sys

import pytest

from participants.folder import DataFolder, LabFolder
from tests.participants.registry.people import Clock


@pytest.fixture
def start(request):
    """Start a script of ``workers`` beside the test as a process of its own; end what is left."""
    workers = request.path.parent / "workers"
    running = []

    def start_worker(name, *arguments):
        process = subprocess.Popen(
            [sys.executable, workers / f"{name}.py", *map(str, arguments)],
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start_worker
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A new lab folder, which commands take where none is named."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.make()


@pytest.fixture
def data(tmp_path):
    """A data folder that isn't there yet."""
    return DataFolder(tmp_path / "data")


@pytest.fixture
def clock():
    return Clock()

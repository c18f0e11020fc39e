import os
import subprocess
import sys

import pytest


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

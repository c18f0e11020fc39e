import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKERS = Path(__file__).parent / "workers"


@pytest.fixture
def start():
    """Start one of the worker scripts as a process of its own; what is left is ended."""
    running = []

    def start_worker(name, *arguments):
        process = subprocess.Popen(
            [sys.executable, WORKERS / f"{name}.py", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
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

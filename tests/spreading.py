"""How the whole suite is spread over processes (`python3 lab.py test`).

The tests of a file stay together, since they share what is slow to make. Tests that open a real
window share one process: they wait most of the time, and what they wait for must not be late. So
the processes without windows give way to it.
"""

import os

import pytest

WINDOWS = "windows"
"""The group of tests with a real window."""
GIVES_WAY = 10
"""Niceness of a process without windows."""
WORKER = "PYTEST_XDIST_WORKER"


def group(item: pytest.Item) -> str:
    """Return the group whose tests one process runs in order."""
    return WINDOWS if item.get_closest_marker("window") else str(item.path)


def own_name(test: str) -> str:
    """Return a test's own name: where several processes test, it ends in that of its group."""
    return test.removesuffix(f"@{WINDOWS}")


class GivingWay:
    """The plugin that lets a process give way once its tests are others than those with windows.

    These are the largest group, so that they are dealt out first.
    """

    def __init__(self) -> None:
        self._gives_way = False

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Give way before the first test without a window."""
        if not self._gives_way and group(item) != WINDOWS and hasattr(os, "nice"):
            self._gives_way = True
            os.nice(GIVES_WAY)

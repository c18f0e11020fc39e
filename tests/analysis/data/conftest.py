"""Data of robots, simulated once for all modules, which change copies."""

import pytest

from participants.folder import DataFolder
from participants.simulate.run import simulate
from tests.participants.export.conftest import simulated
from tests.participants.studies.accept_reject.packs import tiny_sketch

__all__ = ["simulated"]  # a fixture


@pytest.fixture(scope="session")
def three_robots(tmp_path_factory):
    """A data folder of accept_reject with three kinds of robots."""
    folder = tmp_path_factory.mktemp("simulated") / "data"
    simulate(DataFolder(folder), tiny_sketch(), ["lead", "lazy", "random"], seed=5)
    return folder

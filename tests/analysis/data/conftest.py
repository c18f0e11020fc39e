"""Data of robots, simulated once for all modules, which change copies."""

import pytest

from participants.folder import DataFolder
from participants.simulate.run import simulate
from tests.participants.export.conftest import SIMULATED
from tests.participants.studies.accept_reject.packs import least_sketch


@pytest.fixture(scope="session")
def three_robots(tmp_path_factory):
    """A data folder of accept_reject with three kinds of robots."""
    folder = tmp_path_factory.mktemp("simulated") / "data"
    simulate(DataFolder(folder), least_sketch(), ["lead", "lazy", "random"], seed=5)
    return folder


@pytest.fixture(scope="session")
def simulated(three_robots, tmp_path_factory):
    """Each study's data folder; that of accept_reject has three robots, all others two."""
    folders = {"accept_reject": DataFolder(three_robots)}
    for study in SIMULATED.keys() - folders.keys():
        pack, robot = SIMULATED[study]
        folders[study] = DataFolder(tmp_path_factory.mktemp("simulated") / study)
        simulate(folders[study], pack(), [robot] * 2)
    return folders

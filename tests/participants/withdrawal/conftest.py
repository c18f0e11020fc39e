import shutil

import pytest

from participants.folder import LabFolder
from tests.participants.withdrawal.full_lab import make_lab


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A full lab, made once and copied for each test, and its people."""
    root = tmp_path_factory.mktemp("made") / "lab"
    return root, make_lab(root)


@pytest.fixture
def people(made):
    return made[1]


@pytest.fixture
def lab(made, tmp_path, monkeypatch):
    shutil.copytree(made[0], tmp_path / "lab")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.open()

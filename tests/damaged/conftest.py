"""Damaged files, impossible places and values: status 2, one line, nothing lost or half-written."""

import importlib

import pytest

from participants.folder import LabFolder
from stimuli.maps.map_set import write_map_set
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from tests.experiments.conftest import CHANGES, few_digits, mini_pack

__all__ = ["mini_pack"]  # a fixture

ROOMS = {
    "plates": "stimuli",
    "participants": "participants",
    "export": "participants",
    "simulate": "participants",
    "build": "xai_backend",
    "run": "experiments",
    "doctor": "experiments",
    "demo": "experiments",
    "analyse": "analysis",
}


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.delenv("DISPLAY", raising=False)
    return LabFolder.make().root


@pytest.fixture
def refused(capfd):
    """Run a verb that must end with status 2 and one line; give the line."""

    def run(verb, *arguments):
        main = importlib.import_module(f"{ROOMS[verb]}.cli").main
        status = main([verb, *map(str, arguments)])
        out, said = capfd.readouterr()
        assert status == 2, said
        assert said.count("\n") == 1, said
        assert "Traceback" not in said
        assert out == ""
        return said

    return run


@pytest.fixture(scope="session")
def painted(tmp_path_factory):
    """A task pack without a network, and the folder of a map set painted on it."""
    protocol = load_protocol("accept_reject", None, CHANGES)
    tasks, expert = sketch_tasks(protocol, [("deutan", 2)], SketchRates(), few_digits())
    folder = tmp_path_factory.mktemp("painted")
    files = {path: tasks.asset(path) for path in tasks.manifest.files}
    write_pack(folder / "tasks", protocol, "tasks", files, {"made": "sketch"})
    write_map_set(folder / "maps", expert)
    return folder / "tasks", folder / "maps"

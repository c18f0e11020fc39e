"""What a lab left at version 1.0 is read: an artefact of each format (`tests.golden_lab`)."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from analysis.data.tables import read_folder
from analysis.preregister.frozen import read_frozen
from analysis.read_results import read_results
from experiments.rig.profile import profile_path, read_rig
from participants.backup.record import Record
from participants.backup.store import BackupStore
from participants.dataset.derive import write_tables
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from stimuli.catalogue import studies_of_the_lab
from stimuli.maps.map_set import read_map_set, write_map_set
from tests.golden_lab import EXAMPLE, GOLDEN

STUDY = "preferences"


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """The artefacts beside the example study, as the lab folder names it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "example").mkdir()
    # A copy would be another module of the same name to tests that have imported the example.
    (folder / "example" / STUDY).symlink_to(EXAMPLE)
    shutil.copytree(GOLDEN, folder / "golden")
    lab = folder / "golden" / "lab"
    with closing(sqlite3.connect(lab / "registry.sqlite")) as registry:
        registry.executescript((lab / "registry.sql").read_text(encoding="utf-8"))
    with studies_of_the_lab(["test", "--lab", str(lab)]):
        yield folder / "golden"


def test_a_lab_of_version_1_0_is_read(golden):
    lab = LabFolder.open(golden / "lab")
    with closing(Registry.open(lab.registry_url)) as registry:
        (robot,) = registry.list()
    assert (robot.role, robot.sessions, robot.complete) == ("participant", 1, 1)
    assert read_journal(next(lab.data.sessions()).journal).complete
    assert len(read_folder(STUDY, lab.data.root).trials) == 8
    assert read_rig(profile_path(golden / "rigs", "rig-7k2m")).geometry.width_cm == 53.1
    assert read_results(golden / "report").frame.study == STUDY
    assert read_frozen(golden / "preregistration").study == STUDY
    assert Record.of(lab).places
    ((backup,), damaged) = BackupStore.open(golden / "backup").backups()
    assert (len(backup.files), damaged) == (14, {})


def test_its_journal_still_gives_its_tables(golden):
    """A table that comes out otherwise needs another version."""
    data = LabFolder.open(golden / "lab").data
    kept = {path.name: path.read_bytes() for path in data.tables.glob("*.*")}
    assert write_tables(data, STUDY).left_out == {}
    for name, before in kept.items():
        now = (data.tables / name).read_bytes()
        assert (now, name) == (before, name)
        if name.endswith(".json"):
            assert json.loads(before)["schema"].endswith("/1.0")


def test_a_map_set_is_read_and_still_written_the_same(tmp_path):
    write_map_set(tmp_path, read_map_set(GOLDEN / "mapset"))
    for name in ("maps.csv", "maps.safetensors"):
        assert (tmp_path / name).read_bytes() == (GOLDEN / "mapset" / name).read_bytes()

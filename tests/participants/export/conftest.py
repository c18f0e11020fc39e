"""Data of every study, simulated once; a folder with all of them, put together by copying."""

import shutil

import pytest

from participants.folder import DataFolder, LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from participants.registry.tables import people
from participants.simulate.run import simulate
from tests.participants.studies.accept_reject.packs import tiny_sketch
from tests.participants.studies.human_ai_team.taken import pack_of
from tests.participants.studies.simulatability.taken import pack_of as cases
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch as labels
from tests.stimuli.studies.progressive_reveal.small import small_sketch as images

SIMULATED = {
    "accept_reject": (tiny_sketch, "lead"),
    "accept_reject_accuracy": (labels, "noisy"),
    "human_ai_team": (pack_of, "careful"),
    "progressive_reveal": (images, "viewer"),
    "simulatability": (cases, "reader"),
}
"""Pack and robot by study."""

EVERYBODY = 2 * len(SIMULATED)
"""How many people a folder with all of them holds."""

ABOUT = """\
title = "What robots answered"
authors = ["A. Author", "B. Author"]
license = "CC0"
institution = "University"
department = "Psychology"
address = "Street 1"
"""


@pytest.fixture(scope="session")
def simulated(tmp_path_factory):
    """Each study's data folder, with two robots."""
    folders = {}
    for study, (pack, robot) in SIMULATED.items():
        folders[study] = DataFolder(tmp_path_factory.mktemp("simulated") / study)
        simulate(folders[study], pack(), [robot] * 2)
    return folders


def put_together(target, folders):
    """Copy data folders together, as from several PCs; tables are derived."""
    for folder in folders:
        for part in ("sessions", "packs"):
            shutil.copytree(folder.root / part, target.root / part, dirs_exist_ok=True)
    return target


@pytest.fixture
def lab(tmp_path, simulated):
    """A lab whose data folder has all studies."""
    made = LabFolder.make(tmp_path / "lab")
    Registry.of(made).close()
    (made.root / "dataset.toml").write_text(ABOUT, encoding="utf-8")
    put_together(made.data, simulated.values())
    return made


@pytest.fixture
def usual_lab(lab, monkeypatch):
    """The lab that commands take where none is named."""
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab.root))


def keep(lab, *names):
    """Take all studies but some out of a lab's data."""
    for paths in [*lab.data.sessions()]:
        if read_journal(paths.journal).header["study"] not in names:
            shutil.rmtree(paths.folder)


def enter(lab, code):
    """Enter a person under a code that there is already."""
    row = {
        "code": code, "role": "participant", "purpose": "robot",
        "enrolled_utc": "2000-01-01T00:00:00.000000Z",
    }  # fmt: skip
    Registry.open(lab.registry_url).transact(
        lambda connection: connection.execute(people.insert().values(**row))
    )

"""No session begins in a lab whose registry is gone, and `doctor` says what brings it back."""

import pytest

from experiments.cli import main
from experiments.rig.checks import records


@pytest.fixture
def lost(lab, code):
    """Return the file of a registry that is gone."""
    records.registry(lab)
    file = lab.root / "registry.sqlite"
    file.unlink()
    return file


@pytest.mark.parametrize(
    "command", ["run PACK --participant CODE", "screen --participant CODE --pack PACK"]
)
def test_no_session_begins(command, lost, code, capsys, mini_pack):
    words = command.replace("CODE", code).replace("PACK", str(mini_pack)).split()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "restore brings it back from a backup" in said
    assert len(said.splitlines()) == 1
    assert not lost.exists()


@pytest.mark.parametrize("check", [records.registry, records.journals])
def test_doctor_names_it(check, lab, lost):
    assert "restore brings it back from a backup" in str(check(lab))
    assert not lost.exists()

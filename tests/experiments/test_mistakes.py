"""What people get wrong: one line that says what to do, exit status 2, nothing recorded."""

import json
import shutil

import pytest

from experiments import cli
from participants.folder import LabFolder
from participants.registry import NewSession, Registry, new_code

PILOT = ("--purpose", "pilot")
PEOPLE = {
    "EXPERT": ("expert", {}),
    "LEAD": ("lead", {"axis": "deutan", "rung": 2}),
    "PILOT": ("lead", {"axis": "deutan", "rung": 2, "purpose": "pilot"}),
    "PAINTER": ("expert", {"purpose": "pilot"}),
    "LOW": ("lead", {"axis": "deutan", "rung": 1, "purpose": "pilot"}),
    "UNSCREENED": ("lead", {"purpose": "pilot"}),
}
MISTAKES = [
    ("run PACK --purpose pilot", "--participant CODE"),
    ("run PACK --participant NOBODY --purpose pilot", "is not in this registry"),
    ("run PACK --participant EXPERT --purpose pilot", "expert"),
    ("run PACK --participant UNSCREENED --purpose pilot", "--axis"),
    ("run PACK --participant LOW --purpose pilot", "deutan rung 1"),
    ("run PACK --participant LEAD --robot lead", "is a person's"),
    ("run PACK --participant PILOT --purpose pilot --display existing", "DISPLAY is not set"),
    ("run PACK --robot nobody", "contour_reader"),
    ("run PACK --robot lead --purpose main", "purpose"),
    ("run LAB --robot lead", "is not a pack"),
    ("run accept_rejekt --robot lead", "accept_reject"),
    ("run accept_reject --robot lead", "lab.py build"),
    ("run PACK --robot lead --language fr", "'fr'"),
    ("run PACK --robot lead --size large", "--size"),
    ("run PACK --robot lead --size 1280", "--size"),
    ("run PACK --robot lead --display beamer", "virtual"),
    ("run PACK --rehearse --display virtual", "--robot NAME"),
    ("run TASKS --participant EXPERT", "a solution pack"),
    ("annotate PACK --participant EXPERT", "a task pack"),
    ("annotate TASKS --purpose pilot", "--participant CODE"),
    ("annotate TASKS --robot lead", "take one of expert"),
    ("annotate TASKS --participant LEAD --purpose pilot", "this session is one of the experts"),
    ("annotate TASKS --participant EXPERT --robot expert", "is a person's"),
    ("annotate TASKS --participant PAINTER --purpose pilot --display existing", "DISPLAY is not"),
    ("annotate TASKS --participant PAINTER --purpose pilot --language fr", "language 'fr'"),
    ("annotate TASKS --display odd", "--display odd"),
]


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("DISPLAY", raising=False)
    return LabFolder.make()


@pytest.fixture
def registry(lab):
    return Registry.open(lab.registry_url)


@pytest.fixture
def refused(capsys):
    def run(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        said = capsys.readouterr().err.strip()
        assert status == 2, said
        assert "\n" not in said
        return said

    return run


@pytest.mark.parametrize(("command", "line"), MISTAKES)
def test_a_mistake_is_one_line(lab, registry, refused, mini_pack, mini_tasks, command, line):
    places = {"PACK": mini_pack, "TASKS": mini_tasks, "LAB": lab.root, "NOBODY": new_code()}
    words = []
    for word in command.split():
        role, options = PEOPLE.get(word, ("", {}))
        words.append(registry.enrol(role, **options) if role else places.get(word, word))
    assert line in refused(*words)
    assert not any(lab.data.sessions())


def test_a_person_in_a_session_elsewhere(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    pack = "0" * 32
    registry.start_session(NewSession("s", code, "lead", "accept_reject", pack, "pilot", "other"))
    assert "at this moment" in refused("run", mini_pack, "--participant", code, *PILOT)


def test_a_display_that_does_not_answer(lab, registry, refused, mini_pack, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":4711")
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    said = refused("run", mini_pack, "--participant", code, *PILOT, "--display", "existing")
    assert ":4711" in said


def test_a_study_with_several_packs(lab, refused, mini_pack):
    for name in ("one", "two"):
        shutil.copytree(mini_pack, lab.packs / name)
    assert "one, two" in refused("run", "accept_reject", "--robot", "lead")


def test_a_pack_with_a_changed_byte(lab, refused, mini_pack, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(mini_pack, changed)
    victim = sorted((changed / "assets").rglob("*"))[-1]
    data = bytearray(victim.read_bytes())
    data[0] ^= 1
    victim.write_bytes(data)
    assert victim.name in refused("run", changed, "--robot", "lead")


def test_a_display_too_dull_for_the_plates(lab, registry, refused, mini_pack):
    """Clipped colours would show the digit to the very eyes that it is hidden from."""
    lab.rigs.mkdir()
    (lab.rigs / f"{lab.settings.rig}.toml").write_text(
        'schema = "rig/1.0"\n[display]\nname = "dull"\ncalibrated = true\n'
        "red_xy = [0.40, 0.34]\ngreen_xy = [0.32, 0.40]\nblue_xy = [0.24, 0.22]\n"
        "white_xy = [0.313, 0.329]\n",
        encoding="utf-8",
    )
    said = refused("run", mini_pack, "--robot", "lead")
    assert "doesn't fit display 'dull'" in said
    assert "largest that fits" in said


def test_a_rig_profile_with_a_wrong_key(lab, registry, refused, mini_pack):
    lab.rigs.mkdir()
    path = lab.rigs / f"{lab.settings.rig}.toml"
    path.write_text('schema = "rig/1.0"\n[geometry]\nwidth_mm = 1\n', encoding="utf-8")
    assert "geometry" in refused("run", mini_pack, "--robot", "lead")


def test_a_data_folder_that_cannot_be_written_stops_the_session_unless_overridden(
    lab, refused, mini_pack
):
    lab.data.root.write_bytes(b"not a folder")
    assert "--override REASON" in refused("run", mini_pack, "--robot", "lead")


def test_doctor_without_a_display_says_so_and_fails(lab, capsys):
    assert cli.main(["doctor", "--json"]) == 2
    found = {check["check"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert found["display"]["status"] == "fail"
    assert "DISPLAY" in found["display"]["found"]
    assert found["lab folder"]["status"] == "pass"
    assert found["calibration"]["status"] == "warn"

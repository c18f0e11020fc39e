"""What people get wrong: one line that says what to do, exit status 2, nothing recorded."""

import json
import shutil

import pytest

from experiments import cli
from participants.folder import LabFolder
from participants.registry import NewSession, Registry, new_code

PILOT = ("--purpose", "pilot")


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


def test_nobody_named(lab, refused, mini_pack):
    assert "--participant CODE" in refused("run", mini_pack, *PILOT)


def test_an_unknown_code(lab, refused, mini_pack):
    assert "is not in this registry" in refused(
        "run", mini_pack, "--participant", new_code(), *PILOT
    )


def test_a_code_of_another_role(lab, registry, refused, mini_pack):
    code = registry.enrol("expert")
    assert "expert" in refused("run", mini_pack, "--participant", code, *PILOT)


def test_a_lead_without_a_rung(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", purpose="pilot")
    assert "--axis" in refused("run", mini_pack, "--participant", code, *PILOT)


def test_a_lead_for_whom_the_pack_has_no_list(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=1, purpose="pilot")
    assert "deutan rung 1" in refused("run", mini_pack, "--participant", code, *PILOT)


def test_a_person_in_a_session_elsewhere(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    pack = "0" * 32
    registry.start_session(NewSession("s", code, "lead", "accept_reject", pack, "pilot", "other"))
    assert "at this moment" in refused("run", mini_pack, "--participant", code, *PILOT)


def test_a_persons_code_for_a_robot(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=2)
    said = refused("run", mini_pack, "--participant", code, "--robot", "lead")
    assert "is a person's" in said


def test_no_display(lab, registry, refused, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    said = refused("run", mini_pack, "--participant", code, *PILOT, "--display", "existing")
    assert "DISPLAY is not set" in said
    assert not any(lab.data.sessions())


def test_a_display_that_does_not_answer(lab, registry, refused, mini_pack, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":4711")
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    said = refused("run", mini_pack, "--participant", code, *PILOT, "--display", "existing")
    assert ":4711" in said


def test_an_unknown_robot(lab, refused, mini_pack):
    assert "contour_reader" in refused("run", mini_pack, "--robot", "nobody")


def test_a_robot_as_main(lab, refused, mini_pack):
    assert "purpose" in refused("run", mini_pack, "--robot", "lead", "--purpose", "main")


def test_a_folder_that_is_no_pack(lab, refused, tmp_path):
    assert "is not a pack" in refused("run", tmp_path, "--robot", "lead")


def test_a_study_that_does_not_exist(lab, refused):
    assert "accept_reject" in refused("run", "accept_rejekt", "--robot", "lead")


def test_a_study_without_a_pack(lab, refused):
    assert "lab.py build" in refused("run", "accept_reject", "--robot", "lead")


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


def test_a_language_that_the_protocol_lacks(lab, refused, mini_pack):
    assert "'fr'" in refused("run", mini_pack, "--robot", "lead", "--language", "fr")


@pytest.mark.parametrize("size", ["large", "12x9", "1280"])
def test_an_impossible_size(lab, refused, mini_pack, size):
    assert "--size" in refused("run", mini_pack, "--robot", "lead", "--size", size)


def test_an_unknown_display(lab, refused, mini_pack):
    assert "virtual" in refused("run", mini_pack, "--robot", "lead", "--display", "beamer")


def test_a_display_that_nobody_sees(lab, refused, mini_pack):
    assert "--robot NAME" in refused("run", mini_pack, "--rehearse", "--display", "virtual")


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


def test_an_expert_is_shown_tasks_not_solutions(lab, registry, refused, mini_pack, mini_tasks):
    code = registry.enrol("expert")
    said = refused("annotate", mini_pack, "--participant", code)
    assert "a task pack" in said
    assert "--robot-experts" not in said, "only one study has that option"
    assert "a solution pack" in refused("run", mini_tasks, "--participant", code)


def test_an_experts_session_without_an_expert(lab, registry, refused, mini_tasks):
    assert "--participant CODE" in refused("annotate", mini_tasks, *PILOT)
    assert "take one of expert" in refused("annotate", mini_tasks, "--robot", "lead")
    lead = registry.enrol("lead", axis="deutan", rung=2)
    said = refused("annotate", mini_tasks, "--participant", lead, *PILOT)
    assert "is enrolled as lead, but this session is one of the experts" in said
    code = registry.enrol("expert")
    said = refused("annotate", mini_tasks, "--participant", code, "--robot", "expert")
    assert "is a person's" in said


def test_an_experts_session_without_a_display_or_language(lab, registry, refused, mini_tasks):
    code = registry.enrol("expert", purpose="pilot")
    said = refused("annotate", mini_tasks, "--participant", code, *PILOT, "--display", "existing")
    assert "DISPLAY is not set" in said
    assert "language 'fr'" in refused(
        "annotate", mini_tasks, "--participant", code, *PILOT, "--language", "fr"
    )
    assert "--display odd" in refused("annotate", mini_tasks, "--display", "odd")
    assert not any(lab.data.sessions())

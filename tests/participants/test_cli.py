import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from participants.cli import main
from participants.folder import LabFolder
from participants.registry import NewSession, Registry, check_code

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path / "lab"


def enrol(capsys, *options):
    assert main(["participants", "enrol", *options, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["code"]


def test_enrol_prints_the_code_alone_or_as_json(capsys):
    assert main(["participants", "enrol", "--role", "expert"]) == 0
    code = capsys.readouterr().out.strip()
    assert check_code(code) == code
    other = enrol(capsys, "--role", "lead", "--axis", "protan", "--rung", "2")
    assert main(["participants", "list", "--json"]) == 0
    people = {person["code"]: person for person in json.loads(capsys.readouterr().out)}
    assert set(people) == {code, other}
    assert (people[other]["axis"], people[other]["rung"]) == ("protan", 2)


GOLDEN_PACK = ROOT / "tests" / "golden" / "pack-1.0"
TOO_HIGH = ("--role", "lead", "--axis", "deutan", "--rung", "3")
LADDER = "rung is 3; the deutan ladder of pack pack-1.0 has 2 rungs"


def test_a_rung_that_a_leads_pack_lacks_is_refused(capsys):
    assert main(["participants", "enrol", *TOO_HIGH, "--pack", str(GOLDEN_PACK)]) == 2
    assert LADDER in capsys.readouterr().err
    assert main(["participants", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    enrol(capsys, *TOO_HIGH[:-1], "2", "--pack", str(GOLDEN_PACK))


def test_a_rung_that_no_pack_of_the_lab_has_is_told_and_entered(capsys, lab):
    enrol(capsys, *TOO_HIGH)
    assert capsys.readouterr().err == ""
    shutil.copytree(GOLDEN_PACK, lab / "packs" / "pack-1.0")
    (lab / "packs" / "damaged").mkdir()
    (lab / "packs" / "damaged" / "pack.json").write_text("{", encoding="utf-8")
    assert main(["participants", "enrol", *TOO_HIGH]) == 0
    told = capsys.readouterr()
    assert LADDER in told.err
    assert check_code(told.out.strip())
    assert main(["participants", "enrol", *TOO_HIGH[:-1], "2"]) == 0
    assert capsys.readouterr().err == ""


def test_the_list_shows_sessions_and_hides_the_arm(capsys):
    code = enrol(capsys, "--role", "lead", "--axis", "deutan", "--rung", "3", "--purpose", "pilot")
    registry = Registry.open(LabFolder.open().registry_url)
    registry.start_session(NewSession("s", code, "lead", "accept_reject", "pack", "pilot", "rig"))
    assert main(["participants", "list"]) == 0
    shown = capsys.readouterr().out
    for word in (code, "lead", "deutan", "pilot", "sessions", "consent"):
        assert word in shown
    for hidden in ("without_first", "with_first", "order", "list"):
        assert hidden not in shown


def test_each_lab_folder_has_its_own_registry(capsys, tmp_path):
    enrol(capsys, "--role", "lead")
    assert main(["participants", "list", "--json", "--lab", str(tmp_path / "other")]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--role", "king"], "no role 'king'; take one of lead, expert, participant"),
        (["--role", "lead", "--rung", "3"], "axis and rung go together"),
        (["--role", "expert", "--axis", "deutan", "--rung", "3"], "belong to leads"),
        (["--role", "lead", "--lab", __file__], "can't be made"),
    ],
)
def test_a_users_mistake_is_one_line_and_status_2(capsys, options, message):
    assert main(["participants", "enrol", *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize("verb", ["enrol", "list"])
def test_help_shows_an_example(capsys, verb):
    assert main(["participants", verb, "--help"]) == 0
    assert f"lab.py participants {verb}" in capsys.readouterr().out


def assert_loads_neither_database_nor_arrays(code):
    code += "; import sys; assert not {'sqlalchemy', 'pandas', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    "words",
    [
        ["participants", "enrol", "--help"],
        ["simulate", "--help"],
        ["simulate", "progressive_reveal", "--help"],
    ],
)
def test_help_loads_no_database(words):
    assert_loads_neither_database_nor_arrays(
        f"from participants.cli import main; assert main({words}) == 0"
    )


def test_reading_a_journal_loads_no_database_and_no_robots():
    """Whatever study it is of: what a study declares must stay light."""
    journals = sorted(map(str, (ROOT / "tests" / "golden").glob("journal-1.4/*.jsonl")))
    assert len(journals) == 4
    assert_loads_neither_database_nor_arrays(
        "from pathlib import Path; from participants.journal import read_journal;"
        f"[read_journal(Path(path)) for path in {journals}]"
    )

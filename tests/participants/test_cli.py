import json
import shutil
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from participants.cli import main
from participants.folder import LabFolder
from participants.registry import NewSession, Registry, check_code
from participants.screening.records import ByHand, screened
from participants.simulate import command
from stimuli.catalogue import studies_of
from stimuli.pack import write_pack
from tests.participants.studies.accept_reject.packs import tiny_sketch
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("COLUMNS", "120")
    return LabFolder.make().root


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


def test_several_people_are_enrolled_at_once(capsys, lab):
    assert main(["participants", "enrol", "--role", "expert", "--count", "3"]) == 0
    codes = capsys.readouterr().out.split()
    assert len({check_code(code) for code in codes}) == 3
    lead = ["--role", "lead", "--axis", "protan", "--rung", "2"]
    assert main(["participants", "enrol", *lead, "--count", "2", "--json"]) == 0
    leads = json.loads(capsys.readouterr().out)["codes"]
    with closing(Registry.open(LabFolder.open(lab).registry_url)) as registry:
        assert {person.code for person in registry.list()} == {*codes, *leads}
        assert all(screened(registry, code) for code in leads)
    assert main(["participants", "enrol", "--role", "expert", "--count", "0"]) == 2


def test_an_axis_and_a_rung_that_were_stated_are_kept_as_stated(capsys, lab):
    stated = enrol(capsys, "--role", "lead", "--axis", "protan", "--rung", "2")
    unknown = enrol(capsys, "--role", "participant")
    registry = Registry.open(LabFolder.open(lab).registry_url)
    assert [(row.procedure, row.result) for row in screened(registry, stated)] == [
        ("by_hand", ByHand("protan", 2))
    ]
    assert screened(registry, unknown) == ()
    registry.close()


LEAD = ("--role", "lead")
TOO_HIGH = (*LEAD, "--axis", "deutan", "--rung", "3")
NOT_THIS_AXIS = (*LEAD, "--axis", "protan", "--rung", "2")
FITS = (*LEAD, "--axis", "deutan", "--rung", "1")


@pytest.fixture
def pack(tmp_path):
    """A solution pack of accept_reject, with lists for one rung."""
    made = tiny_sketch()
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(tmp_path / "pack", made.protocol, "solutions", files, {})
    return tmp_path / "pack"


def refused(capsys, *options):
    assert main(["participants", "enrol", *map(str, options)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert main(["participants", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    return told.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (TOO_HIGH, "the pack has no list for deutan rung 3; it has: deutan rung 1"),
        (NOT_THIS_AXIS, "the pack has no list for protan rung 2; it has: deutan rung 1"),
        (LEAD, "this lead has no axis and rung"),
        (("--role", "expert"), "is for the role lead, not expert"),
    ],
)
def test_whom_a_pack_has_no_list_for_is_refused(capsys, options, message, pack):
    assert message in refused(capsys, *options, "--pack", pack)
    enrol(capsys, *FITS, "--pack", str(pack))


@pytest.mark.parametrize("place", ["packs", "data/packs"])
def test_a_lead_for_whom_no_pack_of_the_lab_has_a_list_is_refused(capsys, lab, place, pack):
    shutil.copytree(pack, lab / place / "whole")
    shutil.rmtree(lab / place / "whole" / "assets")
    (lab / place / "damaged").mkdir()
    (lab / place / "damaged" / "pack.json").write_text("{", encoding="utf-8")
    for options in (TOO_HIGH, NOT_THIS_AXIS):
        said = refused(capsys, *options)
        assert f"has a list for {options[3]} rung {options[5]}; they have: deutan rung 1" in said
        assert "--pack DIR" in said
    assert "a lead needs --axis and --rung" in refused(capsys, *LEAD)
    assert main(["participants", "enrol", *FITS]) == 0
    assert capsys.readouterr().err == ""


def test_where_the_lab_knows_no_pack_axis_and_rung_are_said_to_be_unchecked(capsys):
    assert "a lead needs --axis and --rung" in refused(capsys, *LEAD)
    assert main(["participants", "enrol", *TOO_HIGH]) == 0
    told = capsys.readouterr()
    assert "--pack DIR checks them" in told.err
    assert check_code(told.out.strip())


def test_a_lead_whose_pack_shows_no_plates_needs_no_axis(capsys, lab, tmp_path):
    """A pack of labelled images, named or known to the lab."""
    made = small_sketch()
    files = {path: made.asset(path) for path in made.manifest.files}
    write_pack(tmp_path / "accuracy", made.protocol, "solutions", files, {})
    enrol(capsys, *LEAD, "--pack", str(tmp_path / "accuracy"))
    shutil.copytree(tmp_path / "accuracy", lab / "packs" / "accuracy")
    enrol(capsys, *LEAD)


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
    enrol(capsys, "--role", "expert")
    LabFolder.make(tmp_path / "other")
    assert main(["participants", "list", "--json", "--lab", str(tmp_path / "other")]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--role", "king"], "no role 'king'; take one of lead, expert, participant"),
        (["--role", "lead", "--rung", "3"], "axis and rung go together"),
        (["--role", "expert", "--axis", "deutan", "--rung", "3"], "belong to leads"),
        (["--role", "lead", "--lab", __file__], "is not a lab folder"),
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


@pytest.mark.parametrize(
    ("words", "loaded"),
    [(["--help"], []), (["progressive_reveal", "--help"], ["progressive_reveal"])],
)
def test_help_of_simulate_loads_no_study_but_the_one_asked_for(words, loaded):
    code = (
        f"from participants.cli import main; assert main({['simulate', *words]}) == 0; import sys; "
        "parts = [name.split('.') for name in sys.modules if 'participants.studies.' in name]; "
        f"assert [part[2] for part in parts if part[3:] == ['study']] == {loaded}, parts; "
        "assert 'participants.journal.events' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_study_without_simulated_sessions_says_so(monkeypatch, capsys):
    study = studies_of("participants")["accept_reject"]
    monkeypatch.setattr(command, "studies_of", lambda room: {"other": replace(study, sessions={})})
    assert main(["simulate", "other", "--out", "x"]) == 2
    assert capsys.readouterr().err == "simulate other: the study has no simulated sessions\n"


def test_reading_a_journal_loads_no_database_and_no_robots():
    """Whatever study it is of: what a study declares must stay light."""
    journals = sorted(map(str, (ROOT / "tests" / "golden").glob("journals/*.jsonl")))
    assert len(journals) == 5
    assert_loads_neither_database_nor_arrays(
        "from pathlib import Path; from participants.journal import read_journal;"
        f"[read_journal(Path(path)) for path in {journals}]"
    )

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from participants.cli import main
from participants.folder import LabFolder
from participants.registry import Registry, check_code
from participants.screening.records import ByHand, screened
from tests.participants.commands import printed, printed_json, refused
from tests.participants.studies.accept_reject.packs import tiny_sketch
from tests.sealing import sealed
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("COLUMNS", "120")
    return LabFolder.make().root


def enrol(capsys, *options):
    return printed_json(capsys, "participants", "enrol", *options)["code"]


def test_enrol_prints_the_code_alone_or_as_json(capsys):
    code = printed(capsys, "participants", "enrol", "--role", "expert").strip()
    assert check_code(code) == code
    other = enrol(capsys, "--role", "lead", "--axis", "protan", "--rung", "2")
    people = {one["code"]: one for one in printed_json(capsys, "participants", "list")}
    assert set(people) == {code, other}
    assert (people[other]["axis"], people[other]["rung"]) == ("protan", 2)


def test_several_people_are_enrolled_at_once(capsys, lab):
    enrolling = ("participants", "enrol", "--role")
    codes = printed(capsys, *enrolling, "expert", "--count", "3").split()
    assert len({check_code(code) for code in codes}) == 3
    lead = ("lead", "--axis", "protan", "--rung", "2", "--count", "2")
    leads = printed_json(capsys, *enrolling, *lead)["codes"]
    with closing(Registry.open(LabFolder.open(lab).registry_url)) as registry:
        assert {person.code for person in registry.list()} == {*codes, *leads}
        assert all(screened(registry, code) for code in leads)
    assert main([*enrolling, "expert", "--count", "0"]) == 2


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
    return sealed(tiny_sketch(), tmp_path / "pack")


def nobody_enrolled(capsys, *options):
    """Return the line that refuses somebody."""
    line = refused(capsys, "participants", "enrol", *options)
    assert printed_json(capsys, "participants", "list") == []
    return line


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
    assert message in nobody_enrolled(capsys, *options, "--pack", pack)
    enrol(capsys, *FITS, "--pack", str(pack))


def test_a_lead_for_whom_no_pack_of_the_lab_has_a_list_is_refused(capsys, lab, pack):
    shutil.copytree(pack, lab / "data/packs" / "whole")
    shutil.rmtree(lab / "data/packs" / "whole" / "assets")
    (lab / "packs" / "damaged").mkdir(parents=True)
    (lab / "packs" / "damaged" / "pack.json").write_text("{", encoding="utf-8")
    for options in (TOO_HIGH, NOT_THIS_AXIS):
        said = nobody_enrolled(capsys, *options)
        assert f"has a list for {options[3]} rung {options[5]}; they have: deutan rung 1" in said
        assert "--pack DIR" in said
    assert "a lead needs --axis and --rung" in nobody_enrolled(capsys, *LEAD)
    assert main(["participants", "enrol", *FITS]) == 0
    assert capsys.readouterr().err == ""


def test_where_the_lab_knows_no_pack_axis_and_rung_are_said_to_be_unchecked(capsys):
    assert "a lead needs --axis and --rung" in nobody_enrolled(capsys, *LEAD)
    assert main(["participants", "enrol", *TOO_HIGH]) == 0
    told = capsys.readouterr()
    assert "--pack DIR checks them" in told.err
    assert check_code(told.out.strip())


def test_a_lead_whose_pack_shows_no_plates_needs_no_axis(capsys, lab, tmp_path):
    """A pack of labelled images, named or known to the lab."""
    sealed(small_sketch(), tmp_path / "accuracy")
    enrol(capsys, *LEAD, "--pack", str(tmp_path / "accuracy"))
    shutil.copytree(tmp_path / "accuracy", lab / "packs" / "accuracy")
    enrol(capsys, *LEAD)


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
    assert message in nobody_enrolled(capsys, *options)


HELP = """
import sys
from participants.cli import main

def studies():
    parts = [name.split(".") for name in sys.modules if "participants.studies." in name]
    return [part[2] for part in parts if part[3:] == ["study"]]

assert main(["participants", "enrol", "--help"]) == main(["simulate", "--help"]) == 0
assert studies() == [], studies()
assert main(["simulate", "progressive_reveal", "--help"]) == 0
assert studies() == ["progressive_reveal"], studies()
assert "participants.journal.events" not in sys.modules"""


def test_help_loads_no_database_and_no_study_but_the_one_asked_for():
    assert_loads_neither_database_nor_arrays(HELP)


def assert_loads_neither_database_nor_arrays(code):
    code += "; import sys; assert not {'sqlalchemy', 'pandas', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_reading_a_journal_loads_no_database_and_no_robots():
    """Whatever study it is of: what a study declares must stay light."""
    journals = sorted(map(str, (ROOT / "tests" / "golden").glob("journals/*.jsonl")))
    assert len(journals) == 5
    assert_loads_neither_database_nor_arrays(
        "from pathlib import Path; from participants.journal import read_journal;"
        f"[read_journal(Path(path)) for path in {journals}]"
    )

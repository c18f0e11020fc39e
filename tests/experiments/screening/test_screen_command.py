"""The verb before any window opens: whom it takes, with what, and what it refuses."""

import pytest

from experiments.cli import main
from experiments.screening import command
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from participants.registry import NewSession, Registry
from participants.screening.records import Decision, enter_decision
from participants.screening.verdict import Verdict
from stimuli.protocol import load_protocol
from stimuli.screening.rules import STAGE_TABLE, screening_pack

PROTOCOL = 'schema = "protocol/1.0"\nstudy = "{study}"\n'


@pytest.fixture
def registry(lab):
    return Registry.open(lab.registry_url)


@pytest.fixture
def protocol(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(PROTOCOL.format(study="accept_reject"), encoding="utf-8")
    return path


@pytest.fixture
def shown(monkeypatch):
    """The packs that sessions would have been run with."""
    packs = []

    class Ran(BaseException):
        pass

    def conduct(request, lab, console, pack):
        packs.append(pack)
        raise Ran

    monkeypatch.setattr(command, "conduct", conduct)

    def screen(lab, protocol, code, only=None):
        request = RunRequest("", person=PersonOptions(participant=code), lab=lab.root)
        with pytest.raises(Ran):
            command.screen_verb(request, protocol, only, as_json=False)
        return packs[-1]

    return screen


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "either --pack DIR or --protocol FILE"),
        (("--pack", "a", "--protocol", "b"), "either --pack DIR or --protocol FILE"),
        (("--protocol", "gone.toml"), "gone.toml"),
        (("--protocol", "{own}"), "say who is screened"),
        (("--protocol", "{own}", "--only", "plates"), "is not one of trivector, d15"),
        (("--protocol", "{own}", "--participant", "K7Q2M"), "K7Q2M"),
        (("--protocol", "{own}", "--robot", "normal", "--only", "titration"), "axis is known"),
        (("--protocol", "{other}", "--robot", "normal"), "has no screening"),
    ],
)
def test_a_mistake_is_one_line(lab, protocol, tmp_path, capsys, more, said):
    other = tmp_path / "other.toml"
    other.write_text(PROTOCOL.format(study="progressive_reveal"), encoding="utf-8")
    words = [word.format(own=protocol, other=other) for word in more]
    assert main(["screen", *words, "--lab", str(lab.root)]) == 2
    line = capsys.readouterr().err
    assert said in line
    assert line.count("\n") == 1


def test_an_unfinished_screening_goes_on_and_a_finished_one_is_followed_by_another(
    lab, registry, protocol, shown
):
    code = registry.enrol("participant")
    first = shown(lab, protocol, code)
    new = NewSession("s1", code, "participant", "accept_reject", first.pack_id, "main", "rig")
    registry.start_session(new)
    assert shown(lab, protocol, code).pack_id == first.pack_id
    registry.finish_session("s1")
    again = shown(lab, protocol, code)
    assert again.pack_id != first.pack_id
    assert {row["attempt"] for row in again.table(STAGE_TABLE)} == {2}


def test_titration_alone_has_the_axis_that_was_found(lab, registry, protocol, shown):
    code = registry.enrol("participant")
    verdict = Verdict("lead", "protan", ("red_green_raised",))
    found = Decision(verdict, "participant", None, None)
    registry.transact(lambda rows: enter_decision(rows, code, found, None, "2026-01-01T00:00:00Z"))
    pack = shown(lab, protocol, code, "titration")
    assert [(row["stage"], row["axis"]) for row in pack.table(STAGE_TABLE)] == [
        ("titration", "protan")
    ]


def test_titration_alone_is_refused_without_an_axis(lab, registry, protocol, capsys):
    code = registry.enrol("participant")
    asked = ["--protocol", str(protocol), "--only", "titration", "--participant", code]
    assert main(["screen", *asked, "--lab", str(lab.root)]) == 2
    assert "no screening has found a lead's axis" in capsys.readouterr().err


def test_a_pack_says_what_is_screened_and_nothing_else():
    pack = screening_pack(load_protocol("accept_reject"))
    assert pack.pack_id.startswith("screening-")
    assert set(pack.manifest.files) == {"stages.csv"}
    stages = [row["stage"] for row in pack.table(STAGE_TABLE)]
    assert stages == ["trivector", "d15", "ishihara", "titration"]


@pytest.mark.parametrize(
    ("role", "rung", "outcome"),
    [
        ("expert", None, "Passed: the person can take part as expert."),
        ("neither", None, "Not passed: the person fits neither group and can't take part."),
        ("lead", None, "Passed so far: the titration says"),
        ("lead", 3, "Passed: the person can take part as lead."),
        ("lead", "none", "Not passed: no plates suit the person"),
    ],
)
def test_what_came_out_begins_with_passed_or_not(role, rung, outcome):
    axis = "deutan" if role == "lead" else None
    found = {"decision": {"role": role, "axis": axis, "reasons": ["red_green_raised"]}}
    if rung is not None:
        own = {"rung": None, "failure": "too_hard"} if rung == "none" else {"rung": rung}
        found["titration"] = {"failure": "", "trials": 40, **own}
    assert command.result_lines(found)[0].startswith(outcome)
    assert command.result_lines({"titration": {"rung": 2, "failure": "", "trials": 9}})[0] == (
        "Passed: the person can take part as lead."
    )

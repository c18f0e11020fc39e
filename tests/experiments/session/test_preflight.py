"""May a session begin: what fails stops it, a reason lets it, and both stand in the journal."""

import io
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from experiments.rig.checklist import SKIPPED
from experiments.rig.checks.finding import Finding
from experiments.rig.checks.frames import priority
from experiments.rig.profile import Timing, profile_path, save_timing
from experiments.session import command
from experiments.session import preflight as preflight
from experiments.session.options import PersonOptions, RigOptions
from experiments.session.preflight import Preflight, cleared, go_through_checklist, reason_to_go_on
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.registry import Registry
from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.rich_terminal import Console

FINE = Finding("disk", "pass", "9 GiB free")
ODD = Finding("load", "warn", "40% in use", "close other programs")
BAD = Finding("calibration", "fail", "never measured", "measure it")
WORSE = Finding("refresh", "fail", "30 Hz", "choose another mode")


@pytest.fixture
def lab(tmp_path):
    """A lab whose consent has no blanks."""
    root = LabFolder.make(tmp_path / "lab").root
    path = root / "lab.toml"
    filled = path.read_text(encoding="utf-8").replace('= ""', '= "said"')
    path.write_text(filled, encoding="utf-8")
    return LabFolder.open(root)


@pytest.fixture(autouse=True)
def display(monkeypatch):
    """The PC has a display."""
    monkeypatch.setattr(command, "require_display", lambda: None)


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(preflight.sys.stdin, "isatty", lambda: True, raising=False)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=100)


class Kept:
    def __init__(self):
        self.events = {}

    def append(self, event, **fields):
        self.events[event] = fields


def request(target="pack", lab=None, **changes):
    rig = {name: changes.pop(name) for name in ("override", "checklist") if name in changes}
    person = PersonOptions(**{"participant": "K7RTMXF"} | changes)
    return RunRequest(target, person=person, rig=RigOptions(**rig), lab=lab)


def enrolled(lab, role="lead", purpose="main"):
    with closing(Registry.open(lab.registry_url)) as registry:
        return registry.enrol(role, axis="deutan", rung=2, purpose=purpose)


def session_with(monkeypatch, colours):
    screens = SimpleNamespace(colours=colours)
    monkeypatch.setattr(command, "screens_of", lambda pack: screens)


def typed(answer):
    return lambda question, default: answer or default


def test_what_fails_stops_a_session_with_the_remedy(lab, console):
    with pytest.raises(UserError, match=r"calibration: never measured; measure it, .*--override"):
        reason_to_go_on([FINE, BAD], request(), lab, console)


def test_a_reason_given_beforehand_or_typed_lets_it_begin(lab, console, terminal):
    given = request(override="bench")
    assert reason_to_go_on([BAD], given, lab, console, typed("never asked")) == "bench"
    assert reason_to_go_on([BAD], request(), lab, console, typed("new lamp")) == "new lamp"
    assert "never measured; measure it" in console.file.getvalue()
    with pytest.raises(UserError, match="calibration"):
        reason_to_go_on([BAD], request(), lab, console, typed(""))


def test_who_sits_at_the_terminal_is_asked_no_reason_where_none_helps(lab, console, terminal):
    blank = Finding("consent", "fail", "not filled in: contact", "write it")
    with pytest.raises(UserError, match=r"^consent: not filled in: contact; write it$"):
        reason_to_go_on([BAD, blank], request(), lab, console, typed("never asked"))


def test_a_robots_session_is_never_asked_for_a_reason(lab, console, terminal):
    robot = request(participant=None, robot="lead")
    with pytest.raises(UserError, match="--override"):
        reason_to_go_on([BAD], robot, lab, console, typed("no robot types"))


def test_the_journal_names_what_was_overridden_and_why():
    kept = Kept()
    Preflight((FINE, ODD, BAD), "new lamp").joined([WORSE]).record(kept)
    assert kept.events["checks"]["overridden"] == ["calibration", "refresh"]
    assert kept.events["checks"]["reason"] == "new lamp"
    assert [found["status"] for found in kept.events["checks"]["findings"]] == [
        "pass", "warn", "fail", "fail",
    ]  # fmt: skip
    assert kept.events["checklist"]["source"] == "skipped"


def test_a_reason_without_a_failure_is_not_recorded_as_one():
    kept = Kept()
    Preflight((FINE,), "just in case").record(kept)
    assert (kept.events["checks"]["overridden"], kept.events["checks"]["reason"]) == ([], "")


def test_no_home_folder_gets_into_the_journal():
    kept = Kept()
    Preflight((Finding("pack", "warn", f"{Path.home() / 'packs' / 'x'} is odd"),)).record(kept)
    assert kept.events["checks"]["findings"][0]["found"].startswith("~")


def test_what_fails_in_the_window_stops_a_session_too():
    with pytest.raises(UserError, match="refresh"):
        Preflight((FINE,)).joined([WORSE])
    assert Preflight((FINE,), "bench").joined([WORSE]).overridden == ("refresh",)


def test_robots_skip_the_checklist_and_who_tries_the_set_up_is_not_asked(lab, console, terminal):
    robot = request(participant=None, robot="lead")
    assert go_through_checklist(robot, lab, console).source == "skipped"
    assert go_through_checklist(request(purpose="test"), lab, console).source == "unanswered"


def test_the_checklist_is_asked_in_the_labs_language_and_remembered(lab, console, terminal):
    path = lab.root / "lab.toml"
    text = path.read_text(encoding="utf-8").replace('language = "en"', 'language = "de"')
    path.write_text(text, encoding="utf-8")
    lab = LabFolder.open(lab.root)
    lines = iter(["57", "40", ""])
    answers = go_through_checklist(request(), lab, console, lambda *_: next(lines))
    assert answers.text.language == "de"
    assert "Nachtmodus" in console.file.getvalue()
    again = go_through_checklist(request(), lab, console, typed(""))
    assert again.values == {"distance_cm": 57.0, "ambient_lux": 40.0}


def test_confirmed_on_the_command_line_needs_no_terminal(lab, console):
    answers = go_through_checklist(request(checklist="confirmed"), lab, console)
    assert (answers.source, all(answers.holds.values())) == ("confirmed", True)


def test_an_unanswered_checklist_can_be_overridden_like_any_check(lab, console):
    answers = go_through_checklist(request(), lab, console)
    with pytest.raises(UserError, match="checklist: nobody went through it"):
        cleared([FINE], "", answers, request())
    assert cleared([FINE], "", answers, request(override="bench")).overridden == ("checklist",)
    assert cleared([FINE], "", answers, request(purpose="pilot")).overridden == ()


def test_a_session_begins_with_the_whole_in_order(lab, console, mini_pack, monkeypatch):
    code = enrolled(lab)
    asked = request(participant=code, checklist="confirmed", lab=lab.root)
    pack = open_pack(mini_pack)
    seen = []
    monkeypatch.setattr(
        command, "without_window", lambda lab, purpose, **_: seen.append(purpose) or [FINE, BAD]
    )
    with pytest.raises(UserError, match="calibration"):
        command.prepared(asked, lab, pack, console)
    overridden = request(participant=code, checklist="confirmed", override="lamp")
    _, clear = command.prepared(overridden, lab, pack, console)
    assert seen == ["main", "main"]
    assert clear.overridden == ("calibration",)
    assert clear.answers.source == "confirmed"


@pytest.mark.parametrize("colours", ["shown", "none"])
def test_where_colours_need_not_be_right_no_checklist_is_asked(
    lab, console, mini_pack, monkeypatch, colours
):
    session_with(monkeypatch, colours)
    asked = request(participant=enrolled(lab))
    _, clear = command.prepared(asked, lab, open_pack(mini_pack), console)
    told = {finding.check: finding.status for finding in clear.findings}
    assert clear.answers == SKIPPED
    # Of a session of text nothing is said of colours at all.
    assert told.get("calibration") == ("warn" if colours == "shown" else None)


@pytest.mark.parametrize("colours", ["critical", "shown"])
def test_a_rig_graded_unfit_is_refused_for_main_and_the_override_is_recorded(
    lab, console, mini_pack, monkeypatch, colours
):
    save_timing(profile_path(lab.rigs, lab.settings.rig), Timing(grade="unfit"))
    session_with(monkeypatch, colours)
    pack = open_pack(mini_pack)
    code = enrolled(lab)
    person = {"participant": code, "lab": lab.root}
    asked = request(checklist="confirmed", **person, override="only the timing is looked at")
    _, clear = command.prepared(asked, lab, pack, console)
    assert clear.overridden == (("calibration", "timing") if colours == "critical" else ("timing",))
    journal = Kept()
    clear.record(journal)
    told = {one["check"]: one for one in journal.events["checks"]["findings"]}
    assert told["timing"] == {"check": "timing", "status": "fail", "found": "unfit"}
    if colours != "critical":
        with pytest.raises(UserError, match=r"timing: unfit; .*lab.py timing --sensor"):
            command.prepared(request(**person), lab, pack, console)
    person["participant"] = enrolled(lab, purpose="pilot")
    pilot = request(checklist="confirmed", **person)
    assert command.prepared(pilot, lab, pack, console)[1].overridden == ()


def test_a_blank_in_the_consent_stops_a_session_of_purpose_main(
    lab, console, mini_pack, monkeypatch
):
    session_with(monkeypatch, "shown")
    path = lab.root / "lab.toml"
    text = path.read_text(encoding="utf-8").replace('pay = "said"', 'pay = " "')
    path.write_text(text, encoding="utf-8")
    lab = LabFolder.open(lab.root)
    pack, person = open_pack(mini_pack), {"participant": enrolled(lab), "lab": lab.root}
    told = r"consent: not filled in: consent\.en\.pay; write them into .* is filled in$"
    for override in (None, "the board agreed"):
        with pytest.raises(UserError, match=told):
            command.prepared(request(**person, override=override), lab, pack, console)
    with pytest.raises(UserError, match=r"consent\.de\.pay"):
        command.prepared(request(**person, language="de"), lab, pack, console)
    pilot = request(participant=enrolled(lab, purpose="pilot"), lab=lab.root)
    command.prepared(pilot, lab, pack, console)


def test_a_pack_of_robots_is_refused_for_main_and_the_override_is_recorded(
    lab, console, robots_pack, monkeypatch
):
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [FINE])
    pack = open_pack(robots_pack)
    person = {"participant": enrolled(lab), "checklist": "confirmed", "lab": lab.root}
    told = r"people: E's answers .* come from response models \(robot-1\).*--override"
    with pytest.raises(UserError, match=told):
        command.prepared(request(**person), lab, pack, console)
    _, clear = command.prepared(request(**person, override="a rehearsal"), lab, pack, console)
    journal = Kept()
    clear.record(journal)
    assert journal.events["checks"]["overridden"] == ["people"]
    assert journal.events["checks"]["reason"] == "a rehearsal"
    person["participant"] = enrolled(lab, purpose="pilot")
    asked, clear = command.prepared(request(**person), lab, pack, console)
    assert clear.overridden == ()
    command.warn(console, clear, asked)
    assert "people: E's answers and paintings come from response" in console.file.getvalue()


@pytest.mark.parametrize(("reached", "lines"), [("realtime", 0), ("normal", 1)])
def test_a_session_begins_with_one_line_on_a_priority_that_could_not_be_raised(
    console, reached, lines
):
    found = [ODD, priority(SimpleNamespace(priority=reached)), FINE]
    command.warn_of_window(console, found, request(robot="lazy"))
    said = console.file.getvalue().splitlines()
    assert len(said) == lines
    assert all(line.startswith("priority: normal, frames may come late; ") for line in said)


def test_run_and_annotate_hand_the_line_on_to_the_session(lab, console, mini_pack, monkeypatch):
    """What the checks of the open window found comes to whoever started the session."""
    from experiments.session import annotate
    from experiments.session import run as session

    low = priority(SimpleNamespace(priority="normal"))

    def run(self):
        self.experimenter.learn_findings([FINE, low])
        raise UserError("the session is not looked at")

    monkeypatch.setattr(session.SessionRun, "run", run)
    for verb, module in ((command.run_verb, command), (annotate.annotate_verb, annotate)):
        said = io.StringIO()
        monkeypatch.setattr(module, "Console", lambda said=said, **_: Console(file=said, width=60))
        monkeypatch.setattr(command, "prepared", lambda request, *_: (request, Preflight()))
        with pytest.raises(UserError, match="not looked at"):
            verb(request(target=str(mini_pack), lab=lab.root), as_json=False)
        assert said.getvalue().startswith("priority: normal")
        assert said.getvalue().count("\n") == 1


def test_the_experimenter_is_asked_for_a_note_at_the_end_and_robots_are_not(terminal):
    assert command.ask_note(request(), typed("fire alarm")) == "fire alarm"
    robot = request(participant=None, robot="lead")
    assert command.ask_note(robot, typed("no robot types")) == ""


def test_a_note_or_reason_that_names_somebody_is_asked_for_again(terminal, lab, console, capsys):
    """They went into the journal, where they can't be corrected."""
    lines = iter(["write to jo@example.org", "call 030 123 4567", "fire alarm"])
    assert command.ask_note(request(), lambda *_: next(lines)) == "fire alarm"
    assert capsys.readouterr().err.count("notes and reasons name nobody") == 2
    reasons = iter(["Mrs Miller said so", "a bench"])
    assert reason_to_go_on([BAD], request(), lab, console, lambda *_: next(reasons)) == "a bench"


@pytest.mark.parametrize("option", ["override", "take_over"])
def test_a_reason_on_the_command_line_names_nobody(lab, console, mini_pack, option):
    asked = request(target=str(mini_pack), lab=lab.root)
    asked = replace(asked, rig=RigOptions(**{option: "jo@example.org said so"}))
    with pytest.raises(UserError, match=rf"--{option.replace('_', '-')}: 'jo@example.org' looks"):
        command.conduct(asked, lab, console)


def test_nothing_is_asked_where_nothing_fails_and_who_leaves_the_note_writes_none(
    lab, console, terminal
):
    def never(question, default):
        raise AssertionError(question)

    def left(question, default):
        raise KeyboardInterrupt

    assert reason_to_go_on([FINE, ODD], request(), lab, console, never) == ""
    assert command.ask_note(request(), left) == ""


def test_a_persons_session_begins_with_a_line_on_all_that_is_odd_about_the_window(console):
    found = [ODD, priority(SimpleNamespace(priority="normal")), FINE]
    command.warn_of_window(console, found, request())
    odd, late = console.file.getvalue().splitlines()
    assert odd == f"{ODD.check}: {ODD.found}; {ODD.remedy}"
    assert late.startswith("priority: normal, frames may come late; ")

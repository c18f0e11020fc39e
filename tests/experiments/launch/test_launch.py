"""What the start window decides, without a window: it lets in what `run` lets in."""

import json
import os
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from experiments.engine import display
from experiments.launch import command as opening
from experiments.launch import examination, packs, starting
from experiments.launch.examination import (
    Entered,
    Options,
    RequestedSession,
    check_lines,
    doctor_line,
    examine,
    next_words,
    readiness,
    write_answers,
)
from experiments.launch.packs import candidates, enrol_here, enrolment_for, found_packs
from experiments.launch.starting import REPLACED, ProcessOutput, Start, outcome_of, session_command
from experiments.rig.checklist import MUST_HOLD, PLAUSIBLE, read_answers
from experiments.rig.checks.finding import Finding
from experiments.rig.checks.records import consent
from experiments.rig.verdict import keep_examination, last_examination
from experiments.session import command
from experiments.session.booking import booked
from experiments.session.options import PersonOptions, WindowOptions
from experiments.session.preflight import OR_OVERRIDE, stop_if_unfit
from experiments.session.request import RunRequest
from participants.folder import LabFolder
from participants.new_person import NewPerson
from participants.overview.due import Due
from participants.registry import Registry, new_code
from participants.texts import load_checklist
from participants.texts.rig import load_check_words, load_rig_words
from participants.watching.progress import load_watch_words
from stimuli.errors import UserError
from stimuli.pack import open_pack
from tests.experiments.session.registered import half_done, write

WORDS = load_rig_words("launch.toml", "en")
CHECKS = load_check_words("en")
TEXT = load_checklist("en")
ALL = Entered(ticked=frozenset(MUST_HOLD))
NOBODY_ELSE = Options()


@pytest.fixture
def registry(lab):
    with closing(Registry.open(lab.registry_url)) as opened:
        yield opened


@pytest.fixture
def pack(lab):
    (found,) = found_packs(lab)
    return found


@pytest.fixture(autouse=True)
def sound_pc(monkeypatch):
    """A display that is free, and a PC with nothing to find."""
    monkeypatch.setattr(command, "require_display", lambda: None)
    monkeypatch.setattr(examination, "require_free_display", lambda: None)
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [])


def examined(lab, pack, code, language=None, options=NOBODY_ELSE):
    return examine(lab, RequestedSession(pack, code, language), options)


# --- packs and people --------------------------------------------------------------


def test_packs_are_those_of_the_lab_and_those_named_and_a_broken_one_says_why(lab, mini_tasks):
    broken = lab.packs / "broken"
    broken.mkdir()
    (broken / "pack.json").write_text("{", encoding="utf-8")
    found = {one.folder.name: one for one in found_packs(lab, [mini_tasks])}
    assert (found["first"].kind, found["first"].screens) == ("solutions", True)
    assert (found["mini-tasks"].kind, found["mini-tasks"].screens) == ("tasks", False)
    assert "is not readable JSON" in found["broken"].refusal
    assert found_packs(LabFolder.make(lab.root / "empty")) == ()


def test_who_may_come_is_who_is_due_and_who_has_not_begun(lab, registry, pack, mini_pack):
    new, half, done = (registry.enrol("lead", axis="deutan", rung=2) for _ in range(3))
    registry.enrol("expert")
    robot = registry.enrol("lead", axis="deutan", rung=2, purpose="robot")
    to_screen = registry.enrol("participant", purpose="pilot")
    half_done(lab, registry, mini_pack, PersonOptions(half))
    with command_booking(lab, registry, mini_pack, done) as booking:
        write(lab, registry, booking)
        registry.finish_session(booking.paths.session)
    coming = {one.code: one.when for one in candidates(lab, pack, robots=False)}
    assert coming == {half: "now", new: "new", to_screen: "new"}
    assert [one.code for one in candidates(lab, pack, robots=True)] == [robot]


def test_who_comes_again_is_sorted_by_what_is_to_do_and_then_by_time(
    lab, registry, pack, monkeypatch
):
    codes = [registry.enrol("lead", axis="deutan", rung=2) for _ in range(5)]
    whens = ("later", "overdue", "now", "now")
    again = [
        Due(code, "", "accept_reject", "main", "rig-1", 3, f"{at}", f"{at}", None, when)
        for at, (code, when) in enumerate(zip(codes, whens, strict=False))
    ]
    monkeypatch.setattr(packs, "due", lambda *_: tuple(again))
    later, overdue, first, second, new = codes
    found = [(one.code, one.when) for one in candidates(lab, pack, robots=False)]
    assert found[:4] == [(first, "now"), (second, "now"), (overdue, "overdue"), (later, "later")]
    assert (new, "new") in found[4:]


def command_booking(lab, registry, pack, code):
    return booked(RunRequest(str(pack), person=PersonOptions(code)), lab, registry, open_pack(pack))


def test_somebody_is_enrolled_with_a_place_that_the_pack_has(lab, registry, pack):
    can = enrolment_for(pack, robots=False)
    assert (can.roles, can.places) == (("participant", "lead"), (("deutan", 2),))
    code = enrol_here(lab, pack, NewPerson("lead", *can.places[0], "pilot"))
    person = registry.person(code)
    assert (person.role, person.purpose, person.axis, person.rung) == ("lead", "pilot", "deutan", 2)
    with pytest.raises(UserError, match="the pack has no list for deutan rung 1"):
        enrol_here(lab, pack, NewPerson("lead", "deutan", 1, "pilot"))
    assert enrolment_for(pack, robots=True).purposes == ("robot",)


# --- what run refuses, in the same words ----------------------------------------------


def refused_by_run(lab, pack, code, language=None):
    """Return what `run` says before it asks anything."""
    person = PersonOptions(participant=code, language=language)
    request = RunRequest(str(pack.folder), person=person, lab=lab.root)
    try:
        stop_if_unfit(command.examined(request, lab, request.find_pack(lab))[1], None)
    except UserError as refusal:
        return str(refusal)
    return "let in"


def test_what_run_refuses_is_refused_in_the_same_words(lab, registry, pack, mini_pack):
    done, half = (registry.enrol("lead", axis="deutan", rung=2) for _ in range(2))
    with command_booking(lab, registry, mini_pack, done) as booking:
        write(lab, registry, booking)
        registry.finish_session(booking.paths.session)
    half_done(lab, registry, mini_pack, PersonOptions(half, language="de"))
    wrong = [(done, None), (new_code(), None), (registry.enrol("expert"), None)]
    wrong += [(registry.enrol("lead"), None), (registry.enrol("lead", axis="protan", rung=1), "en")]
    wrong += [(registry.enrol("lead", axis="deutan", rung=2), "fr")]
    for code, language in wrong:
        found = examined(lab, pack, code, language)
        assert found.refusal == refused_by_run(lab, pack, code, language)
        assert not readiness(found, ALL, TEXT, CHECKS).may_start
    assert examined(lab, pack, half, "en").request.person.language is None


def test_a_check_that_failed_needs_a_reason_that_names_nobody(lab, registry, pack, monkeypatch):
    failed = Finding("clock", "fail", "it is before 2026", "set it")
    monkeypatch.setattr(command, "without_window", lambda *_, **__: [failed])
    found = examined(lab, pack, registry.enrol("lead", axis="deutan", rung=2))
    ready = readiness(found, ALL, TEXT, CHECKS)
    assert not ready.may_start
    assert ready.needs_reason
    assert refused_by_run(lab, pack, found.following.code) == ready.words + OR_OVERRIDE
    named = readiness(found, replace(ALL, reason="Dr. Miller said so"), TEXT, CHECKS)
    assert not named.may_start
    assert "looks like a name" in named.words
    assert readiness(found, replace(ALL, reason="only a test"), TEXT, CHECKS).may_start


def test_no_reason_lets_a_main_session_begin_with_blanks_in_the_consent(
    lab, registry, pack, monkeypatch
):
    """Nor is one asked for; the line says what to do, as `run` does."""
    monkeypatch.setattr(
        command, "without_window", lambda lab, purpose, **_: [consent(lab, purpose)]
    )
    main, pilot = (
        registry.enrol("lead", axis="deutan", rung=2, purpose=purpose)
        for purpose in ("main", "pilot")
    )
    found = examined(lab, pack, main)
    for entered in (ALL, replace(ALL, reason="the board agreed")):
        ready = readiness(found, entered, TEXT, CHECKS)
        assert (ready.may_start, ready.needs_reason) == (False, False)
        assert str(lab.root / "lab.toml") in ready.words
    assert refused_by_run(lab, pack, main) == ready.words
    german = readiness(found, ALL, TEXT, load_check_words("de")).words
    assert german.endswith("Vorher kann keine Sitzung zum Zweck main beginnen")
    assert readiness(examined(lab, pack, pilot), ALL, TEXT, CHECKS).may_start


def test_a_point_that_must_hold_needs_a_tick_or_a_reason(lab, registry, pack, tmp_path):
    found = examined(lab, pack, registry.enrol("lead", axis="deutan", rung=2, purpose="pilot"))
    must = {point for point, needed in MUST_HOLD.items() if needed}
    assert readiness(found, Entered(frozenset(must)), TEXT, CHECKS).may_start
    for point in must:
        without = Entered(frozenset(must - {point}))
        ready = readiness(found, without, TEXT, CHECKS)
        assert (ready.may_start, ready.needs_reason, ready.unticked) == (False, True, True)
        assert f"checklist: doesn't hold: {point}" in ready.words
        with_reason = replace(without, reason='a "reason" — ünd 😀')
        assert readiness(found, with_reason, TEXT, CHECKS).may_start
    values = dict.fromkeys(PLAUSIBLE, 57.0)
    entered = Entered(frozenset(must - {"hdr"}), values, 'a "reason" — ünd 😀')
    write_answers(tmp_path / "answers.toml", entered.answers(TEXT))
    assert read_answers(tmp_path / "answers.toml", TEXT) == entered.answers(TEXT)


def test_a_test_and_a_robot_are_asked_no_checklist(lab, registry, pack):
    test = registry.enrol("lead", axis="deutan", rung=2, purpose="test")
    robot = registry.enrol("lead", axis="deutan", rung=2, purpose="robot")
    for code, options in ((test, NOBODY_ELSE), (robot, Options("lazy"))):
        found = examined(lab, pack, code, None, options)
        assert not found.checklist
        assert readiness(found, Entered(), TEXT, CHECKS).may_start


# --- what is next, and the command ------------------------------------------------------


def said_of(found):
    return next_words(found.following, None, WORDS, load_watch_words("en"))


def test_what_is_next_is_told_without_arm_list_or_order(lab, registry, pack, mini_pack):
    new, half = (registry.enrol("lead", axis="deutan", rung=2, purpose="pilot") for _ in range(2))
    to_screen = registry.enrol("participant", purpose="pilot")
    half_done(lab, registry, mini_pack, PersonOptions(half, language="de"))
    assert said_of(examined(lab, pack, new)) == WORDS["next_new"]
    assert said_of(examined(lab, pack, to_screen)) == WORDS["next_screening"]
    goes_on = examined(lab, pack, half)
    assert said_of(goes_on) == WORDS["next_consent"]
    assert goes_on.following.language == "de"


def test_the_command_is_what_somebody_would_type(lab, registry, pack, mini_pack, tmp_path):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    found = examined(lab, pack, code, "de")
    words = session_command(lab, found, NOBODY_ELSE, override="why", checklist=tmp_path)
    assert words[2:4] == ["run", str(pack.folder)]
    given = dict(zip(words[4:-1:2], words[5:-1:2], strict=True))
    assert given == {
        "--participant": code, "--language": "de", "--override": "why",
        "--checklist": str(tmp_path), "--lab": str(lab.root),
    }  # fmt: skip
    screened = examined(lab, pack, registry.enrol("participant", purpose="pilot"))
    words = session_command(lab, screened, Options(window=WindowOptions(windowed=True)))
    assert words[2:5] == ["screen", "--pack", str(pack.folder)]
    assert "--windowed" in words


def test_what_came_of_a_session_is_read_from_its_journal(lab, registry, mini_pack, monkeypatch):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    half_done(lab, registry, mini_pack, PersonOptions(code))
    (paths,) = lab.data.sessions()
    told = {"session": paths.session, "complete": False, "left": False, "declined": False}
    told |= {"ended_early": False, "flagged": 0, "lines": ["no backup: the disk is full"]}
    for changes, ending in (
        ({}, "stopped"), ({"left": True}, "left_for_good"), ({"declined": True}, "declined"),
        ({"complete": True}, "complete"), ({"ended_early": True}, "ended_early"),
    ):  # fmt: skip
        said = ProcessOutput(
            0, json.dumps(told | changes), "│ a warning from before the session │\n"
        )
        outcome = outcome_of(lab.data, code, said)
        assert (outcome.ending, outcome.lines) == (ending, tuple(told["lines"]))
    monkeypatch.setattr(starting, "disqualification_in", lambda journal: journal.events[-1])
    for changes, ending in (
        ({}, "disqualified"), ({"complete": True}, "disqualified"),
        ({"ended_early": True}, "ended_early"), ({"left": True}, "left_for_good"),
    ):  # fmt: skip
        outcome = outcome_of(lab.data, code, ProcessOutput(0, json.dumps(told | changes), ""))
        assert outcome.ending == ending
        assert ending in REPLACED
    refused = outcome_of(lab.data, code, ProcessOutput(2, "", "a warning\ncode X: no\n"))
    assert (refused.ending, refused.lines) == ("refused", ("code X: no",))
    assert outcome_of(lab.data, code, ProcessOutput(-11, "", "")).ending == "crashed"


# --- the PC's fitness, and words -----------------------------------------------------------


def test_the_doctors_last_result_is_kept_with_its_age(lab):
    now = datetime(2026, 11, 26, 12, tzinfo=UTC)
    assert doctor_line(last_examination(lab), now, WORDS, CHECKS).text == WORDS["doctor_never"]
    passed, warned = Finding("a", "pass", "x"), Finding("b", "warn", "y", "do it")
    keep_examination(lab, [passed, warned], now - timedelta(days=3))
    line = doctor_line(last_examination(lab), now, WORDS, CHECKS)
    assert (line.status, line.text) == (
        "pass",
        "doctor: fit, 3 days ago; 1 remark for whoever looks after this PC",
    )
    keep_examination(lab, [passed, Finding("c", "fail", "z", "mend it")], now)
    line = doctor_line(last_examination(lab), now, WORDS, CHECKS)
    assert (line.status, line.text) == ("fail", "doctor: not fit, today. c: z; mend it")
    lines = list(check_lines([passed, warned], WORDS, CHECKS))
    assert [one.text for one in lines] == ["b: y; do it", "1 check passed just now"]
    (lab.rigs / f"{lab.settings.rig}.doctor.json").write_text("[1]", encoding="utf-8")
    assert last_examination(lab) is None


def test_a_mistake_is_shown_in_a_window_to_who_started_it_from_the_desktop(
    lab, tmp_path, monkeypatch
):
    def mistaken(*_):
        raise UserError("launch.toml: has no word for title")

    shown = []
    monkeypatch.setattr(opening, "show_mistake", shown.append)
    monkeypatch.setattr(opening, "show_window", mistaken)
    monkeypatch.setattr(display, "require_display", lambda: None)
    for folder in (tmp_path / "none", lab.root):
        monkeypatch.delenv(opening.FROM_DESKTOP, raising=False)
        shown.clear()
        for from_desktop in (False, True):
            if from_desktop:
                monkeypatch.setenv(opening.FROM_DESKTOP, "1")
            with pytest.raises(UserError) as mistake:
                opening.launch_verb(folder, NOBODY_ELSE, ())
            assert shown == [str(mistake.value)] * from_desktop


@pytest.mark.parametrize("wrong", ['rig = "no name"', "rig = pc-1", ""])
def test_a_mistake_in_a_german_labs_settings_is_shown_in_german(lab, wrong, monkeypatch):
    """Whatever else is wrong in the file, its line for the language is found."""
    settings, shown = lab.root / "lab.toml", []
    text = settings.read_text(encoding="utf-8").replace('language = "en"', 'language = "de"')
    settings.write_text(re.sub(r"(?m)^rig = .*$", wrong, text), encoding="utf-8")
    monkeypatch.setenv(opening.FROM_DESKTOP, "1")
    monkeypatch.setattr(opening, "show_mistake", shown.append)
    with pytest.raises(UserError):
        opening.launch_verb(lab.root, NOBODY_ELSE, ())
    (line,) = shown
    assert line.startswith(f"{settings}: ")
    assert re.search("muss dem Muster|kein gültiges TOML: ungültiger Wert|rig: fehlt", line)


def test_a_second_start_window_of_a_display_is_refused_in_the_windows_language(lab, monkeypatch):
    """A second click on the desktop would lay it over the session that the first has started."""
    settings, german = lab.root / "lab.toml", load_rig_words("launch.toml", "de")["already_open"]
    settings.write_text(settings.read_text().replace('language = "en"', 'language = "de"'))
    shown, opened = [], []

    def open_again(*_):
        opened.append(True)
        opening.launch_verb(lab.root, NOBODY_ELSE, ())

    monkeypatch.setenv("DISPLAY", f":{os.getpid()}04")
    monkeypatch.setenv(opening.FROM_DESKTOP, "1")
    monkeypatch.setattr(opening, "show_mistake", shown.append)
    monkeypatch.setattr(opening, "show_window", open_again)
    monkeypatch.setattr(display, "require_display", lambda: None)
    with pytest.raises(UserError) as refused:
        open_again()
    assert str(refused.value) == german
    assert set(shown) == {german}
    assert len(opened) == 2


def test_start_windows_of_two_displays_write_the_checklist_into_files_of_their_own(
    lab, registry, pack, monkeypatch
):
    """Else a session would begin with the answers that were given for another."""
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    found, files = examined(lab, pack, code), []

    def ran(command):
        files.append(command[command.index("--checklist") + 1])
        if len(files) == 1:
            monkeypatch.setenv("DISPLAY", ":2")
            start.run()
        assert read_answers(Path(files[0]), TEXT).holds == ALL.answers(TEXT).holds
        return ProcessOutput(2, "", "refused")

    monkeypatch.setattr(starting, "ran", ran)
    monkeypatch.setenv("DISPLAY", ":1")
    start = Start(lab, NOBODY_ELSE, found, ALL, TEXT)
    start.run()
    assert len(set(files)) == 2
    assert not [file for file in files if Path(file).exists()]


def test_a_session_does_not_begin_where_the_checklist_cannot_be_kept(lab, registry, pack):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    found = examined(lab, pack, code)
    # As on a full disk, or in a folder that may only be read.
    lab.rigs.touch()
    ended = Start(lab, NOBODY_ELSE, found, ALL, TEXT).run()
    assert (ended.outcome.ending, ended.outcome.code) == ("refused", code)
    assert str(lab.rigs) in ended.outcome.lines[0]

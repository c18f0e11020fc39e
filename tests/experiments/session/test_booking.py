"""Who is let in, what a refused start leaves, and what the registry learns afterwards."""

import re
import shutil
import sqlite3
from contextlib import closing, contextmanager
from inspect import signature
from typing import get_args

import pytest
from rich.console import Console

from experiments import cli
from experiments.session.booking import Booking, booked
from experiments.session.coming_back import coming_back
from experiments.session.command import say_if_withdrawn
from experiments.session.options import PersonOptions
from experiments.session.preflight import Preflight, stop_if_unfit
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from experiments.session.run import SessionRun
from participants.cli import main as participants_main
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.overview.due import due
from participants.registry import NewSession, Registry, database, outbox
from participants.registry.records import records_of
from participants.session import LEFT_FOR_GOOD, SessionAborted, run_session
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.pack import open_pack
from tests.participants.dataset.test_derive import header_of
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter

OTHER_PACK = "0" * 32


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.make()


@pytest.fixture
def registry(lab, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.02)
    with closing(Registry.open(lab.registry_url)) as opened:
        yield opened


@pytest.fixture
def code(registry):
    return registry.enrol("lead", axis="deutan", rung=2)


def places(registry):
    """Return how many places of the design are given, and how many sessions there are."""
    with registry._engine.begin() as connection:
        return tuple(
            connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in ("assignments", "sessions")
        )


@contextmanager
def out_of_reach(lab):
    """Let another program keep the database to itself."""
    path = lab.registry_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as blocker:
        blocker.execute("BEGIN EXCLUSIVE")
        yield


def begin_elsewhere(registry, code):
    new = NewSession("s", code, "lead", "accept_reject", OTHER_PACK, "main", "other")
    registry.start_session(new)


def broken_off(session, error, seen=lambda booking: None):
    """Let a session be booked, look at what was booked, and break off."""
    with session as booking:
        seen(booking)
        raise error


# A refused start


def test_a_start_that_is_refused_takes_no_place(lab, registry, code, mini_pack):
    begin_elsewhere(registry, code)
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with (
        pytest.raises(UserError, match="at this moment"),
        booked(request, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert places(registry) == (0, 1)


@pytest.mark.parametrize("error", [UserError("no display"), KeyboardInterrupt(), OSError("disk")])
def test_a_session_that_ends_before_its_journal_begins_takes_no_place(
    lab, registry, code, mini_pack, error
):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    session = booked(request, lab, registry, open_pack(mini_pack))
    held = []
    with pytest.raises(type(error)):
        broken_off(session, error, lambda booking: held.append(places(registry)))
    assert held == [(1, 1)]
    assert places(registry) == (0, 0)


def test_a_plan_that_cannot_be_made_takes_no_place(lab, registry, code, mini_pack):
    request = RunRequest(str(mini_pack), person=PersonOptions(code, language="fr"))
    with (
        pytest.raises(UserError, match="'fr'"),
        booked(request, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert places(registry) == (0, 0)


def test_a_place_that_another_session_holds_stays(lab, registry, mini_pack):
    """A code may run any number of tests; one that fails to start takes nothing from them."""
    tester = registry.enrol("lead", axis="deutan", rung=2, purpose="test")
    request = RunRequest(str(mini_pack), person=PersonOptions(tester, purpose="test"))
    pack = open_pack(mini_pack)
    with booked(request, lab, registry, pack) as first:
        write(lab, registry, first)
    with pytest.raises(OSError, match="disk"):
        broken_off(booked(request, lab, registry, pack), OSError("disk"))
    assert places(registry) == (1, 1)


# What belongs to a session


def test_a_pilots_code_goes_on_as_pilot_where_the_purpose_is_forgotten(lab, registry, mini_pack):
    """It began a second session, as main, on the images that the pilot had shown."""
    pilot = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    half_done(lab, registry, mini_pack, PersonOptions(pilot, purpose="pilot"))
    again = RunRequest(str(mini_pack), person=PersonOptions(pilot))
    with booked(again, lab, registry, open_pack(mini_pack)) as booking:
        assert (booking.purpose, booking.resumed) == ("pilot", True)
    main = RunRequest(str(mini_pack), person=PersonOptions(pilot, purpose="main"))
    with (
        pytest.raises(UserError, match="is enrolled for purpose pilot, not main"),
        booked(main, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert places(registry) == (1, 1)


def test_a_session_goes_on_in_the_language_that_it_began_in(lab, registry, code, mini_pack):
    half_done(lab, registry, mini_pack, PersonOptions(code, language="de"))
    for said in (None, "de"):
        again = RunRequest(str(mini_pack), person=PersonOptions(code, language=said))
        with booked(again, lab, registry, open_pack(mini_pack)) as booking:
            assert (booking.plan.language, booking.resumed) == ("de", True)
    other = RunRequest(str(mini_pack), person=PersonOptions(code, language="en"))
    with (
        pytest.raises(UserError, match="began in language de and continues in it"),
        booked(other, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert registry.person(code).sessions == 1


def half_done(lab, registry, pack, person):
    """Let a session be booked and stop when its journal has begun."""
    request = RunRequest(str(pack), person=person)
    with booked(request, lab, registry, open_pack(pack)) as booking:
        header = header_of(booking.plan, booking.paths.session, purpose=booking.purpose)
        header |= {"participant": booking.code, "rig": booking.rig}
        header["language"] = booking.plan.language
        with JournalWriter.create(booking.paths.journal, header):
            pass
        registry.finish_session(booking.paths.session, complete=False)


# What the registry missed


def write(lab, registry, booking: Booking, presenter=None):
    """Run a session without a window."""
    header = header_of(booking.plan, booking.paths.session, purpose=booking.purpose)
    header |= {"participant": booking.code, "rig": booking.rig}
    begin = JournalWriter.resume if booking.resumed else JournalWriter.create
    with begin(booking.paths.journal, header) as journal:
        recorder = RegisteredJournal(journal, registry, lab.data, booking, 0)
        everybody = presenter or ScriptedPresenter()
        run_session(booking.plan, frozenset(), everybody, everybody, recorder)


@pytest.fixture
def booking(lab, registry, code, mini_pack):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, open_pack(mini_pack)) as booking:
        yield booking


def test_a_session_whose_registry_heard_everything_leaves_no_note(lab, registry, booking):
    write(lab, registry, booking)
    assert not outbox.is_noted(lab.data, booking.paths.session)
    assert registry.person(booking.code).complete == 1


def test_a_withdrawal_that_the_registry_could_not_hear_reaches_it_later(lab, registry, booking):
    """The session goes on without the registry, and the code is barred at the next start."""
    with out_of_reach(lab):
        write(lab, registry, booking, ScriptedPresenter(agrees_again=False))
    assert read_journal(booking.paths.journal).complete
    assert not registry.person(booking.code).withdrawn
    assert outbox.catch_up(lab.data, registry) == {}
    person = registry.person(booking.code)
    assert (person.withdrawn, person.complete, person.consent) == (True, 1, False)
    assert not outbox.is_noted(lab.data, booking.paths.session)
    with pytest.raises(UserError, match="has withdrawn"):
        registry.start_session(
            NewSession("t", booking.code, "lead", "accept_reject", OTHER_PACK, "test", "rig")
        )


@pytest.mark.parametrize(("retry_after_s", "tries"), [(300.0, 1), (0.0, 30)])
def test_a_registry_out_of_reach_is_not_asked_at_every_step(
    lab, registry, booking, monkeypatch, retry_after_s, tries
):
    """Each try may last as long as the database's own patience, and people wait."""
    asked = []
    tell = RegisteredJournal._tell
    monkeypatch.setattr("experiments.session.recording.RETRY_AFTER_S", retry_after_s)
    monkeypatch.setattr(
        RegisteredJournal, "_tell", lambda *call: (asked.append(call[1]), tell(*call))
    )
    with out_of_reach(lab):
        write(lab, registry, booking)
    assert asked[:1] == ["consent"]
    assert len(asked) == 1 if tries == 1 else len(asked) > tries
    assert outbox.catch_up(lab.data, registry) == {}
    assert registry.person(booking.code).complete == 1


@pytest.mark.parametrize("qualified", [True, False])
def test_the_registry_hears_who_did_not_qualify_while_the_session_goes_on(
    lab, registry, booking, qualified
):
    recorder = RegisteredJournal(MemoryRecorder(), registry, lab.data, booking, 0)
    recorder.append("qualification", qualified=qualified)
    person = registry.person(booking.code)
    assert (person.disqualified, person.complete) == (int(not qualified), 0)


def test_learning_twice_or_what_is_known_changes_nothing(lab, registry, booking):
    write(lab, registry, booking, ScriptedPresenter(agrees_again=False))
    before = dump(lab)
    for _ in range(2):
        outbox.note(lab.data, booking.paths.session)
        assert outbox.catch_up(lab.data, registry) == {}
    after = dump(lab)
    assert [line for line in after if "consents" in line or "withdrawals" in line] == [
        line for line in before if "consents" in line or "withdrawals" in line
    ]
    assert registry.person(booking.code).complete == 1


def dump(lab):
    path = lab.registry_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        return [line for line in database.iterdump() if line.startswith("INSERT")]


def test_a_killed_session_is_learned_as_stopped_and_a_running_one_is_left(lab, registry, booking):
    header = header_of(booking.plan, booking.paths.session) | {"participant": booking.code}
    with JournalWriter.create(booking.paths.journal, header) as journal:
        RegisteredJournal(journal, registry, lab.data, booking, 0)
        assert outbox.catch_up(lab.data, registry) == {}
        assert outbox.is_noted(lab.data, booking.paths.session)
    begun_elsewhere = NewSession(
        "t", booking.code, "lead", "simulatability", OTHER_PACK, "main", "other"
    )
    with pytest.raises(UserError, match="at this moment"):
        registry.start_session(begun_elsewhere)
    assert outbox.catch_up(lab.data, registry, but=booking.code) == {}
    assert outbox.is_noted(lab.data, booking.paths.session)
    assert outbox.catch_up(lab.data, registry) == {}
    registry.start_session(begun_elsewhere)


def test_a_complete_session_that_the_registry_was_not_told_of_ends_at_once_with_its_tables(
    lab, registry, code, mini_pack
):
    """The PC stopped between the session's end and the registry's word of it: no window opens."""
    pack, request = open_pack(mini_pack), RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, pack) as booking, out_of_reach(lab):
        write(lab, registry, booking)
    registry.finish_session(booking.paths.session, complete=False)
    ran = SessionRun(request, lab, pack, Preflight()).run()
    assert (ran.session, ran.complete) == (booking.paths.session, True)
    assert ran.trials > 0
    assert registry.person(code).complete == 1


@pytest.mark.parametrize("again", [True, False])
def test_removal_is_offered_to_who_takes_the_data_back(lab, registry, booking, capsys, again):
    write(lab, registry, booking, ScriptedPresenter(agrees_again=again))
    say_if_withdrawn(Console(stderr=True), read_journal(booking.paths.journal))
    said = capsys.readouterr().err
    assert (f"python3 lab.py participants withdraw {booking.code}\n" in said) is not again


def test_what_cannot_be_learned_stays_noted_and_is_named(lab, registry, booking, capsys):
    with out_of_reach(lab):
        write(lab, registry, booking, ScriptedPresenter(agrees_again=False))
    path = booking.paths.journal
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"agreed":false', b'"agreed":true', 1))
    (reason,) = outbox.catch_up(lab.data, registry).values()
    assert "was changed" in reason
    assert participants_main(["participants", "list", "--json"]) == 0
    assert "was changed" in capsys.readouterr().err
    path.write_bytes(whole)
    assert participants_main(["participants", "list", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert '"withdrawn": true' in said.out


def test_a_session_whose_journal_was_deleted_is_named_once(lab, registry, booking):
    with out_of_reach(lab):
        write(lab, registry, booking)
    shutil.rmtree(booking.paths.folder)
    (reason,) = outbox.catch_up(lab.data, registry).values()
    assert "journal.jsonl is gone" in reason
    assert outbox.catch_up(lab.data, registry) == {}


def test_a_session_of_a_registry_that_lost_it_is_entered_again(lab, registry, booking):
    """An older copy of the database was put back: the journal still knows."""
    write(lab, registry, booking)
    with registry._engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM sessions")
        connection.exec_driver_sql("DELETE FROM consents")
    outbox.note(lab.data, booking.paths.session)
    assert outbox.catch_up(lab.data, registry) == {}
    person = registry.person(booking.code)
    assert (person.sessions, person.complete, person.consent) == (1, 1, True)


@pytest.mark.parametrize("study", studies_of("participants"))
def test_the_help_that_run_points_to_names_every_robot(study, monkeypatch, capsys):
    (option,) = get_args(signature(cli.run).parameters["robot"].annotation)[1:]
    assert "simulate STUDY --help" in option.help
    monkeypatch.setenv("COLUMNS", "200")
    assert participants_main(["simulate", study, "--help"]) == 0
    robots = studies_of("participants")[study].sessions["solutions"].robot_names
    assert len(robots) > 3
    assert set(re.findall(r"\w+", capsys.readouterr().out)) >= set(robots)


class Leaver(ScriptedPresenter):
    """Leaves the study for good in a trial."""

    def trial(self, trial):
        if trial.step == "trial-0005":
            raise SessionAborted(LEFT_FOR_GOOD)
        return super().trial(trial)


def told_result(registry, code):
    """Return what somebody chose about being told, the first choice first."""
    rows = registry.transact(lambda connection: records_of(connection, code)).get("choices", ())
    return [row["value"] for row in rows if row["name"] == "told_result"]


@pytest.mark.parametrize("reached", [True, False])
def test_who_left_for_good_is_refused_even_where_the_registry_was_not_told(
    lab, registry, code, mini_pack, reached
):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, open_pack(mini_pack)) as booking:
        if reached:
            write(lab, registry, booking, Leaver())
        else:
            with out_of_reach(lab):
                write(lab, registry, booking, Leaver())
            registry.finish_session(booking.paths.session, complete=False)
    assert outbox.is_noted(lab.data, booking.paths.session) is not reached
    for _ in range(2):
        left = booked(request, lab, registry, open_pack(mini_pack))
        with pytest.raises(UserError, match="has left study accept_reject for good"), left:
            pass
    assert told_result(registry, code) == (["yes"] if reached else [])
    outbox.catch_up(lab.data, registry)
    assert told_result(registry, code) == ["yes"]
    rows = [line for line in dump(lab) if '"choices"' in line]
    outbox.note(lab.data, booking.paths.session)
    outbox.catch_up(lab.data, registry)
    assert [line for line in dump(lab) if '"choices"' in line] == rows
    assert len(rows) == 2


@pytest.mark.parametrize("reached", [True, False])
def test_who_declined_frees_the_place_and_is_let_in_again_for_a_reason_alone(
    lab, registry, code, mini_pack, reached
):
    """A declined consent was told as an interruption: due at once, and the place was kept."""
    request, pack = RunRequest(str(mini_pack), person=PersonOptions(code)), open_pack(mini_pack)

    def answer(agrees):
        with booked(request, lab, registry, pack) as booking:
            write(lab, registry, booking, ScriptedPresenter(agrees=agrees))

    if reached:
        answer(agrees=False)
    else:
        with booked(request, lab, registry, pack) as booking, out_of_reach(lab):
            write(lab, registry, booking, ScriptedPresenter(agrees=False))
    outbox.catch_up(lab.data, registry)
    assert due(lab, registry) == ()
    assert left_study(registry, code) == ["declined"]
    declined, _ = coming_back(request, lab, pack)
    with pytest.raises(UserError, match=f"declined: code {code} declined .*; enrol a new code"):
        stop_if_unfit([declined], None)
    stop_if_unfit([declined], "changed their mind")
    answer(agrees=True)
    assert left_study(registry, code) == []
    assert registry.person(code).complete == 1


def left_study(registry, code):
    """Return how somebody left a study."""
    rows = registry.transact(lambda connection: records_of(connection, code)).get("choices", ())
    return [row["value"] for row in rows if row["name"] == "left_study"]

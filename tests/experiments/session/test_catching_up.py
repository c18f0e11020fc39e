"""What the registry missed of sessions, and learns afterwards."""

import shutil

import pytest

from experiments.session import run
from experiments.session.booking import booked
from experiments.session.command import withdrawn_lines
from experiments.session.options import PersonOptions
from experiments.session.preflight import Preflight
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from experiments.session.run import SessionRun
from participants.cli import main as participants_main
from participants.journal import JournalError, JournalWriter, read_journal
from participants.registry import NewSession, outbox
from participants.registry.sessions import RUNNING, session_row
from stimuli.errors import UserError
from stimuli.pack import open_pack
from tests.experiments.session.registered import dump, out_of_reach, write
from tests.participants.dataset.test_derive import header_of
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter

OTHER_PACK = "0" * 32


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
    lab, registry, code, mini_pack, monkeypatch
):
    """The PC stopped between the session's end and the registry's word of it: no window opens."""
    monkeypatch.setattr(run, "find_display", lambda request: None)
    pack, request = open_pack(mini_pack), RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, pack) as booking, out_of_reach(lab):
        write(lab, registry, booking)
    registry.finish_session(booking.paths.session, complete=False)
    ran = SessionRun(request, lab, pack, Preflight()).run()
    assert (ran.session, ran.complete) == (booking.paths.session, True)
    assert ran.trials > 0
    assert registry.person(code).complete == 1


def test_who_begins_at_another_display_what_has_just_begun_is_told_so(
    lab, registry, code, mini_pack
):
    """Both were booked before either had a journal; the first goes on unharmed."""
    pack, request = open_pack(mini_pack), RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, pack) as first:
        header = header_of(first.plan, first.paths.session, participant=code)
        with (
            pytest.raises(JournalError, match="is running already, in another window"),
            booked(request, lab, registry, pack) as second,
            JournalWriter.create(first.paths.journal, header),
            run._journal(second, header),
        ):
            pass
        state = registry.transact(lambda found: session_row(found, first.paths.session).state)
    assert state == RUNNING


@pytest.mark.parametrize("again", [True, False])
def test_removal_is_offered_to_who_takes_the_data_back(lab, registry, booking, again):
    write(lab, registry, booking, ScriptedPresenter(agrees_again=again))
    lines = withdrawn_lines(read_journal(booking.paths.journal))
    assert [line.rpartition(": ")[2] for line in lines] == (
        [] if again else [f"python3 lab.py participants withdraw {booking.code}"]
    )


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

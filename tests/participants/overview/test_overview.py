"""What the lab looks up of its people, through the command line."""

import time
from datetime import timedelta

import pytest
from icalendar import Calendar
from sqlalchemy import insert

from participants.backup.make import back_up
from participants.backup.restore import restore
from participants.clock import utc_text
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.lists import Assignment
from participants.overview.counts import count
from participants.overview.due import due
from participants.payments.ledger import accounts_of
from participants.payments.options import PaymentOptions
from participants.registry import ListOffer, NewSession, Place, PlaceRules, Registry
from participants.registry.sessions import DECLINED, LEASE_S
from participants.registry.tables import screenings
from participants.studies.accept_reject.plan import plan_session
from participants.tombstones import read_tombstones
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from tests.participants.commands import printed, printed_json, refused
from tests.participants.dataset.test_derive import header_of
from tests.participants.registry.people import lead
from tests.participants.studies.accept_reject.packs import bare_pack
from tests.stimuli.studies.progressive_reveal.small import protocol_of, small_sketch

HIDDEN = ("l7", "with_first", "right")
WHEN = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    monkeypatch.setenv("COLUMNS", "200")
    return LabFolder.make()


@pytest.fixture
def registry(lab, clock):
    opened = Registry.open(lab.registry_url, clock)
    yield opened
    opened.close()


def run(capsys, *words):
    return printed(capsys, "participants", *words)


def told(capsys, *words):
    return printed_json(capsys, "participants", *words)


def start(registry, code, session="s-1", **changes):
    new = {"role": "lead", "study": "accept_reject", "pack_id": "pack", "purpose": "main"}
    registry.start_session(NewSession(session, code, rig="rig-1", **{**new, **changes}))


def screen(registry, code, procedure="decision"):
    row = {"code": code, "procedure": procedure, "result": '{"lead": true}', "screened_utc": WHEN}
    registry.transact(lambda connection: connection.execute(insert(screenings).values(**row)))


def test_show_tells_all_of_a_person_but_the_arm(registry, capsys):
    code = lead(registry)
    rules = PlaceRules([ListOffer("l7", "deutan", 3)], ["with_first"], 1, 60.0, ["right"])
    registry.assign(Place(code, "accept_reject", "pack", "rig-1"), rules)
    start(registry, code)
    screen(registry, code)
    run(capsys, "note", "dizzy", "--code", code, "--kind", "incident")
    for words in (["show", code], ["show", code.lower(), "--json"]):
        shown = run(capsys, *words)
        for word in ("deutan", "s-1", "rig-1", "decision", "dizzy", "incident", "running"):
            assert word in shown
        assert not any(word in shown for word in HIDDEN)
    details = told(capsys, "show", code)
    assert details["sessions"][0]["journal_here"] is False
    assert details["screenings"][0]["result"] == {"lead": True}
    (place,) = told(capsys, "show", code, "--unblind")["assignments"]
    assert (place["list"], place["order"], place["accept_side"]) == HIDDEN


def test_show_of_who_is_unknown_or_withdrawn(registry, capsys):
    code = lead(registry)
    registry.record_withdrawal(code)
    assert told(capsys, "show", code)["withdrawal"] == [{"withdrawn_utc": WHEN}]
    run(capsys, "withdraw", code, "--yes")
    assert "withdrew on 2026-01-01; nothing else is kept" in refused(
        capsys, "participants", "show", code
    )
    other = Registry.open("sqlite:///" + str(LabFolder.open().root / "other.sqlite"))
    assert "is not in this registry" in refused(capsys, "participants", "show", lead(other))


def test_counts_are_those_of_the_rows(registry, capsys):
    codes = [lead(registry) for _ in range(3)] + [registry.enrol("participant") for _ in range(9)]
    lead(registry, axis="protan", purpose="pilot")
    for number, code in enumerate(codes[:2]):
        start(registry, code, f"s-{number}")
    registry.finish_session("s-1")
    registry.disqualify_session("s-1")
    for code in codes[1:]:
        screen(registry, code, "d15")
        screen(registry, code)
    screen(registry, codes[0], "by_hand")
    found = told(capsys, "counts")
    kinds = ("role", "purpose", "axis", "rung", "people", "begun")
    assert [tuple(row[name] for name in kinds) for row in found["people"]] == [
        ("lead", "main", "deutan", 3, 3, 2),
        ("lead", "pilot", "protan", 3, 1, 0),
        ("participant", "main", None, None, 9, 0),
    ]
    kinds = ("study", "role", "purpose", "state", "sessions")
    assert [tuple(row[name] for name in kinds) for row in found["sessions"]] == [
        ("accept_reject", "lead", "main", "disqualified", 1),
        ("accept_reject", "lead", "main", "unfinished", 1),
    ]
    assert found["screened"] == [
        {"purpose": "main", "screened": 11, "leads": 2, "screened_per_lead": 5.5}
    ]
    assert "took their data back: 0" in run(capsys, "counts")


def test_a_session_stands_alike_wherever_it_is_told(lab, registry, clock, capsys, tmp_path):
    """In the list, the counts, the payments, among those who are due, and after a restore."""
    ends = {
        "declined": lambda name: registry.leave_session(name, DECLINED),
        "left for good": registry.leave_session,
        "disqualified": registry.disqualify_session,
        "complete": registry.finish_session,
        "unfinished": lambda name: registry.finish_session(name, complete=False),
        "withdrawn": lambda name: registry.record_withdrawal(name.removeprefix("s-")),
        "cut off": lambda name: None,
    }
    people = {}
    for state, end in ends.items():
        code = people[state] = lead(registry)
        start(registry, code, f"s-{code}")
        end(f"s-{code}")
        lab.data.session(f"s-{code}").folder.mkdir(parents=True)
        lab.data.session(f"s-{code}").journal.write_bytes(b"")
    # Somebody who failed may have finished, or have stopped before the end.
    both = people["disqualified, stopped"] = lead(registry)
    start(registry, both, f"s-{both}")
    registry.disqualify_session(f"s-{both}")
    registry.finish_session(f"s-{both}", complete=False)

    def states():
        found = registry.transact(lambda connection: count(connection, utc_text(clock.now)))
        return {row["state"]: row["sessions"] for row in found.sessions}

    known = {**dict.fromkeys([*list(ends)[:-1]], 1), "disqualified": 2}
    assert states() == {**known, "running": 1}
    clock.wait(LEASE_S + 1)
    assert states() == {**known, "unfinished": 2}
    told_of = {people[state]: state for state in people}
    told_of |= {people["cut off"]: "unfinished", both: "disqualified"}
    assert {one["code"]: one["state"] for one in told(capsys, "list")} == told_of
    paid = {one.code: one.state for one in accounts_of(lab, registry, PaymentOptions())}
    assert paid == {code: state for code, state in told_of.items() if state != "declined"}
    comes = {code for code, state in told_of.items() if state == "unfinished"}
    assert {one.code for one in due(lab, registry)} == comes
    back_up(lab, tmp_path / "place", clock.now, thorough=False)
    done = restore(tmp_path / "place", tmp_path / "new")
    assert set(done.unfinished) == {f"s-{code}" for code in comes}


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process is set as on POSIX")
def test_times_on_the_screen_are_local(registry, capsys, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    code = lead(registry)
    start(registry, code)
    registry.finish_session("s-1", complete=False)
    shown = {words[0]: run(capsys, *words) for words in (["due"], ["show", code], ["counts"])}
    monkeypatch.undo()
    time.tzset()
    assert all("2026-01-01 09:00" in said for said in shown.values()), shown


def with_gap(gap_h):
    """A small pack whose sittings lie some hours apart."""
    protocol = protocol_of(session={"least_gap_h": gap_h})
    whole = small_sketch()
    files = {name: whole.asset(name) for name in whole.manifest.files}
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def test_who_is_due_comes_between_the_least_gap_and_the_end_of_the_place(lab, registry, clock):
    pack = with_gap(24.0)
    lab.data.make().copy_pack(pack)
    here, gone, left, elsewhere = (registry.enrol("participant") for _ in range(4))
    of_it = {"role": "participant", "study": "progressive_reveal", "pack_id": pack.pack_id}
    for number, code in enumerate((here, gone, left)):
        start(registry, code, f"s-{number}", **of_it)
        registry.finish_session(f"s-{number}", complete=False)
    start(registry, elsewhere, "s-9", **{**of_it, "pack_id": "unknown"})
    registry.record_withdrawal(gone)
    registry.leave_session("s-2")
    begun = clock.now
    drop_s = pack.protocol.assignment.drop_after_s
    for waited_s, when in (
        (0, "later"),
        (86_399, "later"),
        (86_400, "now"),
        (drop_s + 1, "overdue"),
    ):
        clock.now = begun + timedelta(seconds=waited_s)
        found = {one.code: one for one in due(lab, registry)}
        assert set(found) == {here, elsewhere}
        assert found[here].when == when
        assert found[here].from_utc == utc_text(begun + timedelta(days=1))
        assert found[here].until_utc == utc_text(begun + timedelta(seconds=drop_s))
        assert (found[elsewhere].when, found[elsewhere].until_utc) == ("now", None)


def test_due_names_whose_removal_is_not_finished(lab, registry, capsys):
    code = registry.enrol("participant")
    registry.record_withdrawal(code)
    assert told(capsys, "due") == {"due": [], "to_remove": [code]}
    # The data folder learned it from the registry, for tables and for copies of the folder.
    assert read_tombstones(lab.data) == {code: WHEN}
    run(capsys, "withdraw", code, "--yes")
    assert told(capsys, "due") == {"due": [], "to_remove": []}
    folder = lab.data.session(f"20260101T000000Z-{code}").folder
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(b"")
    assert told(capsys, "due")["to_remove"] == [code]


def test_notes_are_kept_by_person_or_lab_and_name_no_code(registry, capsys):
    code, other = lead(registry), lead(registry)
    run(capsys, "note", "paid 20 EUR", "--code", code, "--kind", "compensation")
    run(capsys, "note", "fire alarm", "--kind", "incident")
    assert [(one["code"], one["kind"], one["text"]) for one in told(capsys, "notes")] == [
        (code, "compensation", "paid 20 EUR"), (None, "incident", "fire alarm"),
    ]  # fmt: skip
    assert "fire alarm" in run(capsys, "notes")
    assert f"'{other}' is a part" in refused(
        capsys, "participants", "note", f"{other} was late", "--code", code
    )
    assert f"'{code}' is a part" in refused(capsys, "participants", "note", f"{code} was late")
    assert "jo@x.org" in refused(capsys, "participants", "note", "ask jo@x.org")
    assert len(told(capsys, "notes")) == 2
    run(capsys, "note", f"{code} came late", "--code", code)
    assert "no kind of note" in refused(capsys, "participants", "note", "x", "--kind", "gossip")
    registry.record_withdrawal(code)
    assert "has withdrawn" in refused(capsys, "participants", "note", "x", "--code", code)


def test_notes_of_sessions_are_listed_with_the_others(lab, registry, capsys):
    """Those by the chord and after `run` were in the journal alone."""
    code = lead(registry)
    run(capsys, "note", "paid 20 EUR", "--code", code)
    start(registry, code)
    plan = plan_session(bare_pack(), Assignment("l0", "without_first"), "en", code)
    header = header_of(plan, "s-1") | {"participant": code}
    with JournalWriter.create(lab.data.session("s-1").journal, header) as journal:
        journal.append("note", at="pause", text="fire alarm")
    for rows in (told(capsys, "notes"), told(capsys, "show", code)["notes"]):
        assert {(row["kind"], row["session"], row["text"]) for row in rows} == {
            ("incident", "s-1", "fire alarm"), ("note", None, "paid 20 EUR"),
        }  # fmt: skip
    assert all("fire alarm" in run(capsys, *words) for words in (["notes"], ["show", code]))


def test_reminders_move_when_the_file_is_imported_again(lab, registry, clock, tmp_path, capsys):
    """A calendar knows an appointment by its UID, and takes a later edition of it."""
    pack = with_gap(24.0)
    lab.data.make().copy_pack(pack)
    code, done = (registry.enrol("participant") for _ in range(2))
    of_it = {"role": "participant", "study": "progressive_reveal", "pack_id": pack.pack_id}
    for number, one in enumerate((code, done)):
        start(registry, one, f"s-{number}", **of_it)
        registry.finish_session(f"s-{number}", complete=one == done)

    def appointments():
        told = run(capsys, "reminders", "--out", tmp_path / "due.ics")
        assert "1 person is due" in told
        calendar = Calendar.from_ical((tmp_path / "due.ics").read_bytes())
        assert done not in calendar.to_ical().decode()
        return {str(event["uid"]): event for event in calendar.walk("VEVENT")}

    first, begun = appointments(), clock.now
    assert [code in event["summary"] for event in first.values()] == [True, True]
    times = sorted(event.decoded("dtstart") for event in first.values())
    drop_s = pack.protocol.assignment.drop_after_s
    assert times == [begun + timedelta(days=1), begun + timedelta(seconds=drop_s)]
    assert len(Calendar.from_ical((tmp_path / "due.ics").read_bytes()).walk("VALARM")) == 1
    clock.wait(3 * 86_400)
    registry.resume_session("s-0", "rig-1")
    registry.finish_session("s-0", complete=False)
    again = appointments()
    assert set(again) == set(first)
    for uid, event in again.items():
        assert event.decoded("dtstart") - first[uid].decoded("dtstart") == timedelta(days=3)
        assert event["sequence"] > first[uid]["sequence"]


def test_the_list_is_that_of_a_study_a_role_or_a_state(registry, clock, capsys):
    fresh = lead(registry)
    clock.wait(60)  # who was enrolled in the same second is listed by code
    there = lead(registry)
    clock.wait(60)
    elsewhere = registry.enrol("participant")
    start(registry, there, "s-1")
    clock.wait(60)
    start(registry, elsewhere, "s-2", role="participant", study="other")
    registry.finish_session("s-1", complete=False)
    registry.finish_session("s-2")

    def listed(*words):
        return [row["code"] for row in told(capsys, "list", *words)]

    assert listed() == [fresh, there, elsewhere]
    assert listed("--study", "other") == listed("--role", "participant") == [elsewhere]
    assert listed("--state", "unfinished") == [there]
    assert listed("--state", "not begun", "--role", "lead") == [fresh]
    assert listed("--sort", "last") == [fresh, there, elsewhere]
    assert listed("--sort", "code") == sorted(listed())
    shown = run(capsys, "list", "--study", "accept_reject")
    assert "unfinished" in shown
    assert not [hidden for hidden in ("arm", "order", "list") if hidden in shown]
    assert run(capsys, "list", "--study", "none") == "Nobody fits.\n"
    assert "--sort size: is not one of enrolled" in refused(
        capsys, "participants", "list", "--sort", "size"
    )

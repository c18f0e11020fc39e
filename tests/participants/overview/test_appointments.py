"""Appointments against a slow book of its own, in calendar files, and in all that keeps people."""

import re
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from participants.appointments.book import (
    appointments_of,
    book,
    cancel,
    days_ahead,
    move,
)
from participants.backup.make import back_up
from participants.backup.restore import restore
from participants.folder import LabFolder
from participants.lab_settings import AppointmentRules
from participants.registry import Registry
from participants.registry.tables import appointments
from stimuli.errors import UserError
from tests.participants.commands import printed, printed_json, refused
from tests.participants.registry.people import Clock, lead, session_of

RIGS = ("rig-1", "rig-2")
HOUR = timedelta(hours=1)


@pytest.fixture
def registry(lab, clock):
    opened = Registry.open(lab.registry_url, clock)
    yield opened
    opened.close()


class SlowBook:
    """The rules by their definition: minute by minute, in a list."""

    def __init__(self, now):
        self.now, self.rows = now, []

    def taken(self, rig, begins, minutes, but=None):
        wanted = {begins + timedelta(minutes=n) for n in range(minutes)}
        return any(
            wanted & {one["begins"] + timedelta(minutes=n) for n in range(one["minutes"])}
            for one in self.rows
            if one is not but and one["rig"] == rig
        )

    def ahead(self, code):
        rows = [one for one in self.rows if one["code"] == code]
        return next(
            (o for o in rows if o["begins"] + timedelta(minutes=o["minutes"]) > self.now), None
        )

    def do(self, act, code, rig, begins, minutes):
        """Return whether it may be done; do it."""
        own = self.ahead(code)
        if act == "cancel":
            if own is not None:
                self.rows.remove(own)
            return own is not None
        fits = begins > self.now and (own is None) == (act == "book")
        if not fits or self.taken(rig, begins, minutes, own):
            return False
        if own is not None:
            self.rows.remove(own)
        self.rows.append({"code": code, "rig": rig, "begins": begins, "minutes": minutes})
        return True


STEP = st.tuples(
    st.sampled_from(("book", "move", "cancel")),
    st.integers(0, 2),
    st.sampled_from(RIGS),
    st.integers(-2, 16),
    st.sampled_from((30, 60, 90)),
    st.integers(0, 90),
)


@given(st.lists(STEP, max_size=25))
@settings(max_examples=40, deadline=None)
def test_the_book_is_that_of_its_rules_minute_by_minute(tmp_path_factory, steps):
    clock = Clock()
    registry = Registry.open(f"sqlite:///{tmp_path_factory.mktemp('book')}/registry.sqlite", clock)
    codes, slow = [lead(registry) for _ in range(3)], SlowBook(clock.now)
    for act, who, rig, half_hours, minutes, later_min in steps:
        clock.wait(60 * later_min)
        slow.now = clock.now
        begins = clock.now.replace(second=0) + half_hours * HOUR / 2
        may = slow.do(act, codes[who], rig, begins, minutes)
        try:
            if act == "cancel":
                cancel(registry, codes[who])
            else:
                {"book": book, "move": move}[act](registry, codes[who], begins, rig, minutes)
            assert may
        except UserError:
            assert not may
    found = appointments_of(registry)
    told = {(one.code, one.rig, one.begins, one.minutes) for one in found}
    assert told == {(o["code"], o["rig"], o["begins"], o["minutes"]) for o in slow.rows}
    over = {
        o["code"] for o in slow.rows if o["begins"] + timedelta(minutes=o["minutes"]) <= clock.now
    }
    assert {one.code for one in found if one.state == "missed"} == over
    registry.close()


def unfolded(data):
    """Return a calendar file's events as lists of lines, by RFC 5545's rules alone."""
    lines = data.decode("utf-8").replace("\r\n ", "").split("\r\n")
    events, inside = [], None
    for line in lines:
        if line == "BEGIN:VEVENT":
            inside = {}
        elif line == "END:VEVENT":
            events.append(inside)
            inside = None
        elif inside is not None:
            name, _, value = line.partition(":")
            inside[name] = value
    return events


def test_a_calendar_file_has_those_ahead_by_code_and_moves_them(
    lab, registry, clock, tmp_path, capsys
):
    first, second = lead(registry), lead(registry)
    begins = datetime(2126, 1, 3, 9, tzinfo=UTC)
    book(registry, first, begins, "rig-1", 60, "accept_reject")
    book(registry, second, begins + HOUR, "rig-1", 60)
    files = []
    for out in ("first.ics", "second.ics"):
        printed(capsys, "participants", "appointments", "--out", tmp_path / out)
        files.append((tmp_path / out).read_bytes())
        if out == "first.ics":
            move(registry, first, begins + 5 * HOUR, "rig-2")
            cancel(registry, second)
    before, after = map(unfolded, files)
    assert [one["SUMMARY"].replace("\\", "") for one in before] == [
        f"{first}, rig-1",
        f"{second}, rig-1",
    ]
    assert [one["DTSTART"] for one in before] == ["21260103T090000Z", "21260103T100000Z"]
    assert [one["DTEND"] for one in before] == ["21260103T100000Z", "21260103T110000Z"]
    (moved,) = after
    assert (moved["UID"], moved["SEQUENCE"]) == (before[0]["UID"], "1")
    assert (moved["DTSTART"], moved["SUMMARY"].replace("\\", "")) == (
        "21260103T140000Z",
        f"{first}, rig-2",
    )
    for data in files:
        assert data.startswith(b"BEGIN:VCALENDAR\r\n")
        assert data.endswith(b"END:VCALENDAR\r\n")
        assert max(len(line) for line in data.split(b"\r\n")) <= 75
        assert re.search(rb"^VERSION:2\.0\r$", data, re.MULTILINE)


def test_a_session_of_the_day_keeps_an_appointment_and_none_misses_it(registry, clock):
    came, again, missed = (lead(registry) for _ in range(3))
    clock.now = datetime(2026, 1, 5, 6, tzinfo=UTC)
    for number, code in enumerate((came, again, missed)):
        book(registry, code, clock.now + (2 + number) * HOUR, "rig-1", 60)
    registry.start_session(session_of(again, "s-2"))
    registry.finish_session("s-2", complete=False)
    clock.wait(2 * 3600)
    registry.start_session(session_of(came, "s-1"))
    clock.wait(4 * 3600)
    states = {one.code: one.state for one in appointments_of(registry)}
    assert states == {came: "came", again: "came", missed: "missed"}
    # The next sitting has an appointment of its own, on another day.
    book(registry, again, clock.now + 24 * HOUR, "rig-1", 60)
    clock.wait(24 * 3600)
    registry.resume_session("s-2", "rig-1")
    assert [one.state for one in appointments_of(registry, again)] == ["came", "came"]


def test_free_places_are_those_that_fit_the_hours_and_are_not_booked(registry, clock):
    clock.now = datetime(2026, 1, 2, 6, tzinfo=UTC)  # a Friday
    rules = AppointmentRules(first="09:00", last="12:30", minutes=60, rigs=list(RIGS))
    for number, rig in enumerate(RIGS):
        book(registry, lead(registry), clock.now + 4 * HOUR, rig, 60)
        book(registry, lead(registry), clock.now + (76 + number) * HOUR, "rig-1", 60)
    book(registry, lead(registry), clock.now + 5 * HOUR, "elsewhere", 60)
    days = list(days_ahead(appointments_of(registry), rules, "rig-1", clock.now.date(), 3))
    assert [(one.day.isoformat(), one.booked, one.free) for one in days] == [
        ("2026-01-02", 2, 4), ("2026-01-05", 2, 4), ("2026-01-06", 0, 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("book", "{code}", "--at", "tomorrow"), "must be a time such as"),
        (("book", "{code}", "--at", "2126-12-03"), "lacks the time of day"),
        (("book", "{code}", "--at", "2020-12-03 10:00"), "has passed"),
        (("book", "{booked}", "--at", "2126-12-04 10:00"), "already; move that appointment"),
        (("book", "{code}", "--at", "2126-12-03 10:30"), "name another time or PC"),
        (("book", "{gone}", "--at", "2126-12-04 10:00"), "withdr"),
        (("move", "{code}", "--at", "2126-12-04 10:00"), "no appointment ahead"),
        (("cancel", "{code}"), "no appointment ahead"),
        (("appointments", "--day", "monday"), "must be a day such as"),
    ],
)
def test_what_cannot_be_booked_is_refused_in_one_line(lab, words, why, capsys):
    registry = Registry.of(lab, new=True)
    codes = {name: lead(registry) for name in ("code", "booked", "gone")}
    registry.record_withdrawal(codes["gone"])
    registry.close()
    printed(capsys, "participants", "book", codes["booked"], "--at", "2126-12-03 10:00")
    line = refused(capsys, "participants", *(word.format(**codes) for word in words))
    assert why in line


def test_appointments_are_in_a_backup_and_go_with_a_withdrawal(
    lab, registry, clock, tmp_path, capsys
):
    stays, goes = lead(registry), lead(registry)
    for number, code in enumerate((stays, goes)):
        book(registry, code, clock.now + (2 + number) * HOUR, "rig-1", 60)
    registry.transact(lambda found: found.execute(update(appointments).values(study="s")))
    lab.data.make()
    back_up(lab, tmp_path / "kept", clock.now, thorough=False)
    assert len(printed_json(capsys, "participants", "show", goes)["appointments"]) == 1
    printed(capsys, "participants", "withdraw", goes, "--yes")
    assert [one.code for one in appointments_of(registry)] == [stays]
    restore(tmp_path / "kept", tmp_path / "again")
    with closing(Registry.of(LabFolder.open(tmp_path / "again"))) as again:
        assert [one.code for one in appointments_of(again)] == [stays]

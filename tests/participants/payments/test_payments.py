"""What people earn, what of it was paid, and that nothing is paid twice."""

import csv
import random
from datetime import UTC, timedelta

import pytest

from participants.clock import utc_text
from participants.folder import LabFolder
from participants.journal import Event, Journal
from participants.lab_settings import PaymentRules
from participants.payments.ledger import accounts_of, active_minutes, mark_paid
from participants.payments.options import PaymentOptions
from participants.registry import Registry
from participants.registry.tables import payments
from tests.participants.commands import printed, printed_json, refused
from tests.participants.registry.people import Clock, session_of

RULES = '[payment]\ncurrency = "CHF"\nper_session = 5.0\nper_hour = 12.0\nround_up_min = 15\n'


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    path = LabFolder.make().root / "lab.toml"
    text = path.read_text(encoding="utf-8")
    before, _, after = text.partition("[payment]")
    path.write_text(before + RULES + after[after.index("# The blanks") :], encoding="utf-8")
    return LabFolder.open()


@pytest.fixture
def registry(lab, clock):
    opened = Registry.open(lab.registry_url, clock)
    yield opened
    opened.close()


def sat(registry, clock, minutes, *, number=1, complete=True, purpose="main", code=None):
    """Let somebody sit so many minutes in a session, and return the code."""
    code = code or registry.enrol("participant", purpose=purpose)
    session = f"{code}-{number}"
    new = {"role": "participant", "study": f"study-{number}", "purpose": purpose}
    registry.start_session(session_of(code, session, **new))
    clock.wait(60 * minutes)
    registry.finish_session(session, complete=complete)
    return code


@pytest.mark.parametrize(
    ("minutes", "complete", "cents"),
    [(0, True, 500), (1, True, 800), (15, True, 800), (15.5, True, 1100), (50, False, 1200),
     (None, True, 500), (None, False, 0)],
)  # fmt: skip
def test_an_amount_is_that_of_the_rules(minutes, complete, cents):
    rules = PaymentRules(per_session=5.0, per_hour=12.0, round_up_min=15)
    assert rules.cents(minutes, complete=complete) == cents


def test_a_payment_is_counted_once_however_often_it_is_marked(lab, registry, clock):
    """Sessions end, go on and are marked in any order: what was paid is what was earned."""
    draw = random.Random(7)
    earned = {}
    for number in range(1, 13):
        # Without a journal nobody knows the time of a session that passes midnight.
        tomorrow = (clock.now + timedelta(days=1)).astimezone()
        clock.now = tomorrow.replace(hour=9).astimezone(UTC)
        minutes = draw.choice((5, 20, 45))
        code = sat(registry, clock, minutes, number=number)
        earned[code] = 500 + round(1200 * -(-minutes // 15) / 4)
        for _ in range(draw.randrange(3)):
            mark_paid(lab, registry, PaymentOptions())
    mark_paid(lab, registry, PaymentOptions())
    rows = registry.transact(lambda found: found.execute(payments.select()).all())
    assert {row.code: row.cents for row in rows} == earned
    assert len(rows) == len(earned)
    accounts = accounts_of(lab, registry, PaymentOptions())
    assert {one.code: one.paid_cents for one in accounts} == earned
    assert sum(one.due_cents for one in accounts) == 0


def test_who_goes_on_after_a_payment_gets_the_rest(lab, registry, clock):
    code = sat(registry, clock, 15)
    (before,) = mark_paid(lab, registry, PaymentOptions(cents=300))
    (after,) = mark_paid(lab, registry, PaymentOptions())
    assert (before.due_cents, after.paid_cents, after.due_cents) == (300, 300, 500)
    (settled,) = accounts_of(lab, registry, PaymentOptions(cents=100))
    assert (settled.code, settled.paid_cents, settled.due_cents) == (code, 800, 0)


def test_only_people_who_took_part_are_paid(lab, registry, clock):
    codes = {sat(registry, clock, 20), sat(registry, clock, 20, purpose="pilot")}
    for purpose in ("test", "robot"):
        sat(registry, clock, 20, purpose=purpose)
    declined = sat(registry, clock, 2, complete=False)
    registry.leave_session(f"{declined}-1", "declined")
    running = registry.enrol("participant")
    registry.start_session(session_of(running, "now", role="participant"))
    assert {one.code for one in accounts_of(lab, registry, PaymentOptions())} == codes


def test_sessions_of_a_period_are_those_of_its_days(lab, registry, clock):
    days = []
    for number in range(1, 6):
        sat(registry, clock, 30, number=number)
        days.append(clock.now.astimezone().date())
        clock.wait(86400)
    found = accounts_of(lab, registry, PaymentOptions(since=days[1], until=days[3]))
    assert sorted(one.date for one in found) == days[1:4]


def test_minutes_are_those_of_all_sittings():
    """The days between two sittings, and a part that was cut off, don't count."""
    parts = [("session", 0), ("page", 600), ("session", 200_000), ("page", 200_300),
             ("session", 300_000), ("session_end", 300_300)]  # fmt: skip
    began = Clock().now
    events = [
        Event(kind, number, 0.0, utc_text(began + timedelta(seconds=at_s)), {})
        for number, (kind, at_s) in enumerate(parts, 1)
    ]
    assert active_minutes(Journal(tuple(events), b"", (), 0)) == pytest.approx(20.0)


def test_somebody_who_withdrew_leaves_a_sum_without_a_name(lab, registry, clock, capsys):
    code = sat(registry, clock, 20)
    mark_paid(lab, registry, PaymentOptions())
    registry.record_withdrawal(code)
    printed(capsys, "participants", "withdraw", code, "--yes")
    (row,) = registry.transact(lambda found: found.execute(payments.select()).all())
    assert (row.code, row.session, row.cents, row.currency) == (None, None, 1100, "CHF")
    assert printed_json(capsys, "participants", "payments") == []


def test_the_command_writes_what_is_due_and_marks_it(registry, clock, capsys, tmp_path):
    code = sat(registry, clock, 20)
    out = tmp_path / "november.csv"
    words = ["participants", "payments", "--unpaid", "--out", out]
    assert "11.00 CHF marked as paid now, to 1 person" in printed(capsys, *words, "--mark-paid")
    (row,) = csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines())
    assert (row["code"], row["minutes"], row["due"], row["paid_on"]) == (code, "20", "11.00", "")
    assert "nothing due" in printed(capsys, *words)
    assert "1100" in printed(capsys, "participants", "show", code)


def test_a_mistake_is_one_line(registry, capsys):
    for option, value in (("--since", "1.11.2026"), ("--amount", "a lot")):
        assert value in refused(capsys, "participants", "payments", option, value)

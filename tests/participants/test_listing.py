"""Lists on the terminal: whatever its width, codes, ids and dates stay whole."""

import io
import sys
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.command_line import MINUTE, show_rows, whole_minute_from
from participants.registry.people import new_code

ROWS = [
    {
        "session": f"20261123T101530Z-{new_code()}",
        "study": "accept_reject_accuracy",
        "protocol_hash": f"{number:x}" * 64,
        "started_utc": "2026-11-23T10:15:30.000000Z",
        "text": "The fire alarm rang, and everybody waited outside for ten minutes.",
        "rig": "rig-in-the-basement",
    }
    for number in range(2)
]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("columns", [40, 130])
@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_nothing_but_prose_is_broken(monkeypatch, columns, stream):
    """At 80 columns codes lost their check character, and dates were broken."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")  # rich asks a plain terminal for both or for neither
    monkeypatch.setenv("TERM", "dumb")
    out = stream()
    monkeypatch.setattr(sys, "stdout", out)
    show_rows(ROWS)
    shown = out.getvalue()
    lines = shown.splitlines()
    hour = datetime.fromisoformat(ROWS[0]["started_utc"]).astimezone().strftime("%Y-%m-%d %H:%M")
    for row in ROWS:
        for whole in (row["session"], row["protocol_hash"][:12], hour, row["rig"], row["study"]):
            assert any(whole in line for line in lines), whole
        assert row["protocol_hash"] not in shown
    assert set(ROWS[0]["text"].split()) <= set(shown.split())
    if stream is io.StringIO:
        assert len(lines) == 1 + len(ROWS)
    else:
        assert max(map(len, lines)) <= columns


@given(st.datetimes(datetime(2026, 1, 1), datetime(2026, 2, 1), timezones=st.just(UTC)))
def test_who_comes_at_the_minute_that_is_shown_is_not_too_early(begins):
    shown = datetime.strptime(whole_minute_from(begins.isoformat()), MINUTE).astimezone()
    assert timedelta(0) <= shown - begins < timedelta(minutes=1)

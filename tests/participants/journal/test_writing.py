"""Journals written and resumed: checked, chained, and never over another."""

import hashlib
import json
import tempfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from participants.journal import JournalError, JournalWriter, read_journal
from participants.journal.storage import FIRST_LINK
from stimuli.errors import UserError
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER, TRIAL_END, write_trial


def test_lines_chain_as_documented(written):
    previous = FIRST_LINK
    for text in written.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        chain = line.pop("chain")
        canonical = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256((previous + canonical).encode("utf-8")).hexdigest()
        assert chain == previous


def test_every_stamp_has_both_clocks(path):
    with JournalWriter.create(path, HEADER, FixedClock()) as writer:
        writer.append("pause", reason="", t_monotonic_s=90.0)
        writer.append("continue")
    session, pause, goes_on = read_journal(path).events
    apart_s = datetime.fromisoformat(goes_on.t_utc) - datetime.fromisoformat(pause.t_utc)
    assert apart_s.total_seconds() == pytest.approx(goes_on.t_monotonic_s - 90.0)
    assert session.t_utc.endswith("Z")


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("pause", {}),
        ("pause", {"reason": 3}),
        ("pause", {"reason": "x", "more": 1}),
        ("no_such_event", {}),
        ("session", {}),
        ("trial_end", {**TRIAL_END, "trial": 1, "position": 1, "presentation": "p1"}),
        (
            "trigger",
            {"what": "x", "trial": 1, "code": 256, "took_s": 0.0, "sent": True, "reason": ""},
        ),
        ("answer", {"step": "a", "question": "b", "value": float("inf")}),
        ("answer", {"step": "a", "question": "b", "value": object()}),
    ],
)
def test_what_the_schema_does_not_know_is_refused_before_anything_is_written(path, event, fields):
    with JournalWriter.create(path, HEADER) as writer:
        writer.append("flip", what="plate_on", trial=1, frame=0)
        with pytest.raises(ValueError, match=r"no event|session event|validation error"):
            writer.append(event, durable=True, **fields)
        writer.append("pause", reason="after")
    assert [event.event for event in read_journal(path).events] == ["session", "flip", "pause"]


@pytest.mark.parametrize(
    "change",
    [{"schema": "journal/1.0"}, {"resumed": True}, {"extra": 1}, {"role": "king"}],
)
def test_a_wrong_header_leaves_no_file(path, change):
    with pytest.raises(ValueError, match=r"fills in|validation error"):
        JournalWriter.create(path, {**HEADER, **change})
    assert not path.exists()


def test_timed_events_wait_in_memory_for_the_next_durable_one(path):
    with JournalWriter.create(path, HEADER) as writer:
        size = path.stat().st_size
        writer.append("flip", what="plate_on", trial=1, frame=0)
        writer.append("response", trial=1, device="keyboard", key="f")
        assert path.stat().st_size == size
        writer.append("pause", reason="")
        assert len(read_journal(path).events) == 4


def test_a_new_session_never_overwrites_a_journal(written):
    before = written.read_bytes()
    with pytest.raises(JournalError, match="exists already"):
        JournalWriter.create(written, HEADER)
    assert written.read_bytes() == before


def test_a_torn_tail_is_set_aside_and_the_chain_goes_on(written):
    data = written.read_bytes()
    start = data[:-1].rfind(b"\n") + 1
    for end in range(start, len(data), 41):
        written.write_bytes(data[:end])
        with JournalWriter.resume(written, HEADER) as writer:
            write_trial(writer, 2)
        journal = read_journal(written)
        assert written.read_bytes().startswith(data[:start])
        assert [event["trial"] for event in journal.of("trial_end")] == [1, 2]
        assert journal.of("session")[-1]["resumed"]
    torn = written.with_suffix(".torn").read_bytes()
    assert torn.count(b"# torn line") == len(range(start, len(data), 41)) - 1
    for end in range(start + 41, len(data), 41):
        assert b"bytes\n" + data[start:end] + b"\n" in torn


def test_a_session_that_never_began_can_be_resumed(path):
    path.parent.mkdir()
    path.write_bytes(b'{"event":"sess')
    with pytest.raises(UserError, match="never began"):
        _ = read_journal(path).header
    with JournalWriter.resume(path, HEADER) as writer:
        write_trial(writer, 1)
    assert len(read_journal(path).of("trial_end")) == 1


def test_a_complete_session_is_not_resumed(written):
    with JournalWriter.resume(written, HEADER) as writer:
        writer.append("session_end", complete=True)
    with pytest.raises(UserError, match="complete"):
        JournalWriter.resume(written, HEADER)


def test_a_changed_journal_is_not_resumed_and_not_touched(written):
    changed = written.read_bytes().replace(b'"rt_s":1.25', b'"rt_s":1.26', 1)
    written.write_bytes(changed)
    with pytest.raises(UserError, match="line 6"):
        JournalWriter.resume(written, HEADER)
    assert written.read_bytes() == changed


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=VALUES, reason=TEXTS)
def test_whatever_a_person_writes_comes_back(tmp_path, value, reason):
    path = Path(tempfile.mkdtemp(dir=tmp_path)) / "journal.jsonl"
    with JournalWriter.create(path, HEADER) as writer:
        writer.append("answer", step="a", question="b", value=value)
        writer.append("abort", reason=reason)
    _, answer, abort = read_journal(path).events
    assert answer["value"] == value
    assert abort["reason"] == reason

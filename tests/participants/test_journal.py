import errno
import hashlib
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from participants.journal import JournalError, JournalWriter, read_journal, storage
from participants.journal.chain import FIRST_LINK, line_text, link
from participants.journal.events import EVENTS
from participants.journal.reader import journal_from_bytes
from stimuli.errors import UserError

sys.path.insert(0, str(Path(__file__).parent / "workers"))
from journals import HEADER, TRIAL_END, write_trial

GOLDEN = Path(__file__).parents[1] / "golden" / "journal-1.0" / "journal.jsonl"
KILLS = 6

posix = pytest.mark.skipif(os.name != "posix", reason="limits and owners of POSIX systems")


@dataclass
class FixedClock:
    """Ticks a quarter of a second at each look at the monotonic time."""

    ticks: int = 0

    def monotonic_s(self):
        self.ticks += 1
        return 100 + self.ticks / 4

    def utc(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.ticks / 4)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session" / "journal.jsonl"


@pytest.fixture
def written(path):
    with JournalWriter.create(path, HEADER) as writer:
        write_trial(writer, 1)
        write_trial(writer, 2)
    return path


def write_golden(path):
    with JournalWriter.create(path, HEADER, FixedClock()) as writer:
        agreed = {"version": "1.0", "sha256": "1" * 64, "language": "de", "agreed": True}
        writer.append("consent", text="consent", **agreed)
        writer.append("page", step="instructions", name="instructions", shown_s=9.5, answers={})
        writer.append("check", step="check", attempt=1, answers={"seen": "accept"}, passed=True)
        write_trial(writer, 1)
        writer.append("clock", offset_s=1.75e9, stepped=False)
        writer.append("pause", reason="Tür")
        writer.append("continue")
        writer.append("abort", reason="fire alarm")
    with JournalWriter.resume(path, HEADER, FixedClock()) as writer:
        write_trial(writer, 2)
        writer.append("answer", step="relied_on", question="relied_on", value="numeral")
        writer.append("session_end", complete=True)


def test_golden_journal_1_0_reads():
    journal = read_journal(GOLDEN)
    assert {event.event for event in journal.events} == set(EVENTS["accept_reject"])
    assert journal.complete
    assert journal.header["participant"] == "K7RTMXF"
    assert [event["resumed"] for event in journal.of("session")] == [False, True]


def test_golden_journal_is_still_written_the_same(path):
    write_golden(path)
    assert path.read_bytes() == GOLDEN.read_bytes()


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
        ("trial_end", {**TRIAL_END, "trial": 1, "position": 1}),
        ("clock", {"offset_s": float("nan"), "stepped": False}),
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


def test_any_changed_byte_is_detected(written):
    data = written.read_bytes()
    for at in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            changed = data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :]
            line = data[:at].count(b"\n") + 1
            if at == len(data) - 1:
                journal = journal_from_bytes(changed, "x")
                assert journal.torn, "without its line end the last line counts as cut short"
                continue
            with pytest.raises(UserError, match=rf"^x, line {line}\b"):
                journal_from_bytes(changed, "x")


def test_a_missing_doubled_or_swapped_line_is_named(written):
    lines = written.read_bytes().splitlines(keepends=True)
    for at in range(len(lines) - 1):
        missing = lines[:at] + lines[at + 1 :]
        doubled = lines[: at + 1] + lines[at:]
        swapped = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
        for broken, line in ((missing, at + 1), (doubled, at + 2), (swapped, at + 1)):
            with pytest.raises(UserError, match=rf"^x, line {line}: .*(missing|out of order)"):
                journal_from_bytes(b"".join(broken), "x")


def test_a_line_that_says_the_same_in_other_bytes_is_refused(written):
    data = written.read_bytes()
    for old, new in ((b'"seq":2', b'"seq": 2'), (b"1e-09", b"0.000000001"), (b"\n", b"\r\n")):
        assert old in data
        with pytest.raises(UserError, match=r"the file was changed"):
            journal_from_bytes(data.replace(old, new, 1), "x")


def test_a_forged_line_with_a_right_chain_still_meets_the_schema(written):
    journal = read_journal(written)
    line = {"event": "pause", "seq": 12, "t_monotonic_s": 1.0, "t_utc": "x", "reason": 5}
    forged = line_text({**line, "chain": link(journal.chain, line)})
    with pytest.raises(UserError, match=r"line 12: pause: reason"):
        journal_from_bytes(written.read_bytes() + forged, "x")


def test_a_newer_journal_is_one_clear_line(path):
    line = {
        "event": "session",
        "seq": 1,
        "t_monotonic_s": 1.0,
        "t_utc": "x",
        "schema": "journal/1.9",
    }
    with pytest.raises(UserError, match=r"newer version \(journal/1\.9\)"):
        journal_from_bytes(line_text({**line, "chain": link(FIRST_LINK, line)}), "x")


def test_a_tail_torn_at_any_byte_is_tolerated(written):
    data = written.read_bytes()
    start = data[:-1].rfind(b"\n") + 1
    whole = journal_from_bytes(data[:start], "x").events
    for end in range(start, len(data)):
        journal = journal_from_bytes(data[:end], "x")
        assert journal.events == whole
        assert journal.torn == data[start:end]


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


def test_a_tail_of_zeros_after_a_power_cut_is_torn(written):
    data = written.read_bytes()
    journal = journal_from_bytes(data + bytes(4096), "x")
    assert len(journal.torn) == 4096
    assert len(journal.events) == 11


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


def test_two_writers_of_one_journal_are_one_too_many(path, start):
    other = start("write_until_killed", path, 1)
    assert other.stdout.readline() == "0\n"
    with pytest.raises(JournalError, match="running already"):
        JournalWriter.resume(path, HEADER)
    other.kill()
    other.wait()
    JournalWriter.resume(path, HEADER).close()


def test_a_journal_killed_at_random_moments_loses_no_finished_trial(path, start):
    """What was acknowledged before kill -9 is there, in order, after any number of kills."""
    moments = random.Random(5)
    acknowledged = 0
    for _ in range(KILLS):
        worker = start("write_until_killed", path, acknowledged + 1)
        for _ in range(moments.randrange(1, 40)):
            acknowledged = max(acknowledged, int(worker.stdout.readline()))
        time.sleep(moments.random() * 0.005)
        worker.kill()
        rest = worker.communicate()[0].split()
        acknowledged = max([acknowledged, *map(int, rest)])
        trials = [event["trial"] for event in read_journal(path).of("trial_end")]
        assert trials == list(range(1, len(trials) + 1))
        assert acknowledged <= len(trials) <= acknowledged + 1
        acknowledged = len(trials)
    assert len(read_journal(path).of("session")) == KILLS


@posix
@pytest.mark.parametrize("spare_bytes", [0, 1, 200, 700])
def test_a_full_disk_is_one_line_and_never_breaks_the_chain(path, start, spare_bytes):
    out, _ = start("write_to_full_disk", path, spare_bytes).communicate()
    assert out == "ok\n"


@posix
def test_a_full_disk_at_the_start_leaves_the_id_free(path, monkeypatch):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_sync", full)
        with pytest.raises(JournalError, match="No space left"):
            JournalWriter.create(path, HEADER)
    assert not path.exists()
    JournalWriter.create(path, HEADER).close()


def test_what_a_failed_sync_may_have_lost_is_written_again(path, monkeypatch):
    def broken(_descriptor):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with JournalWriter.create(path, HEADER) as writer:
        size = path.stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(storage, "_sync", broken)
            with pytest.raises(JournalError, match="Input/output error"):
                write_trial(writer, 1)
        assert path.stat().st_size == size
        write_trial(writer, 2)
    assert [event["trial"] for event in read_journal(path).of("trial_end")] == [1, 2]


def test_junk_that_a_failed_append_left_is_not_kept(path, monkeypatch):
    with JournalWriter.create(path, HEADER) as writer:
        with path.open("ab") as stream:
            stream.write(b"x" * 5000)
        write_trial(writer, 1)
    journal = read_journal(path)
    assert not journal.torn
    assert len(journal.of("trial_end")) == 1


@posix
def test_read_only_folders_are_one_line_and_a_running_session_goes_on(start):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "locked").mkdir()
        (folder / "locked").chmod(0o555)
        out, _ = start("write_unprivileged", folder).communicate()
    assert out == "ok\n"


@posix
@pytest.mark.parametrize("away", ["deleted", "moved", "folder deleted"])
def test_a_journal_taken_away_is_saved_whole_under_another_name(path, away):
    writer = JournalWriter.create(path, HEADER)
    write_trial(writer, 1)
    if away == "moved":
        path.rename(path.with_name("elsewhere"))
    else:
        path.unlink()
    if away == "folder deleted":
        path.with_suffix(".lock").unlink()
        path.parent.rmdir()
    with pytest.raises(JournalError, match=r"all of it was saved as journal\..*\.rescued") as error:
        write_trial(writer, 2)
    assert "\n" not in str(error.value)
    (rescued,) = path.parent.glob("*.rescued")
    assert [event["trial"] for event in read_journal(rescued).of("trial_end")] == [1, 2]


def test_a_journal_cut_short_by_another_program_stops_the_session(path):
    writer = JournalWriter.create(path, HEADER)
    write_trial(writer, 1)
    os.truncate(path, 10)
    with pytest.raises(JournalError, match="cut short by another program"):
        write_trial(writer, 2)


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

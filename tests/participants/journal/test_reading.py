"""Journals read, and every change to a file is noticed."""

from pathlib import Path

import pytest

from participants.journal import JournalWriter, read_journal
from participants.journal.reader import journal_from_bytes, vocabulary
from participants.journal.storage import FIRST_LINK, line_text, link
from participants.strokes import act_from, mask_of, mask_sha256
from stimuli.errors import UserError
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER, write_trial

GOLDEN = Path(__file__).parents[2] / "golden"
NOW = GOLDEN / "journals" / "journal.jsonl"
GOLDEN_ANNOTATION = GOLDEN / "journals" / "annotation.jsonl"

TAKEN = {"took_s": 0.0001, "sent": True, "reason": ""}
COMPARED = {
    "at": "block", "offset_s": 1.75e9, "stepped": False, "stimulus_clock": "GetSecs",
    "stimulus_offset_s": -1.75e9, "stimulus_span_s": 1e-06, "stimulus_step_s": 0.0,
}  # fmt: skip

FOUND = {"check": "calibration", "status": "fail", "found": "never measured"}
CHECKED = {"findings": [FOUND], "overridden": ["calibration"], "reason": "Probe"}
CONFIRMED = {
    "source": "asked", "language": "de", "version": "1.0", "sha256": "2" * 64,
    "holds": {"night_light": True, "warm_up": False}, "values": {"distance_cm": 57.0},
    "reasons": {"warm_up": "Umbau"},
}  # fmt: skip


def write_golden(path):
    with JournalWriter.create(path, HEADER, FixedClock()) as writer:
        writer.append("checks", **CHECKED)
        writer.append("checklist", **CONFIRMED)
        agreed = {"version": "1.0", "sha256": "1" * 64, "language": "de", "agreed": True}
        writer.append("consent", text="consent", **agreed)
        writer.append("page", step="instructions", name="instructions", shown_s=9.5, answers={})
        writer.append("check", step="check", attempt=1, answers={"seen": "accept"}, passed=True)
        write_trial(writer, 1)
        writer.append("trigger", what="plate_on", trial=1, code=1, **TAKEN)
        writer.append("clock", **COMPARED)
        writer.append("focus", here=False)
        writer.append("focus", here=True)
        writer.append("pause", reason="Tür")
        writer.append("note", at="pause", text="Tür offen")
        writer.append("continue")
        writer.append("abort", reason="fire alarm")
    with JournalWriter.resume(path, HEADER, FixedClock()) as writer:
        write_trial(writer, 2)
        write_trial(writer, 3, repeat_of=1)
        writer.append("answer", step="relied_on", question="relied_on", value="numeral")
        writer.append("session_end", complete=True)
        writer.append("note", at="end", text="left early")


def test_the_golden_journal_reads():
    journal = read_journal(NOW)
    assert {event.event for event in journal.events} == set(vocabulary(HEADER))
    assert journal.complete
    assert journal.header["participant"] == "K7RTMXF"
    assert [event["resumed"] for event in journal.of("session")] == [False, True]


def test_golden_journal_is_still_written_the_same(path):
    write_golden(path)
    assert path.read_bytes() == NOW.read_bytes()


def test_any_changed_byte_is_detected(written):
    """Every byte, by one of three flips of its bits in turn."""
    data = written.read_bytes()
    for at in range(len(data)):
        flip = (0x01, 0x20, 0x80)[at % 3]
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


def test_a_session_of_a_study_that_isnt_known_here_is_one_clear_line():
    line = {"event": "session", "seq": 1, "t_monotonic_s": 1.0, "t_utc": "x"}
    line |= {"schema": "journal/1.0", "study": "moods", "role": "participant"}
    with pytest.raises(UserError) as refused:
        journal_from_bytes(line_text({**line, "chain": link(FIRST_LINK, line)}), "x")
    assert str(refused.value) == (
        "x, line 1: study 'moods' is unknown here; add its folder to `studies` in lab.toml"
    )


def test_a_tail_torn_at_any_byte_is_tolerated(written):
    data = written.read_bytes()
    start = data[:-1].rfind(b"\n") + 1
    whole = journal_from_bytes(data[:start], "x").events
    for end in range(start, len(data)):
        journal = journal_from_bytes(data[:end], "x")
        assert journal.events == whole
        assert journal.torn == data[start:end]


def test_a_tail_of_zeros_after_a_power_cut_is_torn(written):
    data = written.read_bytes()
    journal = journal_from_bytes(data + bytes(4096), "x")
    assert len(journal.torn) == 4096
    assert len(journal.events) == 11


@pytest.mark.parametrize("depth", [100, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_line_nested_too_deeply_to_be_read_is_a_damaged_line(written, depth, opening, closing):
    nested = opening * depth + b"1" + closing * depth + b"\n"
    with pytest.raises(UserError, match=r"^x, line 12: is not a line of a journal"):
        journal_from_bytes(written.read_bytes() + nested, "x")


def test_an_experts_golden_journal_reads_and_its_mask_is_still_the_same():
    journal = read_journal(GOLDEN_ANNOTATION)
    (end,) = journal.of("trial_end")
    assert journal.complete
    assert end["label"] == "7"
    acts = [act_from(document) for document in end["acts"]]
    assert [act.act for act in acts] == ["brush", "undo", "brush", "eraser"]
    assert mask_sha256(mask_of(acts)) == end["mask_sha256"]

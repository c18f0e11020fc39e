"""Journals of rounds in which an image is uncovered: what they hold, and what they refuse."""

from pathlib import Path

import pytest

from participants.journal import JournalWriter, read_journal
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER

GOLDEN = Path(__file__).parents[3] / "golden" / "journals" / "progressive_reveal.jsonl"
REVEAL = HEADER | {
    "role": "participant", "study": "progressive_reveal", "order": "as_listed",
    "accept_key": "", "reject_key": "",
}  # fmt: skip
SHOWN = {"trial": 1, "phase": "main", "sitting": 1, "position": 1, "presentation": "p1"}
TYPED = [
    {"t_s": 4.5, "key": "b", "text": "b", "entry": "b", "caret": 1},
    {"t_s": 4.75, "key": "a", "text": "ä", "entry": "bä", "caret": 2},
    {"t_s": 5.5, "key": "click", "text": "", "entry": "Bär", "caret": 3},
]
ANSWER = {
    "t_s": 5.5, "first_key_s": 4.5, "text": "Bär", "class_id": "bear", "right": True,
    "device": "mouse",
}  # fmt: skip
END = SHOWN | {
    "keystrokes": TYPED, "attempts": [ANSWER], "step_onsets_s": [0.0, 4.0], "recognised": True,
    "step": 2, "pixels": 250, "step_first_key": 2, "pixels_first_key": 250, "left": False,
    "onset_t_monotonic_s": 104.25, "frames_planned": None, "frames_shown": 330,
    "frames_dropped": 0, "longest_interval_s": 0.017, "flagged": False,
}  # fmt: skip
COPIED = {"word": "Bär", "onset_t_monotonic_s": 90.0, "keystrokes": TYPED, "done_s": 5.5}


def write_golden(path):
    with JournalWriter.create(path, REVEAL, FixedClock()) as writer:
        writer.append("copy", step="copying", words=[COPIED])
        writer.append("trial_start", **SHOWN, image_sha256="4" * 64)
        writer.append("flip", what="image_on", trial=1, frame=0, step=1)
        writer.append("flip", what="step", trial=1, frame=240, step=2)
        writer.append("response", trial=1, device="mouse", key="left")
        writer.append("flip", what="image_off", trial=1, frame=330, step=None)
        writer.append("trial_end", **END)
        writer.append("abort", reason="sitting_end")
        writer.append("session_end", complete=False)


def test_the_golden_journal_reads_and_is_still_written_the_same(path):
    journal = read_journal(GOLDEN)
    assert dict(journal.of("trial_end")[0].fields) == END
    assert journal.of("copy")[0]["words"] == [COPIED]
    assert [flip["step"] for flip in journal.of("flip")] == [1, 2, None]
    write_golden(path)
    assert path.read_bytes() == GOLDEN.read_bytes()


def test_a_rounds_start_is_on_disk_at_once(path):
    """Else a session that is killed in mid-round would show the image a second time."""
    with JournalWriter.create(path, REVEAL, FixedClock()) as writer:
        writer.append("trial_start", **SHOWN, image_sha256="")
        assert [event.event for event in read_journal(path).events] == ["session", "trial_start"]
        writer.append("flip", what="image_on", trial=1, frame=0, step=1)
        assert len(read_journal(path).events) == 2


@pytest.mark.parametrize(
    ("event", "fields", "says"),
    [
        ("flip", {"what": "plate_on", "trial": 1, "frame": 0, "step": 1}, "what"),
        ("flip", {"what": "image_on", "trial": 1, "frame": 0}, "step"),
        ("trial_end", END | {"keystrokes": [{"t_s": 1.0}]}, "keystrokes"),
        ("trial_end", END | {"attempts": [ANSWER | {"t_s": float("nan")}]}, "attempts"),
        ("trial_end", END | {"pixels": -1}, "pixels"),
        ("trial_end", END | {"decision": "accept"}, "decision"),
    ],
)
def test_what_is_no_event_of_a_round_is_refused(path, event, fields, says):
    with (
        JournalWriter.create(path, REVEAL, FixedClock()) as writer,
        pytest.raises(ValueError, match=says),
    ):
        writer.append(event, **fields)

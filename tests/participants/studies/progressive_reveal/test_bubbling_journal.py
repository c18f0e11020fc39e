"""Journals in which images are marked by bubbles: what they hold, and what they refuse."""

from pathlib import Path

import pytest

from participants.journal import JournalWriter, read_journal
from participants.strokes import act_from
from participants.studies.progressive_reveal.bubbles import bubble_counts, counts_sha256
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER

GOLDEN = Path(__file__).parents[3] / "golden" / "journals" / "bubbling.jsonl"
BUBBLING = HEADER | {
    "role": "expert", "study": "progressive_reveal", "list": "", "order": "",
    "accept_key": "", "reject_key": "",
}  # fmt: skip
SHOWN = {"trial": 1, "phase": "main", "position": 1, "item": "bear/2.png"}
ACROSS = {"act": "brush", "t_ms": 900, "radius": 36, "points": [900, 400, 512, 1050, 520, 512]}
SLIP = {"act": "brush", "t_ms": 1400, "radius": 36, "points": [1400, 80, 80]}
AGAIN = {"act": "brush", "t_ms": 3000, "radius": 36, "points": [3000, 400, 512, 3100, 400, 560]}
UNDO = {"act": "undo", "t_ms": 1800, "radius": 0, "points": []}
CLEAR = {"act": "clear", "t_ms": 2500, "radius": 0, "points": []}
END = SHOWN | {
    "done_s": 4.25, "acts": [ACROSS, SLIP, UNDO, CLEAR, AGAIN], "bubble_px": 18, "bubble_ms": 50,
    "counts_sha256": "65a332f176a782f204ec22a47f71f8ba12db8869573903b4285fbcf40fbce0c5",
    "area": 0.00824, "interruptions": 1, "onset_t_monotonic_s": 100.75, "frames_planned": None,
    "frames_shown": 255, "frames_dropped": 0,
    "longest_interval_s": 0.017, "flagged": False,
}  # fmt: skip


def write_golden(path):
    with JournalWriter.create(path, BUBBLING, FixedClock()) as writer:
        writer.append("trial_start", **SHOWN, image_sha256="5" * 64)
        writer.append("flip", what="plate_on", trial=1, frame=0)
        writer.append("flip", what="plate_off", trial=1, frame=120)
        writer.append("flip", what="plate_on", trial=1, frame=0)
        writer.append("response", trial=1, device="keyboard", key="return")
        writer.append("flip", what="plate_off", trial=1, frame=135)
        writer.append("trial_end", durable=True, **END)
        writer.append("session_end", complete=True)


def test_the_golden_journal_reads_and_is_still_written_the_same(path):
    journal = read_journal(GOLDEN)
    assert journal.complete
    assert dict(journal.of("trial_end")[0].fields) == END
    write_golden(path)
    assert path.read_bytes() == GOLDEN.read_bytes()


def test_the_golden_journals_bubbles_are_still_the_same():
    """Three bubbles of the last stroke are left, 18 pixels wide and high, each six further down.

    Its pointer goes 48 quarters of a pixel down in 100 ms, 24 of them from bubble to bubble.
    """
    (end,) = read_journal(GOLDEN).of("trial_end")
    counts = bubble_counts([act_from(document) for document in end["acts"]])
    assert counts_sha256(counts) == end["counts_sha256"]
    assert counts.sum() == 3 * 18 * 18
    assert counts[:, 100].tolist() == [
        sum(first <= row < first + 18 for first in (119, 125, 131)) for row in range(256)
    ]
    assert end["area"] == round((18 + 12) * 18 / 256**2, 6)


@pytest.mark.parametrize(
    ("event", "fields", "says"),
    [
        ("trial_start", SHOWN | {"phase": "practice", "image_sha256": ""}, "phase"),
        ("trial_start", SHOWN | {"presentation": "p1", "image_sha256": ""}, "presentation"),
        ("trial_end", END | {"acts": [ACROSS | {"act": "eraser"}]}, "acts"),
        ("trial_end", END | {"acts": [ACROSS | {"points": [0.5]}]}, "acts"),
        ("trial_end", END | {"area": 1.5}, "area"),
        ("trial_end", END | {"keystrokes": []}, "keystrokes"),
    ],
)
def test_what_is_no_event_of_bubbling_is_refused(path, event, fields, says):
    with (
        JournalWriter.create(path, BUBBLING, FixedClock()) as writer,
        pytest.raises(ValueError, match=says),
    ):
        writer.append(event, **fields)

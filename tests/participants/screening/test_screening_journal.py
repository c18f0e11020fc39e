"""A screening's journal: the golden one reads, and is still written the same."""

from pathlib import Path

from participants.journal import JournalWriter, read_journal
from participants.screening.plan import plan_screening
from participants.session import done_steps
from tests.participants.journal.fixed_clock import FixedClock
from tests.participants.journal.workers.journals import HEADER
from tests.participants.screening.screenings import short_pack

GOLDEN = Path(__file__).parents[2] / "golden" / "journals" / "screening.jsonl"
SCREENED = {**HEADER, "role": "candidate", "list": "", "order": "", "pack_id": "screening-a1"}
FRAMES = {
    "onset_t_monotonic_s": 101.5, "frames_planned": None, "frames_shown": 60, "frames_dropped": 0,
    "longest_interval_s": 0.017, "flagged": False,
}  # fmt: skip
DECISION = {"role": "lead", "axis": "deutan", "reasons": ["red_green_raised", "d15_passed"]}
SCORE = {
    "angle_deg": 61.98, "major_radius": 9.23, "minor_radius": 6.71, "total_error": 11.42,
    "selectivity_index": 1.38, "confusion_index": 1.0,
}  # fmt: skip


def write_golden(path):
    with JournalWriter.create(path, SCREENED, FixedClock()) as writer:
        agreed = {"version": "1.0", "sha256": "1" * 64, "language": "de", "agreed": True}
        writer.append("consent", text="screening_consent", **agreed)
        writer.append("answer", step="told_result", question="told_result", value="yes")
        place = {"trial": 1, "procedure": "trivector", "number": 0}
        writer.append(
            "trial_start", **place, phase="gap", axis="deutan", excursion_1e4=1000.0, rung=0,
            expected="up", exposure_s=8.0, plate_sha256="2" * 64,
        )  # fmt: skip
        writer.append("trial_end", **place, answer="up", right=True, rt_s=1.25, lag_s=0.0, **FRAMES)
        for cap in range(1, 16):
            writer.append("cap_moved", cap=cap, place=cap)
        writer.append("cap_moved", cap=15, place=None)
        writer.append("cap_moved", cap=15, place=15)
        result = {"order": list(range(1, 16)), **SCORE}
        writer.append("screened", procedure="d15", result=result)
        writer.append("screened", procedure="decision", result=DECISION)
        writer.append("session_end", complete=True)


def test_the_golden_journal_reads_and_leaves_the_same_steps():
    journal = read_journal(GOLDEN)
    assert journal.complete
    assert journal.header["role"] == "candidate"
    done = done_steps(plan_screening(short_pack(), None, "en", "K7RTMXF"), journal.events)
    assert {"screening_consent", "told_result", "d15", "decision"} <= done
    assert not {"trivector", "titration-1", "verdict"} & done


def test_it_is_still_written_the_same(tmp_path):
    write_golden(tmp_path / "journal.jsonl")
    assert (tmp_path / "journal.jsonl").read_bytes() == GOLDEN.read_bytes()

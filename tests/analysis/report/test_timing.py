"""How well each rig timed its trials, and what spoils times is warned of."""

from types import SimpleNamespace

import pytest

from analysis.report.sessions import DRIVING, RIGS, Timing, rig_rows, timing_warnings
from tests.analysis.report.two_sessions import facts, journals, trials


def rig_tables(rows):
    """Return the tables of the section on timing."""
    frame = SimpleNamespace(timing=Timing(rows, []))
    return (*RIGS.parts(frame), *DRIVING.parts(frame))


def test_dropped_frames_are_counted_by_rig():
    first, second = rig_rows(trials(), None)
    assert (first.trials_with_drops, first.frames_dropped) == (1, 3)
    assert first.share_with_drops == 0.5
    assert (second.trials_with_drops, second.median_rt_s) == (0, 3.0)
    assert first.sessions is None
    assert len(rig_tables([first, second])) == 1


def test_what_spoils_times_is_warned_of():
    sessions = journals(
        facts(
            "s1",
            pacing="software",
            calibrated=False,
            clock_steps=2,
            largest_step_s=0.25,
            priority="normal",
        ),
        facts("s2", rig="r2"),
    )
    rows = rig_rows(trials(), sessions)
    said = " ".join(timing_warnings(rows))
    assert "not by a display, and 50.0 % of its trials lost at least one; onsets are not" in said
    assert "find out why" not in said
    assert "Rig r1: in 1 session the display’s colours were not measured" in said
    assert "Rig r1: in 1 session the process got no priority over others" in said
    assert "Rig r1: a clock was set 2 times during sessions; trials during" in said
    assert "Rig r2" not in said
    assert len(rig_tables(rows)) == 2
    assert rows[0].longest_interval_s == 0.034
    assert rows[0].largest_clock_step_s == 0.25
    assert "250.000" in rig_tables(rows)[1].rows[0]


def test_rigs_without_a_word_of_journals_or_rig_are_no_crash():
    assert rig_rows(trials().drop(columns="rig"), None) == []
    (row,) = rig_rows(trials(rig=None).drop(columns="frames_dropped"), None)
    assert (row.rig, row.frames_dropped) == (None, None)
    assert timing_warnings([row]) == []


@pytest.mark.parametrize(("checklist", "sessions"), [("asked", 1), ("", 1), ("skipped", None)])
def test_of_a_study_of_text_nothing_is_said_of_colours(checklist, sessions):
    """Today its sessions on an unmeasured display are "fit for trying, not for data"."""
    known = journals(facts("s1", checklist=checklist, calibrated=False))
    rig = rig_rows(trials(), known)[0]
    assert rig.uncalibrated_sessions == sessions
    assert any("colours" in said for said in timing_warnings([rig])) == (sessions == 1)

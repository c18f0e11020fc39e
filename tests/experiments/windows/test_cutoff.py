"""The cutoff in a real window: real presses timed around it, judged by their own stamps.

Labelled images are shown, which any display renders at once; the trial is the one of plates.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from participants.dataset.table_files import read_table
from participants.folder import DataFolder
from participants.journal import read_journal
from tests.experiments.windows.cutoff_session import NOTE
from tests.experiments.windows.forked import Forked
from tests.experiments.windows.stamps import (
    EARLY_S,
    assert_counts_agree,
    assert_stamped_as_made,
    lateness_s,
)

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("cutoff_session.py")
FRAME_S = 1 / 60
# In the middle of a refresh, so that one refresh holds presses in time and presses too late.
INTERNAL_S = 30.5 * FRAME_S
VISIBLE_S, VISIBLE_FRAMES = 0.3, 18
# Presses are further apart than that.
APART_S = 0.4

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def ran(folder, mode, cutoff_s, aims_s):
    """Return when keys were sent, a session's journal, and its trial table."""
    (folder / "home").mkdir()
    environment = {
        **os.environ, "HOME": str(folder / "home"),
        "PLAINSIGHT_LAB": str(folder),
    }  # fmt: skip
    session = Forked(SCRIPT, folder, mode, cutoff_s, *aims_s, environment=environment)
    said = session.communicate(timeout=400)[1]
    assert session.returncode == 0, said[-3000:]
    data = DataFolder(folder / "data")
    (paths,) = data.sessions()
    sent = json.loads((folder / "sent.json").read_text(encoding="utf-8"))
    return sent, read_journal(paths.journal), read_table(data, "accept_reject", "trials")


def trials_of(journal):
    """Yield each trial's end, its two flips and its press."""
    for end in journal.of("trial_end"):
        own = [e for e in journal.events if e.fields.get("trial") == end["trial"]]
        flips = {event["what"]: event for event in own if event.event == "flip"}
        (press,) = (event for event in own if event.event == "response")
        yield end, flips["plate_on"], flips["plate_off"], press


@pytest.fixture(scope="module")
def internal(tmp_path_factory):
    aims_ms = (-60, -30, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 30, 60)
    aims_s = [INTERNAL_S + aim / 1000 for aim in aims_ms]
    return ran(tmp_path_factory.mktemp("internal"), "internal", INTERNAL_S, aims_s)


@pytest.fixture(scope="module")
def visible(tmp_path_factory):
    late_s = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    aims_s = [0.1, 0.2, 0.1, 0.2, *(VISIBLE_S + late for late in late_s)]
    return ran(tmp_path_factory.mktemp("visible"), "visible", VISIBLE_S, aims_s)


def test_a_press_is_judged_by_its_own_stamp_less_the_onsets(internal):
    _, journal, _ = internal
    for end, on, _, press in trials_of(journal):
        assert end["rt_s"] == pytest.approx(press.t_monotonic_s - on.t_monotonic_s, abs=1e-5)
        assert end["in_time"] is (end["rt_s"] <= INTERNAL_S)
        assert end["accepted"] is end["in_time"]


def test_stamps_are_those_of_the_presses_so_the_verdict_is_that_of_the_finger(internal):
    """Each press has been sent at a known time: its stamp follows that time, and so the verdict."""
    sent, journal, _ = internal
    late_s = []
    for end, on, _, press in trials_of(journal):
        stamp_s = press.t_monotonic_s
        before_s, after_s = max(times for times in sent if times[0] < stamp_s + EARLY_S)
        late_s.append(lateness_s(stamp_s, before_s, after_s))
        if before_s - on.t_monotonic_s > INTERNAL_S + EARLY_S:
            assert not end["in_time"]
    # A stamp from before its own press would be told apart from the press before that.
    assert max(late_s) < APART_S
    assert_stamped_as_made(late_s)


def test_one_refresh_holds_presses_in_time_and_too_late(internal):
    """Judged by polls, all presses of one refresh would share a verdict."""
    _, journal, _ = internal
    verdicts = {}
    for end in journal.of("trial_end"):
        refresh = int(end["rt_s"] / FRAME_S)
        verdicts.setdefault(refresh, set()).add(end["in_time"])
    assert {True, False} in verdicts.values()


def test_the_table_keeps_the_verdicts(internal):
    _, journal, rows = internal
    ends = {end["trial"]: end for end in journal.of("trial_end")}
    assert {row["trial"] for row in rows} == set(ends)
    for row in rows:
        assert row["accepted"] is ends[row["trial"]]["accepted"]
        assert (row["cutoff_mode"], row["cutoff_s"]) == ("internal", pytest.approx(INTERNAL_S))


def test_an_exposure_ends_on_its_frame_wherever_the_press_comes(visible):
    """The frame record and the flips agree; a late frame shortens the count, never the schedule."""
    _, journal, _ = visible
    errors_s, cut_short, held_back = [], 0, 0
    for end, on, off, _ in trials_of(journal):
        lasted_s = off.t_monotonic_s - on.t_monotonic_s
        assert off["frame"] == end["frames_shown"]
        # Where the last refresh itself was lost, and the record says so, the plate stays for one.
        assert end["frames_shown"] <= VISIBLE_FRAMES or end["frames_dropped"]
        if end["frames_planned"] is None:
            cut_short += 1
            assert end["rt_s"] < lasted_s < VISIBLE_S
            continue
        errors_s.append(lasted_s - end["frames_shown"] * FRAME_S)
        assert end["frames_planned"] == VISIBLE_FRAMES
        held_back += end["rt_s"] < VISIBLE_S - 2 * FRAME_S
        if not end["frames_dropped"]:
            assert end["frames_shown"] == VISIBLE_FRAMES
    assert len(errors_s) > 5
    assert_counts_agree(errors_s)
    # A machine that stands still hands a press over late; a fault of ours would do so with each.
    assert cut_short > held_back


def test_after_an_exposure_the_answer_counts_and_its_time_is_told(visible):
    _, _, rows = visible
    late = [row for row in rows if row["rt_s"] > VISIBLE_S]
    assert late
    assert all(row["accepted"] for row in rows)
    assert {row["in_time"] for row in late} == {False}
    assert all(row["in_time"] for row in rows if row["rt_s"] <= VISIBLE_S)


def test_what_is_noted_at_the_end_follows_the_end_and_changes_nothing_of_it(internal):
    _, journal, _ = internal
    assert [event.event for event in journal.events[-2:]] == ["session_end", "note"]
    assert (journal.events[-1]["at"], journal.events[-1]["text"]) == ("end", NOTE)
    assert journal.complete

"""Rounds in a real window, typed by real keys: killed, left, stopped at a break, completed."""

import os
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from participants.session import GO_ON, LEAVE, LEFT, THEN
from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.tables import LISTS
from tests.experiments.windows.hand import confirm_until_ended, experimenters_hand, press_chord
from tests.experiments.windows.lab import REFRESH_HZ
from tests.experiments.windows.replayed import (
    assert_has_the_screens,
    assert_shows_the_session,
    replay,
)
from tests.experiments.windows.rounds import STEP_S, STEPS, sealed_rounds
from tests.experiments.windows.session_lab import SMALL, SMALL_PX, Lab
from tests.experiments.windows.stamps import assert_counts_agree

LEAVING = Path(__file__).with_name("leaving_lab.py")
FRAME_S = 1 / REFRESH_HZ
MID_ROUND_S = 0.7
ROBOT = ("--robot", "viewer")

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return sealed_rounds(tmp_path_factory)


@pytest.fixture(scope="module")
def lab(tmp_path_factory, pack):
    """One session: killed in its second round, left in the third, then a sitting that ended.

    The other sitting is stopped at its break by the break's own key, and completed.
    """
    lab = Lab(tmp_path_factory.mktemp("lab"), pack)
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        here = (*ROBOT, "--display", "existing", "--marker")
        process = lab.start(*here)
        lab.wait_for("trial_start", 2, process)
        time.sleep(MID_ROUND_S)
        lab.kill(process)
        again = ("--participant", read_journal(lab.journal_path).header["participant"])
        process = lab.start(*here, *again)
        # A round is short: the hand is there before it begins.
        with experimenters_hand() as hand:
            lab.wait_for("trial_start", 3, process)
            time.sleep(MID_ROUND_S)
            press_chord(hand, "x")
            confirm_until_ended(hand, process)
        lab.left = lab.finish(process)
    os.environ.pop("DISPLAY", None)
    del lab.environment["DISPLAY"]
    lab.first_sitting = lab.finish(lab.start(*ROBOT, *again, *SMALL))
    lab.at_break = lab.finish(lab.start(*ROBOT, *again, *SMALL, door=LEAVING))
    lab.done = lab.finish(
        lab.start(*ROBOT, *again, *SMALL, "--screenshots", lab.folder / "screens")
    )
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_no_image_is_shown_twice_however_its_round_ended(journal, pack):
    practised, counted = (
        [one["presentation"] for one in journal.of("trial_start") if one["phase"] == phase]
        for phase in ("practice", "main")
    )
    assert len(counted) == len(set(counted)) == 4
    # The second sitting warms up with the image of the practice.
    assert practised == practised[:1] * 2
    shown = {*practised, *counted}
    rows = open_pack(pack).table(LISTS)
    assert shown == {row["presentation"] for row in rows if row["list"] == journal.header["list"]}


def test_a_killed_round_is_lost_and_a_left_one_is_kept_as_left(journal):
    ended = {end["trial"]: end for end in journal.of("trial_end")}
    assert sorted(ended) == [1, 3, 4, 5, 6]
    assert [trial for trial, end in ended.items() if end["left"]] == [3]
    left = ended[3]
    assert not left["recognised"]
    assert left["frames_planned"] is None
    assert 1 <= len(left["step_onsets_s"]) < STEPS
    assert left["step"] == len(left["step_onsets_s"]) - 1


def test_each_part_of_the_session_says_why_it_ended(lab, journal):
    assert [abort["reason"] for abort in journal.of("abort")] == [
        "confirmed by key",
        "sitting_end",
        LEFT,
    ]
    parts = (lab.left, lab.first_sitting, lab.at_break, lab.done)
    assert [part["complete"] for part in parts] == [False, False, False, True]
    pages = Counter(page["name"] for page in journal.of("page"))
    assert pages["welcome_back"] == 3
    assert pages["sitting_end"] == pages["sitting_start"] == pages["warm_up"] == 1
    assert pages["instructions"] == 1


def test_who_stops_at_a_break_goes_on_after_it(journal):
    """The break was taken: it doesn't come again, and the next round does."""
    breaks = [page for page in journal.of("page") if page["name"] == "break"]
    assert [rest["answers"] for rest in breaks] == [{THEN: GO_ON}, {THEN: LEAVE}]
    ended = {end["trial"]: end.seq for end in journal.of("trial_end")}
    left = breaks[-1].seq
    assert ended[5] < left < ended[6]
    assert any(
        page["name"] == "welcome_back" and left < page.seq < ended[6] for page in journal.of("page")
    )


def test_steps_are_recorded_as_they_came_on_one_clock(journal):
    errors_s = []
    for end in journal.of("trial_end"):
        flips = [flip for flip in journal.of("flip") if flip["trial"] == end["trial"]]
        on, *steps, off = sorted(flips, key=lambda flip: flip.t_monotonic_s)
        assert (on["what"], on["frame"], on["step"]) == ("image_on", 0, 1)
        assert (off["what"], off["step"]) == ("image_off", None)
        assert off["frame"] == end["frames_shown"]
        assert {step["what"] for step in steps} <= {"step"}
        assert [step["step"] for step in steps] == list(range(2, len(steps) + 2))
        onsets_s = [flip.t_monotonic_s - on.t_monotonic_s for flip in (on, *steps)]
        assert end["step_onsets_s"] == pytest.approx(onsets_s, abs=2e-6)
        step_frames = round(STEP_S / FRAME_S)
        for number, (flip, at_s) in enumerate(zip((on, *steps), onsets_s, strict=True)):
            assert flip["frame"] >= number * step_frames
            assert flip["frame"] == number * step_frames or end["frames_dropped"]
            errors_s.append(at_s - flip["frame"] * FRAME_S)
    assert_counts_agree(errors_s)


def test_what_was_typed_lies_in_its_round_by_its_own_stamps(journal):
    ends = journal.of("trial_end")
    responses = Counter(press["trial"] for press in journal.of("response"))
    for end in ends:
        times_s = [key["t_s"] for key in end["keystrokes"]]
        assert all(early <= late for early, late in pairwise(times_s))
        assert all(0 < at_s <= STEPS * STEP_S for at_s in times_s)
        assert responses[end["trial"]] == len(end["attempts"])
        assert [a["right"] for a in end["attempts"]].count(True) == end["recognised"]
        for attempt in end["attempts"]:
            assert attempt["first_key_s"] <= attempt["t_s"]
            assert attempt["t_s"] in times_s


def test_words_were_copied_before_the_rounds(journal):
    (copied,) = journal.of("copy")
    (word,) = copied["words"]
    assert word["keystrokes"][-1]["key"] == "return"
    assert word["done_s"] == word["keystrokes"][-1]["t_s"] > 0
    assert copied.seq < journal.of("trial_start")[0].seq


def test_the_trial_table_holds_every_round_that_ended(lab):
    rows = read_table(lab.data, "progressive_reveal", "trials")
    assert {row["purpose"] for row in rows} == {"robot"}
    assert {row["trial"] for row in rows} == {3, 5, 6}


def test_rounds_are_among_the_screens_that_are_saved(lab):
    names = {path.stem[4:] for path in (lab.folder / "screens").glob("*.png")}
    assert {"welcome_back", "round", "end"} <= names


def test_a_replay_shows_the_session_again(lab, journal, tmp_path):
    shown, _ = replay(lab, tmp_path / "reel")
    assert_shows_the_session(shown, journal)
    # Both kinds of a revealed image are kept, of the first round with pictures; one was seen.
    began = journal.of("session")[-1].seq
    first = next(end for end in journal.of("trial_end") if end.seq > began)
    unseen = "revealed-missed" if first["recognised"] else "revealed-named"
    assert_has_the_screens(shown, lab.folder / "screens", [unseen])

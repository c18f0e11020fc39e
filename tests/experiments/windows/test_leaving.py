"""Leaving for good in a real window, by real keys: the closing, the tables, the refusal."""

import sys
import time

import pytest

from experiments.engine.virtual_display import virtual_display
from experiments.robot_input.input_events import Stroke
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from participants.session import FAREWELL, LEFT_FOR_GOOD, RENEWED, has_left
from tests.experiments.windows.hand import experimenters_hand, press_chord
from tests.experiments.windows.rounds import sealed_rounds
from tests.experiments.windows.session_lab import PATIENCE_S, SMALL_PX, Lab

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module", params=["accept_reject", "progressive_reveal"])
def left(request, tmp_path_factory, mini_pack):
    """A session whose person leaves after two trials, and what the same command says then."""
    study, robot = request.param, "lazy"
    pack = mini_pack
    if study == "progressive_reveal":
        pack, robot = sealed_rounds(tmp_path_factory), "viewer"
    lab = Lab(tmp_path_factory.mktemp("lab"), pack)
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        asked = ("--robot", robot, "--display", "existing")
        process = lab.start(*asked)
        lab.wait_for("trial_end", 2, process)
        with experimenters_hand() as hand:
            press_chord(hand, "x")
            hold_until(hand, lab, "delete", "abort")
        lab.left = lab.finish(process)
        code = lab.left["participant"]
        again = lab.start(*asked, "--participant", code)
        lab.said = again.communicate(timeout=PATIENCE_S)[1].strip()
        lab.status = again.returncode
    lab.study = study
    return lab


def hold_until(hand, lab, key, event):
    """Hold a key, and again: on a busy PC the question may not be up when it goes down."""
    until_s = time.monotonic() + PATIENCE_S
    while not lab.events()[event] and time.monotonic() < until_s:
        hand.press(Stroke(key, time.perf_counter() + 0.4, hold_s=1.6))
        time.sleep(2.4)


def test_the_closing_comes_and_the_data_are_asked_for(left):
    journal = read_journal(left.journal_path)
    assert [abort["reason"] for abort in journal.of("abort")] == [LEFT_FOR_GOOD]
    seq = journal.of("abort")[0].seq
    after = [page["name"] for page in journal.of("page") if page.seq > seq]
    assert after[-2:] == ["debrief", FAREWELL]
    assert [one["text"] for one in journal.of("consent") if one.seq > seq] == [RENEWED]
    assert has_left(journal.events)
    assert (left.left["complete"], left.left["left"]) == (False, True)


def test_the_trials_of_who_agreed_are_in_the_tables(left):
    ends = read_journal(left.journal_path).of("trial_end")
    counted = [end["trial"] for end in ends if end["phase"] == "main"]
    rows = read_table(left.data, left.study, "trials")
    assert [row["trial"] for row in rows] == counted
    assert left.left["waiting"] == 0


def test_who_left_is_refused_in_one_line(left):
    assert left.status == 2
    assert f"has left study {left.study} for good" in left.said
    assert "\n" not in left.said

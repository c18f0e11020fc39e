"""Labels judged in a real window by real keys, with help on demand; killed, then completed."""

import sys
import time
from collections import Counter

import pytest

from experiments.engine.virtual_display import virtual_display
from participants.dataset.table_files import read_table
from participants.journal import read_journal
from stimuli.studies.human_ai_team.sketch import sketch
from tests.experiments.windows.lab import REFRESH_HZ
from tests.experiments.windows.replayed import (
    assert_has_the_screens,
    assert_shows_the_session,
    replay,
)
from tests.experiments.windows.session_lab import HASTY, SMALL, SMALL_PX, Lab
from tests.sealing import sealed
from tests.stimuli.studies.human_ai_team.small import protocol_of

ARM = "gradcam"
TRIALS = {"practice": 1, "validation": 2, "main": 2}
CHANGES = {
    "images": {"size_px": 64, "resize_px": 64},
    "bins": {"per_bin": 1, "adversarial_per_level": 0, "sheets": 3, "trials_per_sheet": 2},
    "validation": {"trials": 2, "right_trials": 1, "pass_right": 2},
    "help": {"arms": (ARM,), "when": "on_demand"},
    "question": {"fixation_s": 0.05, "feedback_s": 0.2, "confidence_steps": 4},
    "session": {"practice_trials": 1},
    "analysis": {"reference_arm": ARM},
}
BY_MOUSE = {
    **CHANGES,
    "bins": {"per_bin": 1, "adversarial_per_level": 0, "sheets": 6, "trials_per_sheet": 1},
    "help": {"arms": (ARM,)},
    "question": {"fixation_s": 0.05, "feedback_s": 0.2, "decision": "two_stage"},
    "session": {"practice_trials": 1, "device": "mouse"},
}
BY_PAD = {**CHANGES, "session": {"practice_trials": 1, "device": "pad"}}
ROBOT = ("--robot", "guided_by_help")
"""It asks for the help before it answers."""
BEFORE_THE_ANSWER_S = 0.4
"""No judge answers, or asks for help, that soon."""

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def lab_of(changes, tmp_path_factory):
    """A lab with a small pack."""
    folder = tmp_path_factory.mktemp("packs") / "team"
    return Lab(tmp_path_factory.mktemp("lab"), sealed(sketch(protocol_of(**changes)), folder))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """One session, killed while its second image is judged, and completed."""
    lab = lab_of(CHANGES, tmp_path_factory)
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        here = (*ROBOT, "--display", "existing")
        process = lab.start(*here)
        lab.wait_for("prior_end", 2, process)
        time.sleep(BEFORE_THE_ANSWER_S)
        lab.kill(process)
        again = ("--participant", read_journal(lab.journal_path).header["participant"])
        lab.killed = read_journal(lab.journal_path).events
        again = (*again, "--screenshots", lab.folder / "screens")
        lab.done = lab.finish(lab.start(*here, *again, door=HASTY))
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_what_was_answered_before_the_kill_isnt_asked_again(lab, journal):
    trials = list(range(1, sum(TRIALS.values()) + 1))
    assert [event["trial"] for event in lab.killed if event.event == "prior_end"] == [1, 2]
    assert [event["trial"] for event in lab.killed if event.event == "trial_end"] == [1]
    assert lab.done["complete"]
    for name in ("prior_end", "trial_end"):
        assert [end["trial"] for end in journal.of(name)] == trials
    # What had begun when the process died was in its memory alone.
    started = Counter((start["trial"], start["stage"]) for start in journal.of("trial_start"))
    assert started == {(trial, stage): 1 for trial in trials for stage in ("prior", "only")}
    assert Counter(end["phase"] for end in journal.of("trial_end")) == TRIALS


def pressed_in(journal):
    """Return the presses of each trial: for help, and for the answer."""
    pressed = {}
    for event in journal.of("response"):
        pressed.setdefault(event["trial"], []).append(event)
    return pressed


def in_time(journal):
    """Return the trials whose help was asked for some frames before the answer, none dropped.

    On a busy machine a robot may press both keys at once: help then comes late, or not at all.
    """
    pressed = pressed_in(journal)
    waited_s = {
        trial: keys[-1].t_monotonic_s - keys[0].t_monotonic_s for trial, keys in pressed.items()
    }
    ends = journal.of("trial_end")
    found = [end["trial"] for end in ends if not end["frames_dropped"]]
    found = [trial for trial in found if waited_s[trial] > 2 / REFRESH_HZ]
    assert found
    return found


def test_help_comes_when_it_is_asked_for_and_not_before(journal):
    ends = {end["trial"]: end for end in journal.of("trial_end")}
    came = {event["trial"]: event.t_monotonic_s for event in journal.of("help_shown")}
    assert set(in_time(journal)) <= set(came) <= set(ends)
    asked = {trial: keys[0].t_monotonic_s for trial, keys in pressed_in(journal).items()}
    for trial, at_s in came.items():
        assert asked[trial] < at_s
        since_onset_s = at_s - ends[trial]["onset_t_monotonic_s"]
        assert ends[trial]["help_shown_s"] == pytest.approx(since_onset_s, abs=2e-6)
    for trial in in_time(journal):
        assert ends[trial]["help_shown_s"] < ends[trial]["rt_s"]


def test_each_answer_is_the_key_that_was_pressed_last(journal):
    pressed = pressed_in(journal)
    for end in journal.of("trial_end"):
        assert len(pressed[end["trial"]]) == 2
        rt_s = pressed[end["trial"]][-1].t_monotonic_s - end["onset_t_monotonic_s"]
        assert end["rt_s"] == pytest.approx(rt_s, abs=2e-6)


def test_who_takes_part_in_earnest_qualifies(journal):
    (qualified,) = journal.of("qualification")
    assert (qualified["trials"], qualified["needed"]) == (2, 2)
    assert qualified["qualified"] == (qualified["right"] == 2)


def test_the_table_holds_every_judgement_with_its_rating(lab, journal):
    rows = read_table(lab.data, "human_ai_team", "trials")
    assert Counter(row["phase"] for row in rows) == {"validation": 2, "main": 2}
    for row in rows:
        assert row["purpose"] == "robot"
        assert row["method"] == ARM
        assert row["decision"] in ("yes", "no")
        assert row["prior_knowledge"] in ("yes", "no")
        assert 1 <= row["confidence_rating"] <= 4
        if row["trial"] in in_time(journal):
            assert row["help_shown_s"] < row["rt_s"]


def test_screens_with_and_without_help_are_among_those_that_are_saved(lab):
    names = {path.stem[4:] for path in (lab.folder / "screens").glob("*.png")}
    assert {f"trial-{ARM}-held", f"trial-{ARM}", "trial-prior", "confidence", "end"} <= names


def test_a_response_pad_answers_and_asks_for_help(tmp_path_factory):
    lab = lab_of(BY_PAD, tmp_path_factory)
    assert lab.finish(lab.start(*ROBOT, "--display", "virtual", *SMALL, door=HASTY))["complete"]
    journal = read_journal(lab.journal_path)
    given = [event for event in journal.of("response") if event["trial"] > 0]
    assert {event["device"] for event in given} == {"pad"}
    for end in journal.of("trial_end"):
        (help_key, answer) = (event for event in given if event["trial"] == end["trial"])
        assert help_key.t_monotonic_s < answer.t_monotonic_s
        rt_s = answer.t_monotonic_s - end["onset_t_monotonic_s"]
        assert end["rt_s"] == pytest.approx(rt_s, abs=2e-6)


@pytest.mark.slow
def test_two_stages_are_answered_by_real_clicks(tmp_path_factory):
    lab = lab_of(BY_MOUSE, tmp_path_factory)
    begun = lab.start(*ROBOT, "--display", "virtual", door=HASTY)
    assert lab.finish(begun)["complete"]
    journal = read_journal(lab.journal_path)
    stages = Counter((start["trial"], start["stage"]) for start in journal.of("trial_start"))
    trials = range(1, 5)
    assert stages == {(trial, stage): 1 for trial in trials for stage in ("prior", "own", "final")}
    given = [event for event in journal.of("response") if event["trial"] in trials]
    assert {event["device"] for event in given} == {"mouse"}
    rows = read_table(lab.data, "human_ai_team", "trials")
    assert Counter(row["phase"] for row in rows) == {"validation": 2, "main": 1}
    for row in rows:
        assert row["own_decision"] in ("yes", "no")
        assert row["decision"] in ("yes", "no")


def test_a_replay_shows_the_session_again(lab, journal, tmp_path):
    shown, _ = replay(lab, tmp_path / "reel")
    assert_shows_the_session(shown, journal)
    assert_has_the_screens(shown, lab.folder / "screens")

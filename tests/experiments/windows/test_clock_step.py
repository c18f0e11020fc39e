"""The time of day is set in a trial, and the system refuses to sleep: the session goes on."""

import sys
from pathlib import Path

import pytest

from participants.journal import read_journal
from tests.experiments.windows.session_lab import SMALL, Lab
from tests.experiments.windows.stepping_lab import IN_TRIAL, STEP_S

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
DOOR = Path(__file__).with_name("stepping_lab.py")


@pytest.fixture(scope="module")
def lab(tmp_path_factory, mini_pack):
    lab = Lab(tmp_path_factory.mktemp("lab"), mini_pack)
    lab.ran = lab.finish(lab.start("--robot", "lazy", *SMALL, door=DOOR))
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_the_session_comes_to_its_end_with_all_its_trials(lab, journal):
    assert lab.ran["complete"]
    assert [end["trial"] for end in journal.of("trial_end")] == list(range(1, 16))


def test_the_trial_in_which_the_clock_was_set_is_flagged_and_keeps_its_answer(lab, journal):
    ends = {end["trial"]: end for end in journal.of("trial_end")}
    assert ends[IN_TRIAL]["flagged"]
    assert lab.ran["flagged"] >= 1
    for trial in (IN_TRIAL - 1, IN_TRIAL, IN_TRIAL + 1):
        assert ends[trial]["decision"] == "accept"
        assert 0 < ends[trial]["rt_s"] < 4


def test_the_next_comparison_of_clocks_tells_the_step(journal):
    (stepped,) = [event for event in journal.of("clock") if event["stepped"]]
    assert stepped["stimulus_step_s"] == pytest.approx(-STEP_S, abs=0.01)

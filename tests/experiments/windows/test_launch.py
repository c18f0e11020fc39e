"""From the start window to the end of a session and back, by real keys."""

import sys
import tomllib

import pytest

from participants.journal import read_journal
from stimuli.maps.origin import PEOPLE
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates
from stimuli.studies.accept_reject_accuracy.sketch import sketch as labelled_sketch
from stimuli.studies.human_ai_team.sketch import sketch as team_sketch
from stimuli.studies.progressive_reveal.sketch import sketch as reveal_sketch
from stimuli.studies.simulatability.sketch import sketch as cases_sketch
from tests.experiments.conftest import CHANGES, painted_pack
from tests.experiments.windows import (
    rounds,
    test_cases_session,
    test_screening,
    test_team_session,
)
from tests.experiments.windows.launched import AFTER, BEGIN, WHO, Launched, title
from tests.sealing import sealed
from tests.stimuli.studies.accept_reject_accuracy import labelled_sets
from tests.stimuli.studies.human_ai_team import small as team
from tests.stimuli.studies.simulatability import small as cases

pytestmark = [
    pytest.mark.window(tolerance_ms=200),
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]
ONE_SITTING = {
    **rounds.CHANGES,
    "session": {**rounds.CHANGES["session"], "sittings": 1, "rounds_per_sitting": 4},
}


def test_a_person_is_enrolled_runs_and_gets_a_note_by_keys_alone(tmp_path, mini_pack):
    lab = Launched(tmp_path, mini_pack, "lazy")
    with lab.window() as hand:
        lab.enrol_and_run(hand)
        hand.until(lab.notes, [(AFTER, [("Alt_L", "n"), ("o",), ("k",), ("Alt_L", "k")])])
        hand.until(lambda: WHO in title(), [(AFTER, [("Alt_L", "p")])])
    (person,) = lab.people()
    assert (person.purpose, person.complete) == ("robot", 1)
    assert read_journal(lab.journal_path).header["participant"] == person.code
    assert set(lab.notes()[0]) <= {"o", "k"}


def labelled():
    protocol = labelled_sets.protocol_of(
        solutions={"most_trials": 4, "practice_trials": 2},
        session={"break_every_trials": 4, "comprehension_attempts": 1},
        practice={"answered_share": 0.0, "right_share": 0.0},
    )
    return labelled_sketch(protocol, SketchRates(images=12, system_error=0.25))


SKETCHES = {
    "accept_reject_accuracy": ("exact_labels", labelled),
    "human_ai_team": (
        "guided_by_help",
        lambda: team_sketch(team.protocol_of(**test_team_session.CHANGES)),
    ),
    "progressive_reveal": (
        "viewer",
        lambda: reveal_sketch(load_protocol("progressive_reveal", None, ONE_SITTING)),
    ),
    "simulatability": (
        "reader",
        lambda: cases_sketch(cases.protocol_of(**test_cases_session.CHANGES)),
    ),
}


@pytest.mark.slow
def test_a_session_that_is_killed_goes_on_from_the_window(tmp_path, mini_pack):
    lab = Launched(tmp_path, mini_pack, "lazy")
    with lab.window() as hand:
        lab.enrol(hand)
        hand.until(lambda: lab.events()["trial_end"], BEGIN)
        lab.kill_session(hand)
        before = lab.events()["trial_end"]
        hand.until(lab.complete, BEGIN)
        hand.until(lambda: AFTER in title())
    journal = read_journal(lab.journal_path)
    assert len(journal.of("session")) == 2
    trials = [event["trial"] for event in journal.of("trial_end")]
    assert len(trials) == len(set(trials)) > before
    assert lab.people()[0].complete == 1


@pytest.mark.slow
def test_a_lead_is_screened_and_then_takes_part(tmp_path):
    """Both from the window; the rung that the screening finds decides on the list."""
    rules = tomllib.loads(test_screening.PROTOCOL)
    brief = {"screening": {**rules["screening"], "most_trials": 8}, "titration": rules["titration"]}
    pack = painted_pack(tmp_path / "pack", "CDF34HK", PEOPLE, changes=CHANGES | brief)
    (tmp_path / "lab").mkdir()
    lab = Launched(tmp_path / "lab", pack, "dichromat")
    with lab.registry() as registry:
        test_screening.enrol_known(registry)
    for robot in ("dichromat", "lazy"):
        lab.robot = robot
        with lab.window() as hand:
            lab.scan(hand, test_screening.CODE)
            lab.run(hand)
    (person,) = lab.people()
    assert (person.role, person.axis, person.rung, person.complete) == ("lead", "deutan", 2, 2)
    headers = [read_journal(paths.journal).header for paths in lab.data.sessions()]
    assert {header["role"] for header in headers} == {"candidate", "lead"}


@pytest.mark.slow
@pytest.mark.parametrize("study", SKETCHES)
def test_each_other_study_goes_from_the_window_to_its_end(study, tmp_path):
    robot, sketch = SKETCHES[study]
    lab = Launched(tmp_path, sealed(sketch(), tmp_path / "pack"), robot)
    with lab.window() as hand:
        lab.enrol_and_run(hand)
    (person,) = lab.people()
    assert (person.purpose, person.complete) == ("robot", 1)

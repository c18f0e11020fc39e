"""An expert robot's session in a real window: killed over a plate, and brought to its end."""

import sys

import numpy as np
import pytest

from participants.journal import read_journal
from participants.session import StrokeTask
from participants.strokes import act_from, map_of, mask_of
from participants.studies.accept_reject.annotation import plan_annotation
from participants.studies.accept_reject.expert_sessions import expert_sessions
from participants.studies.accept_reject.robots import expert
from participants.studies.accept_reject.robots.expert import RobotExpert
from stimuli.maps.map_set import read_map_set
from stimuli.pack import open_pack
from tests.experiments.windows.hasty_lab import PATIENCE_S
from tests.experiments.windows.replayed import (
    assert_paints_the_same,
    assert_shows_the_session,
    replay,
)
from tests.experiments.windows.session_lab import Lab
from tests.experiments.windows.stamps import assert_stamped_as_made
from tests.participants.studies.accept_reject.experts import read_annotations, read_experts

MID_PLATE_S = 1.2

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory, mini_tasks):
    lab = Lab(tmp_path_factory.mktemp("lab"), mini_tasks)
    lab.at_kill, lab.done = lab.annotate_killed_once(MID_PLATE_S)
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


@pytest.fixture(scope="module")
def intents(lab):
    """What the robot, as patient as in the session, was going to do with each plate."""
    pack, code = open_pack(lab.pack), lab.done["participant"]
    robot = RobotExpert.of(pack, code, 1)
    steps = plan_annotation(pack, None, "en", code).steps
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expert, "PATIENCE_S", PATIENCE_S)
        return {step.item: robot.intend(step) for step in steps if isinstance(step, StrokeTask)}


def test_a_session_killed_over_a_plate_loses_that_plate_at_most(lab, journal, intents):
    assert lab.done["complete"]
    assert lab.done["resumed"]
    assert [event["resumed"] for event in journal.of("session")] == [False, True]
    ends = journal.of("trial_end")
    assert [end["trial"] for end in ends] == list(range(1, len(intents) + 1))
    assert 1 <= lab.at_kill < len(ends)


def test_answers_are_typed_at_their_time(journal, intents):
    late_s = []
    for end in journal.of("trial_end"):
        intent = intents[end["item"]]
        assert end["label"] == intent.answer
        late_s.append(end["rt_s"] - intent.answer_s)
    assert_stamped_as_made(late_s, within_s=0.2)


def test_what_was_painted_is_what_the_robot_meant_to_paint(journal, intents):
    for end in journal.of("trial_end"):
        meant, painted = mask_of(intents[end["item"]].acts), mask_of(map(act_from, end["acts"]))
        if meant.any():
            assert (meant & painted).sum() / (meant | painted).sum() > 0.93
        assert painted.any() == meant.any()


def test_slips_are_taken_back_by_control_and_z(journal, intents):
    for end in journal.of("trial_end"):
        names = [act["act"] for act in end["acts"]]
        assert names == [act.act for act in intents[end["item"]].acts]


def test_the_map_set_at_the_end_holds_every_plate_but_practice(lab, journal):
    maps = read_map_set(lab.data.map_set(lab.done["session"]))
    main = {end["item"]: end["label"] for end in journal.of("trial_end") if end["phase"] == "main"}
    assert {record.item: record.answer for record in maps.records} == main
    (expert,), _ = expert_sessions(lab.data)
    for plate in expert.plates:
        name = f"{expert.participant}-{plate.item}"
        assert (name in maps.maps) == plate.mask.any()
        if name in maps.maps:
            assert np.array_equal(maps.maps[name], map_of(plate.mask))


def test_tables_are_written_at_the_end(lab):
    (record,) = read_experts(lab.data)
    assert (record["robot"], record["purpose"], record["complete"]) == ("expert", "robot", True)
    annotations = read_annotations(lab.data)
    assert record["plates"] == len(annotations) == lab.done["plates"]


def test_every_kind_of_screen_is_shown(lab):
    names = {path.stem[4:] for path in (lab.folder / "screens").glob("*.png")}
    assert {"expert_welcome_back", "plate-painted", "expert_debrief-1", "expert_end"} <= names


def test_a_replay_shows_the_strokes_again(lab, journal, tmp_path):
    shown, _ = replay(lab, tmp_path / "reel")
    assert_shows_the_session(shown, journal)
    assert_paints_the_same(shown)

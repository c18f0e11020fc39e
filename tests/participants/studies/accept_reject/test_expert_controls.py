"""Controls of experts, as the tables score them, when a model of normal colour vision answers."""

import pytest

from participants.dataset.derive import write_tables
from participants.folder import DataFolder
from participants.studies.accept_reject.expert_sessions import expert_sessions
from participants.studies.accept_reject.robots.expert import RobotExpert
from stimuli.images.digits import load_digits
from stimuli.studies.accept_reject.shares import BLANK, CLEAR, FAINT
from stimuli.studies.accept_reject.sketch import SketchRates, sketch_tasks
from tests.participants.studies.accept_reject.experts import (
    SeeingExpert,
    annotate,
    read_experts,
)
from tests.participants.studies.accept_reject.packs import protocol_of

TOP = 2


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A robot's session with plates that it can't read, and known digits at the ladder's top."""
    protocol = protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.001, 0.097]},
        solutions={"trials_per_run": 20, "practice_trials": 4, "lists": 1},
        experts={"rung": 1},
    )
    pack, _ = sketch_tasks(protocol, [("deutan", 1)], SketchRates(), load_digits("uci"))
    data = DataFolder(tmp_path_factory.mktemp("controls") / "data")
    expert = SeeingExpert(robot=RobotExpert.of(pack, "CDF34HK", 1))
    annotate(data, pack, expert=expert, purpose="robot", robot="expert")
    write_tables(data, "accept_reject")
    return data


@pytest.fixture(scope="module")
def screened(tmp_path_factory):
    """Sessions of robots with normal colour vision and with a mild deficit, as plates are usual."""
    protocol = protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.0334, 0.097]},
        solutions={"trials_per_run": 24, "practice_trials": 4, "lists": 1, "rungs": [1]},
        experts={"no_numeral_share": 0.05, "high_contrast_share": 0.05, "low_contrast_share": 0.3},
    )
    pack, _ = sketch_tasks(protocol, None, SketchRates(), load_digits("uci"))
    data = DataFolder(tmp_path_factory.mktemp("screened") / "data")
    for name, code in (("expert", "CDF34HK"), ("mild_deficit", "KLM78PQ")):
        expert = SeeingExpert(robot=RobotExpert.of(pack, code, 1, name))
        annotate(data, pack, code, expert, purpose="robot", robot=name)
    write_tables(data, "accept_reject")
    return data


@pytest.mark.slow
def test_a_mild_deficit_reads_what_experts_solve_and_fails_the_faint_digits(screened):
    """The plates are those that leads with such a deficit read, given time."""
    found, _ = expert_sessions(screened)
    (mild,) = (expert for expert in found if expert.robot == "mild_deficit")
    assert share_right([plate for plate in mild.plates if plate.use == "main"]) > 0.6
    assert mild.right >= mild.least_share * mild.controls
    assert mild.failed
    assert "digits at a low contrast" in mild.refusal()


@pytest.mark.slow
def test_normal_colour_vision_passes_and_the_table_says_how_both_did(screened):
    found, _ = expert_sessions(screened)
    rows = {row["participant"]: row for row in read_experts(screened)}
    for expert in found:
        row = rows[expert.participant]
        faint = [plate for plate in expert.plates if plate.use == FAINT]
        assert {plate.rung for plate in faint} == {0}
        assert row["low_contrast"] == len(faint) > 10
        assert row["low_contrast_right"] == round(share_right(faint) * len(faint))
        assert row["failed"] is (expert.robot == "mild_deficit")


def share_right(plates):
    return sum(plate.label == plate.right_label for plate in plates) / len(plates)


@pytest.mark.slow
def test_known_digits_are_scored_right_though_the_plates_can_not_be_read(data):
    """They stand at the top of the ladder, wherever the plates lie."""
    (expert,), _ = expert_sessions(data)
    of_use = {use: [p for p in expert.plates if p.use == use] for use in (BLANK, CLEAR, "main")}
    assert all(of_use.values())
    assert {plate.rung for plate in of_use[CLEAR]} == {TOP}
    assert {plate.rung for plate in of_use["main"]} == {1}
    assert share_right(of_use[CLEAR]) == share_right(of_use[BLANK]) == 1
    assert share_right(of_use["main"]) < 0.3
    (row,) = read_experts(data)
    assert row["controls"] == row["controls_right"] == expert.controls > 2
    assert row["failed"] is False

"""Robots are screened in real windows, by real keys and a real mouse; one is killed on the way."""

import sys
from functools import cached_property

import pytest
from sqlalchemy import insert

from experiments.engine.virtual_display import virtual_display
from participants.dataset.derive import derive
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.registry import Registry
from participants.registry.tables import people
from stimuli.protocol import load_protocol
from stimuli.screening.rules import screening_pack
from tests.experiments.windows.session_lab import SMALL_PX, Lab
from tests.experiments.windows.stamps import assert_stamped_as_made
from tests.participants.screening.screenings import STUDY, screened

PROTOCOL = """
schema = "protocol/1.0"
study = "accept_reject"
name = "short screening"
[plates]
source = "uci"
[trial]
fixation_s = 0.1
cutoff_s = 0.5
limit_s = 1.0
[screening]
reversals = 4
most_trials = 12
ceiling_errors = 2
expert_red_green_1e4 = 300.0
lead_red_green_1e4 = 300.0
lead_cap_1e4 = 1000.0
tritan_1e4 = 1000.0
d15_confusion_index = 9.0
[titration]
trials = 6
verify_trials = 4
accept_low = 0.0
accept_high = 0.9
long_share = 0.0
"""
CAPS_AT_KILL = 4
CODE = "J98M7P8"
PERSON = {
    "code": CODE, "role": "participant", "purpose": "robot",
    "enrolled_utc": "2026-01-01T00:00:00.000000Z",
}  # fmt: skip


def enrol_known(registry):
    """Enrol a robot whose code is known, since what it sees follows from its code."""
    registry.transact(lambda rows: rows.execute(insert(people).values(**PERSON)))


pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


class ScreeningLab(Lab):
    """A lab in which a robot is screened."""

    def __init__(self, folder):
        self.protocol = folder / "short.toml"
        self.protocol.write_text(PROTOCOL, encoding="utf-8")
        super().__init__(folder, f"--protocol={self.protocol}")
        enrol_known(self.registry)

    def screen(self, robot, *more):
        who = ("--robot", robot, "--participant", CODE)
        return self.start(*who, "--display", "existing", *more, verb="screen")

    @property
    def journal(self):
        return read_journal(self.journal_path)

    @property
    def registry(self):
        return Registry.open(LabFolder.open(self.folder).registry_url)

    @property
    def person(self):
        return self.registry.person(CODE)

    @cached_property
    def meant(self):
        """What the robot does without a window: the same code, the same answers."""
        rules = load_protocol(STUDY, self.protocol)
        robot = self.journal.header["robot"]
        return screened(robot, screening_pack(rules), code=CODE)


@pytest.fixture(scope="module")
def lead(tmp_path_factory):
    """A robot that is a lead here, killed while it puts caps in order, and brought to its end."""
    lab = ScreeningLab(tmp_path_factory.mktemp("lead"))
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        first = lab.screen("dichromat")
        lab.wait_for("cap_moved", CAPS_AT_KILL, first)
        lab.kill(first)
        lab.done = lab.finish(lab.screen("dichromat"))
    return lab


@pytest.fixture(scope="module")
def expert(tmp_path_factory):
    """An expert-like robot, in German on a larger screen."""
    lab = ScreeningLab(tmp_path_factory.mktemp("expert"))
    with virtual_display((1280, 720)) as shown:
        lab.environment["DISPLAY"] = shown.name
        more = ("--language", "de", "--screenshots", lab.folder / "screens")
        lab.done = lab.finish(lab.screen("normal", *more))
    return lab


@pytest.mark.parametrize("who", ["lead", "expert"])
def test_what_comes_out_is_what_the_robot_saw(request, who):
    """Every key, click and drag arrived, and none of before the kill was lost."""
    lab = request.getfixturevalue(who)
    assert lab.done["complete"]
    assert lab.done["found"] == lab.meant.results


def test_a_lead_is_found_and_titrated_and_the_registry_knows(lead):
    assert lead.done["resumed"]
    found = lead.done["found"]
    assert found["decision"]["role"] == "lead"
    rung = found["titration"]["rung"]
    assert rung is not None
    axis = found["decision"]["axis"]
    assert (lead.person.role, lead.person.axis, lead.person.rung) == ("lead", axis, rung)


@pytest.mark.slow
def test_a_screening_killed_over_the_caps_goes_on_with_them(lead):
    moves = lead.journal.of("cap_moved")
    assert [move["place"] for move in moves] == list(range(1, 16))
    assert len({move["cap"] for move in moves}) == 15
    second = lead.journal.of("session")[1]
    before = [move for move in moves if move.seq < second.seq]
    assert CAPS_AT_KILL <= len(before) < 15


def test_an_expert_is_found_and_reads_so(expert):
    assert expert.done["found"]["decision"]["role"] == "expert"
    assert expert.person.role == "expert"
    screens = {path.stem.split("-", 1)[1] for path in (expert.folder / "screens").iterdir()}
    assert {"verdict_expert", "gap-catch", "caps-full", "caps-held", "score-typed"} <= screens


def test_gaps_are_answered_by_keys_and_clicks_stamped_as_they_were_made(lead):
    late_s = []
    meant = {trial.trial: trial for trial in lead.meant.window.plates}
    robot = lead.meant.window.robot
    devices = {}
    for response in lead.journal.of("response"):
        devices[response["trial"]] = response["device"]
    for end in lead.journal.of("trial_end"):
        answer, rt_s = robot.plate(meant[end["trial"]])
        assert end["answer"] == answer
        late_s.append(end["rt_s"] - rt_s)
    assert set(devices.values()) == {"keyboard", "mouse"}
    assert_stamped_as_made(late_s, within_s=0.2)


def test_plates_of_a_titration_leave_on_their_frame(lead):
    starts = {start["trial"]: start for start in lead.journal.of("trial_start")}
    for end in lead.journal.of("trial_end"):
        start = starts[end["trial"]]
        if end["frames_planned"] is not None:
            assert end["frames_planned"] == round(start["exposure_s"] * 60)
            assert end["frames_shown"] + end["frames_dropped"] >= end["frames_planned"]


def test_the_tables_of_the_study_leave_screenings_out(lead):
    tables = derive(lead.data, STUDY)
    assert (tables.trials, dict(tables.left_out)) == ((), {})

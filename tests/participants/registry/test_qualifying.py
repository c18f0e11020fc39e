"""Sheets and arms are given out evenly, and again where somebody didn't qualify."""

import os
from collections import Counter

import pytest

from participants.folder import DataFolder
from participants.journal import read_journal
from participants.lists import lists_of
from participants.registry import (
    NewSession,
    Place,
    PlaceRules,
    Registry,
)
from participants.simulate.presenters import VirtualClock
from participants.simulate.run import Guest, journal_header, take_part
from participants.study import session_kind_of
from tests.participants.studies.human_ai_team.taken import pack_of

ARMS = ("confidence", "gradcam")
STUDY = "human_ai_team"


@pytest.fixture(scope="module")
def pack():
    return pack_of(help={"arms": ARMS})


def assign(registry, pack, code):
    rules = PlaceRules(lists_of(pack), ARMS, seed=1, drop_after_s=7200.0)
    return registry.assign(Place(code, STUDY, pack.pack_id, "rig-1"), rules)


def begun(registry, pack):
    """Enrol somebody, who begins a session; return the code and the place."""
    code = registry.enrol("participant")
    new = NewSession(f"s-{code}", code, "participant", STUDY, pack.pack_id, "main", "rig-1")
    registry.start_session(new)
    return code, assign(registry, pack, code)


def taken_by(robot, registry, pack, folder, code, given):
    """Let a robot answer in a person's place, and the registry learn of it from the journal."""
    data, kind = DataFolder(folder), session_kind_of(pack)
    plan = kind.plan(pack, given, "en", code)
    header = journal_header(plan, kind.role, robot, code, f"s-{code}")
    robots = kind.load_robots()
    judge = robots.make(pack, "en")(robot, code, 1)
    attends = robots.attendance(plan, 1, code)
    take_part(data, plan, Guest(robots, judge, attends), header, VirtualClock())
    registry.learn(read_journal(data.session(f"s-{code}").journal), None)


@pytest.mark.parametrize(("robot", "qualifies"), [("careful", True), ("yes_sayer", False)])
def test_who_fails_validation_frees_the_sheet(registry, pack, tmp_path, robot, qualifies):
    """All six places are held; the next one is the failing robot's, if it failed."""
    people = dict(begun(registry, pack) for _ in range(6))
    assert len(set(people.values())) == 6
    code, given = list(people.items())[2]
    taken_by(robot, registry, pack, tmp_path, code, given)
    person = registry.person(code)
    assert (person.complete, person.disqualified) == (1, int(not qualifies))
    _, following = begun(registry, pack)
    if not qualifies:
        assert following == given
    assert registry.disqualify_session(f"s-{code}") is None
    assert assign(registry, pack, code) == given


def test_a_session_that_goes_on_after_failing_holds_no_place(registry, pack):
    """At once, while the person is still answering; and for good."""
    people = dict(begun(registry, pack) for _ in range(6))
    for code, given in people.items():
        registry.disqualify_session(f"s-{code}")
        registry.heartbeat(f"s-{code}", trials_done=9)
        assert begun(registry, pack)[1] == given
    assert [registry.person(code).disqualified for code in people] == [1] * 6


@pytest.mark.skipif(os.name != "posix", reason="forks processes")
@pytest.mark.parametrize("together", [6, pytest.param(16, marks=pytest.mark.slow)])
def test_enrolments_at_once_give_arms_within_one_of_each_other(url, start, together):
    worker = start("take_places_at_once", url, together)
    given = [line.split() for line in worker.communicate()[0].splitlines()]
    assert worker.returncode == 0
    codes, sheets, arms, sides = (Counter(column) for column in zip(*given, strict=True))
    assert len(codes) == together
    assert (len(arms), len(sheets)) == (5, min(together, 15))
    for given_out in (arms, sheets):
        assert max(given_out.values()) - min(given_out.values()) <= 1
    assert abs(sides["left"] - sides["right"]) <= 2
    with_cells = Counter((sheet, arm) for _, sheet, arm, _ in given)
    assert set(with_cells.values()) == {1}
    registry = Registry.open(url)
    assert {person.code for person in registry.list()} == set(codes)

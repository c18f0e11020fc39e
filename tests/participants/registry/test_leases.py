"""Two PCs with one registry: a code runs on one of them, and a session that was left is taken over.

On a file of SQLite's, and on a PostgreSQL server.
"""

from contextlib import closing

import pytest
from sqlalchemy import select

from participants.registry import Registry, TakenOverError, tables
from participants.registry.sessions import LEASE_S, this_pc
from stimuli.errors import UserError
from tests.participants.registry.people import lead, session_of

STUDY = {"study": "accept_reject", "pack_id": "pack"}
REASON = "the PC of rig-1 is broken"


@pytest.fixture
def pcs(either_url, clock):
    """Return the registry as two PCs open it."""
    with (
        closing(Registry.open(either_url, clock, "a" * 12)) as first,
        closing(Registry.open(either_url, clock, "b" * 12)) as second,
    ):
        yield first, second


@pytest.fixture
def code(pcs):
    """Return the code of somebody whose session runs on the first PC and has 17 trials."""
    code = lead(pcs[0])
    pcs[0].start_session(session_of(code))
    pcs[0].heartbeat("s-1", trials_done=17)
    return code


def takeovers(registry):
    wanted = select(tables.takeovers)
    return registry.transact(lambda connection: connection.execute(wanted).all())


@pytest.mark.parametrize("rig", ["rig-2", "rig-1"])
def test_a_running_code_starts_on_no_other_pc_not_even_under_the_same_rig(pcs, code, rig):
    for reason in ("", REASON):
        with pytest.raises(UserError, match="in a session on rig rig-1 at this moment"):
            pcs[1].resume_session("s-1", rig, reason)
    with pytest.raises(UserError, match="in a session on rig rig-1 at this moment"):
        pcs[1].start_session(session_of(code, "s-2", rig=rig, study="simulatability"))
    assert takeovers(pcs[0]) == []


def test_every_heartbeat_extends_the_lease(pcs, code, clock):
    for _ in range(4):
        clock.wait(LEASE_S - 1)
        pcs[0].heartbeat("s-1")
        with pytest.raises(UserError, match="at this moment"):
            pcs[1].resume_session("s-1", "rig-2", REASON)


def test_the_pc_that_has_the_lease_goes_on_at_once(pcs, code):
    """Its journal's lock knows whether the session still runs there."""
    pcs[0].resume_session("s-1", "rig-1")
    assert takeovers(pcs[0]) == []


@pytest.mark.parametrize("rig", ["rig-2", "rig-1"])
def test_a_lease_that_ran_out_is_taken_over_with_a_reason_alone(pcs, code, clock, rig):
    clock.wait(LEASE_S + 1)
    with pytest.raises(UserError, match=r"has an unfinished session on rig rig-1; go on there, or"):
        pcs[1].resume_session("s-1", rig)
    pcs[1].resume_session("s-1", rig, REASON)
    (row,) = takeovers(pcs[0])
    assert (row.session, row.from_rig, row.to_rig, row.reason) == ("s-1", "rig-1", rig, REASON)
    left = pcs[1].unfinished(code, **STUDY)
    assert (left.rig, left.trials_done, left.lease_pc) == (rig, 17, "b" * 12)


def test_who_was_taken_over_is_told_and_changes_nothing_any_more(pcs, code, clock):
    clock.wait(LEASE_S + 1)
    pcs[1].resume_session("s-1", "rig-2", REASON)
    for call in (pcs[0].heartbeat, pcs[0].finish_session):
        with pytest.raises(TakenOverError, match="was taken over on rig rig-2"):
            call("s-1")
    with pytest.raises(UserError, match="at this moment"):
        pcs[0].resume_session("s-1", "rig-1")
    pcs[1].finish_session("s-1")
    assert pcs[0].unfinished(code, **STUDY) is None
    assert pcs[0].person(code).complete == 1


def test_a_session_that_was_stopped_has_no_lease_but_still_needs_a_reason_elsewhere(pcs, code):
    pcs[0].finish_session("s-1", complete=False)
    with pytest.raises(UserError, match="has an unfinished session on rig rig-1"):
        pcs[1].resume_session("s-1", "rig-2")
    pcs[1].resume_session("s-1", "rig-2", REASON)
    assert [row.reason for row in takeovers(pcs[1])] == [REASON]


def test_a_lease_that_ran_out_frees_the_code_for_another_study(pcs, code, clock):
    clock.wait(LEASE_S + 1)
    pcs[1].start_session(session_of(code, "s-2", rig="rig-2", study="simulatability"))


def test_a_taken_over_session_that_came_to_nothing_leaves_no_row(pcs, code, clock):
    clock.wait(LEASE_S + 1)
    pcs[1].resume_session("s-1", "rig-2", REASON)
    pcs[1].abandon_session("s-1")
    assert takeovers(pcs[1]) == []
    assert pcs[1].person(code).sessions == 0


def test_a_pc_is_known_by_the_same_twelve_digits_whenever_it_asks():
    assert this_pc() == this_pc()
    assert len(this_pc()) == 12
    assert set(this_pc()) <= set("0123456789abcdef")

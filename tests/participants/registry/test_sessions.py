"""Sessions: who may begin, who goes on, and who is refused with one line."""

import pytest
from sqlalchemy import select

from participants.registry import new_code, tables
from participants.registry.people import SIGNS
from stimuli.errors import UserError
from tests.participants.registry.people import DROP_AFTER_S, assign, lead, session_of


def test_two_sessions_with_one_code_at_once_are_refused(registry):
    code = lead(registry)
    registry.start_session(session_of(code))
    for changes in ({"rig": "rig-2"}, {"study": "simulatability"}, {"purpose": "test"}):
        with pytest.raises(UserError, match="at this moment"):
            registry.start_session(session_of(code, "s-2", **changes))


def test_an_unknown_code_a_typo_a_wrong_role_and_a_finished_study_are_one_line_each(registry):
    code = lead(registry)
    unknown = next(other for other in iter(new_code, None) if other != code)
    typo = code[:-1] + next(sign for sign in SIGNS if sign != code[-1])
    expert = registry.enrol("expert")
    registry.start_session(session_of(code))
    registry.finish_session("s-1")
    refused = {
        unknown: "not in this registry",
        typo: "typing error",
        expert: "enrolled as expert, but this session is one of the leads",
        code: "has finished study accept_reject already",
    }
    for number, (who, message) in enumerate(refused.items()):
        with pytest.raises(UserError, match=message) as error:
            registry.start_session(session_of(who, f"t-{number}"))
        assert "\n" not in str(error.value)
    assert [person.sessions for person in registry.list() if person.code == code] == [1]


def test_a_test_session_never_uses_up_a_code(registry):
    code = lead(registry)
    for number in range(2):
        registry.start_session(session_of(code, f"t-{number}", purpose="test"))
        registry.finish_session(f"t-{number}")
    registry.start_session(session_of(code))


@pytest.mark.parametrize(
    ("pack", "complete", "words"),
    [
        ("pack", False, "has seen this pack"),
        ("pack", True, "has seen this pack"),
        ("other", True, "has read the debrief of study accept_reject"),
        ("other", False, None),
    ],
)
def test_who_saw_a_pack_or_its_debrief_as_a_pilot_does_not_enter_main(
    registry, clock, pack, complete, words
):
    """A registry may hold such sessions from before a code had one purpose."""
    code = lead(registry)
    registry.start_session(session_of(code, "p-1", purpose="pilot", pack_id=pack))
    registry.finish_session("p-1", complete=complete)
    if words is None:
        registry.start_session(session_of(code))
        return
    with pytest.raises(UserError, match=rf"{words} in a pilot \(session p-1\)"):
        registry.start_session(session_of(code))
    registry.start_session(session_of(code, "x-1", study="simulatability", pack_id="third"))


def test_a_dead_session_goes_on_at_once_on_the_same_rig_and_only_there(registry, clock):
    code = lead(registry)
    registry.start_session(session_of(code))
    registry.heartbeat("s-1", trials_done=17)
    left = registry.unfinished(code, study="accept_reject", pack_id="pack")
    assert (left.session, left.rig, left.trials_done) == ("s-1", "rig-1", 17)
    with pytest.raises(UserError, match=r"is in a session on rig rig-1 at this moment"):
        registry.resume_session("s-1", "rig-2")
    registry.resume_session("s-1", "rig-1")
    clock.wait(100 * DROP_AFTER_S)
    with pytest.raises(UserError, match="has an unfinished session"):
        registry.start_session(session_of(code, "s-2", rig="rig-2"))
    registry.resume_session("s-1", "rig-1")
    registry.finish_session("s-1")
    assert registry.unfinished(code, study="accept_reject", pack_id="pack") is None
    with pytest.raises(UserError, match="complete"):
        registry.resume_session("s-1", "rig-1")


def test_a_withdrawn_code_begins_and_resumes_nothing(registry):
    code = lead(registry)
    registry.start_session(session_of(code))
    registry.record_withdrawal(code)
    with pytest.raises(UserError, match="has withdrawn"):
        registry.resume_session("s-1", "rig-1")
    with pytest.raises(UserError, match="has withdrawn"):
        registry.start_session(session_of(code, "s-2"))
    assert registry.person(code).withdrawn


def test_sessions_that_nobody_began_are_refused(registry):
    for call in (registry.heartbeat, registry.finish_session):
        with pytest.raises(UserError, match="not in this registry"):
            call("s-9")


def test_an_abandoned_session_leaves_neither_row_nor_place(registry):
    """Not so where another session of the person holds the same place."""
    code = lead(registry)
    given = assign(registry, code, purpose="test")
    for number in range(2):
        registry.start_session(session_of(code, f"t-{number}", purpose="test"))
        if number == 0:
            registry.finish_session("t-0")
    registry.abandon_session("t-1")
    assert registry.person(code).sessions == 1
    assert assign(registry, code, purpose="test") == given
    registry.abandon_session("t-0")
    assert registry.person(code).sessions == 0
    with registry._engine.begin() as connection:
        assert connection.execute(select(tables.assignments)).all() == []
    with pytest.raises(UserError, match="not in this registry"):
        registry.abandon_session("t-0")

"""The rule by which a lead's decision is judged."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.lists import Assignment
from participants.session import run_session
from participants.studies.accept_reject.plan import plan_session
from participants.studies.accept_reject.trial import Cutoff, judge
from stimuli.studies.accept_reject.lists import list_places
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.studies.accept_reject.packs import bare_pack, protocol_of

PROTOCOL = protocol_of()
VISIBLE = protocol_of(trial={"cutoff_mode": "visible"})
TENTH_MS = 10_000  # of a second


def ends_of(rt_s):
    """Return the ends of a session's trials, each answered at the same time."""
    pack, recorder = bare_pack(practice=0), MemoryRecorder()
    given_list = Assignment(sorted(list_places(pack))[0], "without_first")
    presenter = ScriptedPresenter(rt_s=rt_s)
    plan = plan_session(pack, given_list, "en", "P")
    run_session(plan, frozenset(), presenter, presenter, recorder)
    return recorder.of("trial_end")


@given(st.integers(0, 60 * TENTH_MS), st.sampled_from(["accept", "reject"]))
def test_in_time_is_decided_to_a_tenth_of_a_millisecond(tenths, decision):
    """Oracle in whole tenths of a millisecond, equality included."""
    outcome = judge(Cutoff.of(PROTOCOL), decision, tenths / TENTH_MS)
    assert outcome.in_time is (tenths <= 3 * TENTH_MS)
    assert outcome.accepted is (decision == "accept" and tenths <= 3 * TENTH_MS)


@settings(max_examples=25)
@given(st.floats(0, 1e7), st.integers(29_990, 30_010))
def test_stamps_of_any_size_judge_like_their_difference(onset_s, tenths):
    """An onset months after the PC was started doesn't shift the cutoff; the rig's lag neither.

    Corrected times are kept to the microsecond too. Else rounding error would decide what was in
    time when the analysis is repeated with them.
    """
    ends = ends_of((onset_s + tenths / TENTH_MS) - onset_s)
    assert {end["in_time"] for end in ends} == {tenths <= 3 * TENTH_MS}
    corrected = {end["rt_corrected_s"] for end in ends}
    assert corrected == {(tenths - TENTH_MS // 100) / TENTH_MS}


@given(st.integers(1, 300 * TENTH_MS), st.sampled_from(["accept", "reject"]))
def test_after_a_visible_cutoff_an_acceptance_counts_whenever_it_comes(tenths, decision):
    outcome = judge(Cutoff.of(VISIBLE), decision, tenths / TENTH_MS)
    assert outcome.in_time is (tenths <= 3 * TENTH_MS)
    assert outcome.accepted is (decision == "accept")


def test_no_answer_is_neither_in_time_nor_accepted():
    outcome = judge(Cutoff.of(PROTOCOL), "none", None)
    assert (outcome.in_time, outcome.accepted) == (False, False)


@pytest.mark.parametrize(
    ("decision", "rt_s"), [("none", 1.0), ("accept", None), ("accept", float("nan"))]
)
def test_a_decision_and_its_time_must_belong_together(decision, rt_s):
    with pytest.raises(ValueError, match="rt_s"):
        judge(Cutoff.of(PROTOCOL), decision, rt_s)


def test_the_rig_lag_corrects_the_time_and_never_the_verdict():
    ends = ends_of(3.0001)
    assert {(end["in_time"], end["accepted"]) for end in ends} == {(False, False)}
    assert {end["rt_corrected_s"] for end in ends} == {2.9901}

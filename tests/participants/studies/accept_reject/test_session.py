"""The loop that takes leads through a session: in order, once, and on after a cut."""

from hypothesis import given, settings
from hypothesis import strategies as st

from participants.session import (
    WELCOME_BACK,
    done_steps,
    run_session,
)
from participants.studies.accept_reject.trial import Trial
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.studies.accept_reject.packs import (
    bare_pack,
    plan_of,
    protocol_of,
)

PROTOCOL = protocol_of()


def test_the_session_goes_in_the_order_of_the_design():
    presenter, recorder = ScriptedPresenter(), MemoryRecorder()
    assert run_session(plan_of(bare_pack()), frozenset(), presenter, presenter, recorder)
    landmarks = [
        "consent", "instructions", "guidelines", "check", "practice", "trial-0001",
        "before_first_run", "trial-0004", "between_runs", "before_second_run", "trial-0010",
        "before_questions", "relied_on", "noticed_kinds", "source_guess", "debrief",
        "consent_renewed", "end",
    ]  # fmt: skip
    assert [step for step in presenter.steps if step in landmarks] == landmarks
    assert recorder.events[-1].event == "session_end"
    assert recorder.events[-1]["complete"]
    assert sorted(feedback.right for feedback in presenter.feedbacks) == [False, True, True]


def test_practice_is_in_an_order_of_the_leads_own():
    """A pack lists right and wrong ones in turn, which nobody shall learn to expect."""
    orders = {
        tuple(t.expected for t in plan_of(bare_pack(practice=12), participant=code).trials
              if t.phase == "practice")
        for code in "ABCDEFGH"
    }  # fmt: skip
    assert len(orders) > 4
    assert plan_of(bare_pack(practice=12)).trials == plan_of(bare_pack(practice=12)).trials


def test_a_failed_check_shows_the_guidelines_again_and_then_calls_the_experimenter():
    presenter, recorder = ScriptedPresenter(failures=4), MemoryRecorder()
    plan = plan_of(bare_pack(session={"comprehension_attempts": 3}))
    run_session(plan, frozenset(), presenter, presenter, recorder)
    start = presenter.steps.index("check")
    again = ["check", "guidelines_again"]
    assert presenter.steps[start : start + 10] == [
        *again, *again, "check", "call_experimenter", "guidelines_again", *again, "check",
    ]  # fmt: skip
    checks = recorder.of("check")
    assert [(check["attempt"], check["passed"]) for check in checks] == [
        (1, False), (2, False), (3, False), (4, False), (5, True),
    ]  # fmt: skip


def test_a_check_is_done_when_it_is_passed_and_not_before():
    recorder = MemoryRecorder()
    plan, presenter = plan_of(bare_pack()), ScriptedPresenter(failures=1)
    run_session(plan, frozenset(), presenter, presenter, recorder)
    failed, passed = (recorder.events.index(check) for check in recorder.of("check"))
    assert "check" not in done_steps(plan, recorder.events[: failed + 1])
    assert "check" in done_steps(plan, recorder.events[: passed + 1])


def test_flagged_trials_are_repeated_once_at_their_runs_end():
    plan = plan_of(bare_pack(practice=0, trial={"repeat_dropped": True}))
    presenter = ScriptedPresenter(flagged=frozenset({2, 9, 14}))
    recorder = MemoryRecorder()
    run_session(plan, frozenset(), presenter, presenter, recorder)
    shown = [step for step in presenter.seen if isinstance(step, Trial)]
    # 12 planned; a repeat's number is its original's plus 12, and 14 is the repeat of 2.
    assert [trial.trial for trial in shown] == [*range(1, 7), 14, *range(7, 13), 21]
    assert [trial.repeat_of for trial in shown if trial.repeat_of] == [2, 9]
    assert shown[6].presentation == shown[1].presentation


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 80), max_size=4), st.frozensets(st.integers(4, 15), max_size=4))
def test_resuming_never_loses_nor_repeats_a_finished_trial(cuts, flagged):
    """Killed after any events, any number of times: the journal ends as if never killed."""
    plan = plan_of(bare_pack(trial={"repeat_dropped": True}, session={"break_every_trials": 2}))
    whole = MemoryRecorder()
    uncut = ScriptedPresenter(flagged=flagged)
    run_session(plan, frozenset(), uncut, uncut, whole)
    kept: list = []
    for cut in [*cuts, None]:
        recorder = MemoryRecorder(list(kept))
        presenter = ScriptedPresenter(flagged=flagged)
        done = done_steps(plan, kept)
        run_session(plan, done, presenter, presenter, recorder)
        assert (presenter.steps[:1] == [WELCOME_BACK]) == bool(done)
        assert not done & set(presenter.steps)
        grown = recorder.events[len(kept) :]
        kept = recorder.events if cut is None else kept + grown[:cut]
    ended = [event["trial"] for event in kept if event.event == "trial_end"]
    assert ended == [event["trial"] for event in whole.of("trial_end")]
    assert {step.step for step in plan.steps} <= done_steps(plan, kept)


def test_without_consent_nothing_is_shown():
    presenter, recorder = ScriptedPresenter(agrees=False), MemoryRecorder()
    assert not run_session(plan_of(bare_pack()), frozenset(), presenter, presenter, recorder)
    assert presenter.steps == ["consent", "declined"]
    assert not recorder.events[-1]["complete"]

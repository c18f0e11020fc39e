"""The plan of a lead's session, and the loop that takes leads through it."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.registry import Assignment
from participants.session import (
    WELCOME_BACK,
    Break,
    Page,
    Question,
    done_steps,
    run_session,
)
from participants.studies.accept_reject.plan import (
    decision_keys,
    example_pages,
    orders_of,
    plan_session,
)
from participants.studies.accept_reject.shown import shown_by
from participants.studies.accept_reject.trial import Trial
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.sketch import sketch
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.studies.accept_reject.packs import (
    bare_pack,
    protocol_of,
    tiny_protocol,
    tiny_sketch,
)

PROTOCOL = protocol_of()


def plan_of(pack, order="without_first", participant="P"):
    return plan_session(pack, Assignment(sorted(list_places(pack))[0], order), "en", participant)


def test_a_visible_cutoff_bounds_every_plate_and_a_page_says_so():
    plan = plan_of(bare_pack(trial={"cutoff_mode": "visible", "cutoff_s": 2.5}))
    assert {trial.exposure_s for trial in plan.trials} == {2.5}
    (page,) = (step for step in plan.steps if step.step == "exposure")
    assert page.values == {"seconds": "2.5"}
    internal = plan_of(bare_pack())
    assert {trial.exposure_s for trial in internal.trials} == {None}
    assert "exposure" not in {step.step for step in internal.steps}


def test_how_long_there_is_to_decide_is_told_from_the_start():
    """Practice asks to decide within that time: by then it must be known."""
    for pack in (bare_pack(), bare_pack(trial={"cutoff_mode": "visible"})):
        plan = plan_of(pack)
        told = {
            step.step: step.values["limit_seconds"]
            for step in plan.steps
            if step.step in ("instructions", "practice")
        }
        assert told == {"instructions": "30", "practice": "30"}


def example_steps(order):
    plan = plan_of(tiny_sketch(), order)
    return [step for step in plan.steps if isinstance(step, Page) and step.figure is not None]


def test_one_worked_example_has_an_outline_and_one_has_none():
    accepted, rejected = example_steps("with_first")
    assert accepted.text == "example_accept_outlined"
    assert accepted.figure.region_file is not None
    assert rejected.text == "example_reject"
    assert rejected.figure.region_file is None


def test_who_is_never_shown_an_outline_has_none_in_the_examples():
    shown = shown_by(tiny_sketch(), tiny_protocol(), sorted(list_places(tiny_sketch()))[0])
    pages = example_pages(shown)
    assert [page.text for page in pages] == ["example_accept", "example_reject"]
    assert all(page.figure.region_file is None for page in pages)


@dataclass
class Suspecting(ScriptedPresenter):
    """Answers the question of the source as told."""

    guess: str = "some_machine"

    def question(self, question):
        first = super().question(question)
        return self.guess if question.step == "source_guess" else first


@pytest.mark.parametrize(
    ("guess", "asked"),
    [("all_people", False), ("all_machine", False), ("some_machine", True), ("cannot_say", True)],
)
def test_which_a_machine_gave_is_asked_only_where_it_could_be_some(guess, asked):
    plan = plan_of(bare_pack())
    presenter, recorder = Suspecting(guess=guess), MemoryRecorder()
    assert run_session(plan, frozenset(), presenter, presenter, recorder)
    assert ("source_which" in presenter.steps) is asked
    assert "source_which" in done_steps(plan, recorder.events)
    answered = [event["step"] for event in recorder.of("answer")]
    assert ("source_which" in answered) is asked
    # The same when the session is cut off right after that answer.
    at = next(place for place, event in enumerate(recorder.events)
              if event.event == "answer" and event["step"] == "source_guess")  # fmt: skip
    again = Suspecting(guess=guess)
    kept = recorder.events[: at + 1]
    run_session(plan, done_steps(plan, kept), again, again, MemoryRecorder(list(kept)))
    assert ("source_which" in again.steps) is asked


def test_seconds_are_told_as_the_language_writes_them():
    pack = bare_pack(trial={"cutoff_mode": "visible", "cutoff_s": 2.5})
    plan = plan_session(pack, Assignment(sorted(list_places(pack))[0], "with_first"), "de", "P")
    (page,) = (step for step in plan.steps if step.step == "exposure")
    assert page.values == {"seconds": "2,5"}


def test_the_order_says_which_run_comes_first():
    """Runs are numbered as they come; presentations are the list's, in its order."""
    without, explained = plan_of(bare_pack()), plan_of(bare_pack(), "with_first")
    main = [trial for trial in without.trials if trial.phase == "main"]
    swapped = [trial for trial in explained.trials if trial.phase == "main"]
    assert [trial.presentation[2] for trial in main] == ["1"] * 6 + ["2"] * 6
    assert [trial.presentation[2] for trial in swapped] == ["2"] * 6 + ["1"] * 6
    for trials in (main, swapped):
        assert [trial.run for trial in trials] == [1] * 6 + [2] * 6
        assert [trial.position for trial in trials] == [1, 2, 3, 4, 5, 6] * 2
        assert [trial.presentation[3:] for trial in trials] == [f"{k:03d}" for k in range(1, 7)] * 2


def test_trials_are_numbered_through_and_step_ids_are_unique():
    plan = plan_of(bare_pack(trial={"repeat_dropped": True}))
    assert [trial.trial for trial in plan.trials] == list(range(1, len(plan.trials) + 1))
    ids = [step.step for step in plan.steps]
    assert len(set(ids)) == len(ids)


def test_no_lead_sees_a_plate_twice():
    """Over runs, practice and worked examples, on a composed pack, for every list and order."""
    pack = tiny_sketch()
    for name in list_places(pack):
        for order in ("without_first", "with_first"):
            plan = plan_session(pack, Assignment(name, order), "en", "P")
            plates = [trial.stimulus.plate_file for trial in plan.trials]
            plates += [
                page.figure.plate_file for page in plan.steps if isinstance(page, Page)
                if page.figure is not None
            ]  # fmt: skip
            assert len(set(plates)) == len(plates)


def test_sides_are_counterbalanced_over_leads():
    """The side is fixed for a lead, and even over leads (binomial, 6 SD)."""
    f_accepts = {"accept": "f", "reject": "j"}
    left = [decision_keys(PROTOCOL, "pack", f"P{k}") == f_accepts for k in range(1000)]
    assert abs(sum(left) - 500) < 6 * 250**0.5
    assert decision_keys(PROTOCOL, "pack", "P1") == decision_keys(PROTOCOL, "pack", "P1")
    plan = plan_of(bare_pack(), participant="P3")
    assert set(plan.keys) == {"accept", "reject"}
    assert set(plan.keys.values()) == {"f", "j"}


def test_mouse_sides_are_buttons():
    mouse = protocol_of(session={"device": "mouse"})
    assert set(decision_keys(mouse, "pack", "P").values()) == {"left", "right"}


def test_breaks_come_after_every_so_many_trials_and_a_long_one_between_runs():
    plan = plan_of(bare_pack(session={"break_every_trials": 2, "between_runs_s": 7.0}))
    breaks = [step for step in plan.steps if isinstance(step, Break)]
    assert [(rest.done, rest.total) for rest in breaks] == [
        (2, 12), (4, 12), (6, 12), (8, 12), (10, 12),
    ]  # fmt: skip
    assert [rest.minimum_s for rest in breaks] == [0, 0, 7.0, 0, 0]


def reading(pack: Pack) -> tuple[Pack, list[str]]:
    read: list[str] = []

    def read_asset(path: str) -> bytes:
        read.append(path)
        return pack.read_asset(path)

    return Pack(pack.manifest, read_asset), read


def test_the_key_stays_shut_without_feedback_and_serves_practice_alone():
    pack, read = reading(bare_pack(practice=0))
    plan = plan_of(pack)
    assert "key.csv" not in read
    assert all(trial.expected is None for trial in plan.trials)
    plan = plan_of(bare_pack(practice=8))
    practice = [trial for trial in plan.trials if trial.phase == "practice"]
    assert len(practice) == 6  # two became worked examples
    assert sorted(t.expected for t in practice) == ["accept"] * 3 + ["reject"] * 3
    assert all(t.expected is None for t in plan.trials if t.phase == "main")


@pytest.mark.parametrize(
    ("pack", "list_id", "order", "language", "says"),
    [
        (bare_pack(), "l9", "with_first", "en", "l9"),
        (bare_pack(), "l0", "sideways", "en", "sideways"),
        (bare_pack(), "l0", "with_first", "tlh", "tlh"),
    ],
)
def test_what_is_not_offered_is_refused_in_one_line(pack, list_id, order, language, says):
    with pytest.raises(UserError, match=says) as refused:
        plan_session(pack, Assignment(list_id, order), language, "P")
    assert "\n" not in str(refused.value)


def test_a_pack_for_experts_is_refused():
    pack = bare_pack()
    tasks = Pack(replace(pack.manifest, kind="tasks"), pack.read_asset)
    with pytest.raises(UserError, match="tasks"):
        plan_session(tasks, Assignment("l0", "with_first"), "en", "P")


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


def test_without_consent_nothing_is_shown():
    presenter, recorder = ScriptedPresenter(agrees=False), MemoryRecorder()
    assert not run_session(plan_of(bare_pack()), frozenset(), presenter, presenter, recorder)
    assert presenter.steps == ["consent", "declined"]
    assert not recorder.events[-1]["complete"]


def test_declining_renewed_consent_ends_the_session_as_complete():
    presenter, recorder = ScriptedPresenter(agrees_again=False), MemoryRecorder()
    assert run_session(plan_of(bare_pack()), frozenset(), presenter, presenter, recorder)
    assert presenter.steps[-2:] == ["consent_renewed", "withdrawn"]


def test_an_abort_is_recorded_and_can_be_resumed():
    recorder = MemoryRecorder()
    plan, first = plan_of(bare_pack()), ScriptedPresenter(abort_at="trial-0006")
    assert not run_session(plan, frozenset(), first, first, recorder)
    assert [event.event for event in recorder.events[-2:]] == ["abort", "session_end"]
    second = ScriptedPresenter()
    run_session(plan, done_steps(plan, recorder.events), second, second, recorder)
    assert second.steps[:2] == [WELCOME_BACK, "trial-0006"]


def test_a_finished_session_has_nothing_left_but_the_welcome():
    recorder = MemoryRecorder()
    plan = plan_of(bare_pack())
    run_session(plan, frozenset(), ScriptedPresenter(), ScriptedPresenter(), recorder)
    left = [step.step for step in plan.steps if step.step not in done_steps(plan, recorder.events)]
    assert left == []


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


def test_without_the_option_nothing_is_repeated():
    presenter = ScriptedPresenter(flagged=frozenset({2}))
    run_session(plan_of(bare_pack()), frozenset(), presenter, presenter, MemoryRecorder())
    assert all(step.repeat_of is None for step in presenter.seen if isinstance(step, Trial))


@settings(max_examples=60, deadline=None)
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


def test_a_given_side_decides_where_acceptance_lies():
    pack = bare_pack()
    for side, keys in (("left", ["f", "j"]), ("right", ["j", "f"])):
        plan = plan_session(pack, Assignment("l0", "with_first", side), "en", "P")
        assert [plan.keys[decision] for decision in ("accept", "reject")] == keys


def test_sources_are_asked_of_explained_solutions_the_lead_saw():
    """As many as the protocol says, the same when taken up again, others for another lead."""
    pack = bare_pack(main_trials=30, session={"source_questions": 5})
    plan = plan_of(pack)
    asked = [s for s in plan.steps if isinstance(s, Question) and s.about is not None]
    seen = {trial.stimulus for trial in plan.trials if trial.stimulus.region_file}
    assert len(asked) == len({question.step for question in asked}) == 5
    assert [question.place for question in asked] == [(number, 5) for number in range(1, 6)]
    assert {question.about for question in asked} <= seen
    assert plan_of(pack).steps == plan.steps
    other = [s.step for s in plan_of(pack, participant="Q").steps if isinstance(s, Question)]
    assert other != [s.step for s in plan.steps if isinstance(s, Question)]
    steps = [step.step for step in plan.steps]
    assert steps.index("source_which") < steps.index(asked[0].step) < steps.index("debrief")


def test_sources_are_not_asked_where_the_protocol_asks_for_none():
    plan = plan_of(bare_pack(session={"source_questions": 0}))
    assert all(s.about is None for s in plan.steps if isinstance(s, Question))


def test_the_sham_group_sees_no_explanation():
    pack = sketch(
        tiny_protocol().model_copy(
            update={"session": tiny_protocol().session.model_copy(update={"sham_group": True})}
        ),
        [("deutan", 1)],
    )
    assert orders_of(pack.protocol) == ("without_first", "with_first", "sham")
    plan = plan_of(pack, "sham")
    mains = [trial for trial in plan.trials if trial.phase == "main"]
    assert {trial.run for trial in mains} == {1, 2}
    assert all(trial.stimulus.region_file is None for trial in mains)
    assert len({trial.stimulus.plate_file for trial in mains}) == len(mains)
    assert all(s.about is None for s in plan.steps if isinstance(s, Question))


def test_who_saw_no_outline_is_not_asked_about_outlines():
    """No question, and no answer to one, that speaks of a line; all else is asked as of others."""
    protocol = tiny_protocol()
    session = protocol.session.model_copy(update={"sham_group": True})
    pack = sketch(protocol.model_copy(update={"session": session}), [("deutan", 1)])
    asked = {
        order: {s.question: s.choices for s in plan_of(pack, order).steps
                if isinstance(s, Question) and s.about is None}
        for order in ("sham", "with_first")
    }  # fmt: skip
    assert set(asked["with_first"]) - set(asked["sham"]) == {"source_which"}
    choices = {choice for own in asked["sham"].values() for choice in own}
    assert not {"line", "both", "with_line", "without_line", "both_alike"} & choices
    assert asked["sham"]["relied_on"] == ("numeral", "guess", "other")
    assert asked["sham"]["source_guess"] == asked["with_first"]["source_guess"]


def test_a_pack_without_a_sham_run_says_so():
    with pytest.raises(UserError, match="no second run without explanations"):
        plan_of(bare_pack(), "sham")

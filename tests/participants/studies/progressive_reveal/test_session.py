"""A participant's session over several sittings: plan, loop, leaving and going on."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from participants.lists import Assignment
from participants.session import (
    WELCOME_BACK,
    Break,
    Check,
    Page,
    Question,
    SessionPlan,
    SittingEnd,
    done_steps,
    run_session,
)
from participants.studies.progressive_reveal.plan import plan_session
from participants.studies.progressive_reveal.rounds import CopyTask, begun_rounds
from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.lists import catch_kind
from stimuli.studies.progressive_reveal.sketch import sketch
from stimuli.studies.progressive_reveal.tables import CURVES, KEY
from tests.participants.session.scripted import MemoryRecorder
from tests.participants.studies.accept_reject.packs import bare_pack
from tests.participants.studies.progressive_reveal.viewing import ScriptedViewer
from tests.stimuli.studies.progressive_reveal.small import protocol_of, shown_in

SESSION = {"break_every_rounds": 2, "copy_typing_words": 3}


def pack_of(**changes) -> Pack:
    return sketch(protocol_of(**{**changes, "session": {**SESSION, **changes.get("session", {})}}))


@cache
def pack() -> Pack:
    return sketch(protocol_of(session=SESSION))


def plan_of(of: Pack, list_id="l1", participant="P", language="en") -> SessionPlan:
    return plan_session(of, Assignment(list_id, "as_listed"), language, participant)


def steps_of(plan, kind):
    return [step for step in plan.steps if isinstance(step, kind)]


def go_on(plan, events, **how):
    """Take a new presenter through what is left; return it, and all events."""
    recorder = MemoryRecorder(list(events))
    recorder.append("session")
    viewer = ScriptedViewer(recorder, **how)
    complete = run_session(plan, done_steps(plan, events), viewer, viewer, recorder)
    return viewer, recorder.events, complete


def test_the_session_goes_in_the_order_of_the_design():
    plan = plan_of(pack())
    landmarks = [
        "consent", "before_demographics", "survey_gender", "instructions", "answering", "check",
        "copying", "copied", "practice", "trial-0001", "before_rounds", "trial-0003",
        "break-1-0002", "sitting_end-1", "trial-0009", "before_questions",
        "survey_machine_learning", "debrief", "consent_renewed", "end",
    ]  # fmt: skip
    names = [step.step for step in plan.steps]
    assert [name for name in names if name in landmarks] == landmarks
    assert len(set(names)) == len(names)


def test_rounds_are_the_lists_with_the_keys_class_and_the_curves_pixels():
    """Against the pack's tables, put together by hand."""
    of = pack_of(session={"warm_up_rounds": 0})
    plan = plan_of(of)
    counts = {(row["item"], row["method"], row["step"]): row["pixels"] for row in
              of.table(CURVES)}  # fmt: skip
    rows = sorted(shown_in(of)["l1"], key=lambda row: (row["sitting"], row["position"]))
    assert len(plan.trials) == len(rows) == 14
    for number, (step, row) in enumerate(zip(plan.trials, rows, strict=True), start=1):
        assert (step.trial, step.step) == (number, f"trial-{number:04d}")
        assert (step.phase == "practice") is (row["sitting"] == 0)
        for name in ("sitting", "position", "presentation", "image_file", "steps_file"):
            assert getattr(step, name) == row[name]
        assert step.right_class == row["class"]
        assert step.pixels == tuple(counts[row["item"], row["method"], nth] for nth in range(1, 16))
        assert (step.steps, step.step_s, step.tries) == (15, 4.0, None)
    main = [step for step in plan.trials if step.phase == "main"]
    assert [(step.done, step.total) for step in main] == [(done % 6, 6) for done in range(12)]


def test_nobody_sees_an_image_that_counts_twice_nor_in_practice():
    for name in shown_in(pack()):
        trials = plan_of(pack(), name).trials
        practised, counted = (
            [step.image_file for step in trials if step.phase == phase]
            for phase in ("practice", "main")
        )
        assert len(set(counted)) == len(counted)
        assert not set(practised) & set(counted)


def test_a_later_sitting_names_itself_and_warms_up_with_an_image_of_the_practice():
    plan = plan_of(pack())
    names = [step.step for step in plan.steps]
    at = names.index("sitting_end-1")
    assert names[at + 1 : at + 6] == [
        "sitting_start-2", "warm_up-2", "trial-0009", "before_rounds-2", "trial-0010",
    ]  # fmt: skip
    start, told, warm_up = plan.steps[at + 1 : at + 4]
    assert (start.values["sitting"], start.values["sittings"], start.values["rounds"]) == (
        "2", "2", "6",
    )  # fmt: skip
    assert told.values["warm_up_rounds"] == "1"
    assert (warm_up.phase, warm_up.sitting, warm_up.position) == ("practice", 0, 3)
    assert (warm_up.done, warm_up.total) == (0, 1)
    assert warm_up.image_file == plan.trials[0].image_file


def test_breaks_may_be_left_and_sittings_end_but_the_last_ends_with_the_study():
    plan = plan_of(pack())
    breaks = [(step.done, step.total, step.may_leave) for step in steps_of(plan, Break)]
    assert breaks == [(2, 6, True), (4, 6, True), (2, 6, True), (4, 6, True)]
    told = [(step.progress, step.values["sitting"]) for step in steps_of(plan, Break)]
    assert told == [("progress_of_sitting", sitting) for sitting in "1122"]
    assert [(end.sitting, end.sittings) for end in steps_of(plan, SittingEnd)] == [(1, 2)]


def test_what_a_protocol_leaves_out_is_not_asked_or_told():
    bare = pack_of(session={"copy_typing_words": 0, "survey": False, "practice_rounds": 0,
                            "suggestions_most": 0})  # fmt: skip
    plan = plan_of(bare)
    names = {step.step for step in plan.steps}
    assert not names & {
        "copying", "copied", "before_demographics", "before_questions", "practice", "answering",
    }  # fmt: skip
    assert not steps_of(plan, Question)
    assert "answering_unlisted" in names


def test_what_a_protocol_adds_is_told():
    changed = pack_of(
        reveal={"prototype_beside": True, "polarity": "absolute_marked"}, answering={"tries": 1}
    )
    plan = plan_of(changed)
    names = {step.step for step in plan.steps}
    assert {"tries", "picture_beside", "tinted"} <= names
    (check,), (usual,) = (steps_of(one, Check) for one in (plan, plan_of(pack())))
    assert (check.right["check_wrong"], usual.right["check_wrong"]) == ("round_over", "try_again")
    assert {step.tries for step in plan.trials} == {1}
    method = {row["presentation"]: row["method"] for row in changed.table(KEY)}
    for step in plan.trials:
        assert (step.prototype_file is not None) is (method[step.presentation] == "protopnet")


def test_copied_words_are_names_in_the_sessions_language_and_each_persons_own():
    (english,), (german,) = (
        steps_of(plan_of(pack(), language=tag), CopyTask) for tag in ("en", "de")
    )
    assert len(english.words) == len(set(english.words)) == 3
    assert set(english.words) != set(german.words)
    drawn = {steps_of(plan_of(pack(), participant=code), CopyTask)[0].words for code in "ABCDEFGH"}
    assert len(drawn) > 3
    assert plan_of(pack()).steps == plan_of(pack()).steps


@pytest.mark.parametrize(
    ("of", "list_id", "order", "language", "says"),
    [
        (pack, "l9", "as_listed", "en", "no list 'l9'"),
        (pack, "l1", "with_first", "en", "is not as_listed"),
        (pack, "l1", "as_listed", "tlh", "tlh"),
        (bare_pack, "l0", "as_listed", "en", "needs solutions of progressive_reveal"),
    ],
)
def test_what_is_not_offered_is_refused_in_one_line(of, list_id, order, language, says):
    with pytest.raises(UserError, match=says) as refused:
        plan_session(of(), Assignment(list_id, order), language, "P")
    assert "\n" not in str(refused.value)


def test_a_sitting_ends_the_session_and_the_next_run_goes_on():
    plan = plan_of(pack())
    first, events, complete = go_on(plan, ())
    assert not complete
    assert [event.event for event in events[-3:]] == ["page", "abort", "session_end"]
    assert events[-2]["reason"] == "sitting_end"
    told = {"sitting": "1", "sittings": "2"}
    assert first.seen[-1] == Page("sitting_end-1", "sitting_end", told, reader="experimenter")
    second, events, complete = go_on(plan, events)
    assert complete
    # The sitting's own page greets; no other welcome comes before it.
    assert second.steps[:2] == ["sitting_start-2", "warm_up-2"]
    assert [step.trial for step in first.rounds + second.rounds] == list(range(1, 16))


def test_a_break_may_be_left_for_another_day():
    plan = plan_of(pack())
    first, events, complete = go_on(plan, (), leaves=frozenset({"break-1-0002"}))
    assert not complete
    assert first.steps[-1] == "break-1-0002"
    assert events[-2]["reason"] == "left"
    assert events[-3]["answers"] == {"then": "leave"}
    second, *_ = go_on(plan, events)
    assert second.steps[:2] == [WELCOME_BACK, "trial-0005"]


def test_a_round_that_was_left_is_censored_and_its_image_never_comes_again():
    plan = plan_of(pack())
    silent = lambda step: []  # noqa: E731
    first, events, complete = go_on(plan, (), walks_out={5: 13.0}, script=silent)
    assert not complete
    end = [event for event in events if event.event == "trial_end"][-1]
    assert (end["trial"], end["left"], end["recognised"], end["step"]) == (5, True, False, 3)
    assert end["pixels"] == plan.trials[4].pixels[2]
    assert 5 not in first.told
    second, *_ = go_on(plan, events)
    assert second.rounds[0].trial == 6


def test_a_round_ended_before_its_image_came_is_shown_later():
    plan = plan_of(pack())
    first, events, _ = go_on(plan, (), ends_before=5)
    assert first.rounds[-1].trial == 4
    assert "trial-0005" not in begun_rounds(events)
    second, *_ = go_on(plan, events)
    assert second.rounds[0].trial == 5


def test_a_round_in_which_the_session_was_killed_counts_as_seen():
    """Its start was on disk; what was uncovered then nobody knows, so it has no end either."""
    plan = plan_of(pack())
    recorder = MemoryRecorder()
    viewer = ScriptedViewer(recorder, dies_in=5)
    with pytest.raises(KeyboardInterrupt):
        run_session(plan, frozenset(), viewer, viewer, recorder)
    assert recorder.events[-1].event == "trial_start"
    second, events, _ = go_on(plan, recorder.events)
    assert second.rounds[0].trial == 6
    third, *_ = go_on(plan, events)
    assert 5 not in {step.trial for step in third.rounds}


@settings(max_examples=20, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 120), max_size=4),
    leaves=st.frozensets(st.sampled_from(["break-1-0002", "break-1-0004", "break-2-0002"])),
    walks_out=st.dictionaries(st.integers(1, 14), st.floats(0.5, 8.5), max_size=2),
)
def test_whatever_cuts_a_session_off_no_image_comes_twice_and_none_is_lost(cuts, leaves, walks_out):
    """Killed after any events, left at breaks and in rounds, any number of times."""
    plan = plan_of(pack())
    kept: list = []
    seen: Counter[int] = Counter()
    runs = 0
    complete = False
    while not complete:
        done = done_steps(plan, kept)
        viewer, events, complete = go_on(plan, kept, leaves=leaves, walks_out=walks_out)
        assert not done & set(viewer.steps)
        assert (viewer.steps[0] in (WELCOME_BACK, "sitting_start-2")) == bool(done)
        grown = events[len(kept) :]
        if runs < len(cuts):
            grown, complete = grown[: cuts[runs]], False
        started = [event["trial"] for event in grown if event.event == "trial_start"]
        seen.update(started)
        kept += grown
        runs += 1
        assert runs < 30
    assert set(seen.values()) == {1}
    assert set(seen) == {step.trial for step in plan.trials}


def test_times_are_kept_and_scored_to_the_microsecond():
    """An onset of months ago leaves no rounding error in what is kept."""
    odd = 8.000000000931323
    plan = plan_of(pack())
    _, events, _ = go_on(plan, (), script=lambda step: [(odd, step.right_class)])
    ends = [event for event in events if event.event == "trial_end"]
    assert {end["attempts"][0]["t_s"] for end in ends} == {8.0}
    assert {end["step"] for end in ends} == {3}


def test_a_round_is_told_only_after_it_is_on_disk():
    plan = plan_of(pack())
    recorder = MemoryRecorder()

    class Teller(ScriptedViewer):
        def reveal_feedback(self, step, result):
            assert recorder.events[-1].event == "trial_end"
            super().reveal_feedback(step, result)

    viewer = Teller(recorder)
    run_session(plan, frozenset(), viewer, viewer, recorder)
    assert viewer.told == list(range(1, 9))


@pytest.mark.slow
def test_the_published_design_is_102_rounds_in_three_sittings_and_a_catch_round_of_each_kind():
    protocol = load_protocol("progressive_reveal", None, {"images": {"size_px": 16}})
    of = sketch(protocol)
    plan = plan_of(of, "l01")
    main = [step for step in plan.trials if step.phase == "main"]
    assert Counter(step.sitting for step in main) == {1: 36, 2: 36, 3: 36}
    method = {row["presentation"]: row["method"] for row in of.table(KEY)}
    own = [step for step in main if catch_kind(method[step.presentation]) is None]
    assert set(Counter(step.right_class for step in own).values()) == {6}
    assert [step.done for step in steps_of(plan, Break)] == [18, 18, 18]
    assert {step.total for step in steps_of(plan, Break)} == {36}
    assert [step.sitting for step in steps_of(plan, SittingEnd)] == [1, 2]
    assert {step.steps * step.step_s for step in main} == {60.0}
    recorder, sittings = MemoryRecorder(), 1
    viewer = ScriptedViewer(recorder)
    while not run_session(plan, done_steps(plan, recorder.events), viewer, viewer, recorder):
        sittings += 1
    ends = recorder.of("trial_end")
    assert (sittings, len(ends)) == (3, 112)
    assert len({end["presentation"] for end in ends}) == 110


def test_later_sittings_warm_up_with_the_images_of_the_practice_in_turn():
    plan = plan_of(pack_of(session={"sittings": 3, "rounds_per_sitting": 4, "warm_up_rounds": 1}))
    practised = [step.image_file for step in plan.trials if step.phase == "practice"]
    assert practised == [*practised[:2], practised[0], practised[1]]


def test_without_warming_up_a_later_sitting_still_names_itself():
    for session in ({"warm_up_rounds": 0}, {"practice_rounds": 0}):
        names = [step.step for step in plan_of(pack_of(session=session)).steps]
        at = names.index("sitting_end-1")
        assert names[at + 1] == "sitting_start-2"
        assert names[at + 2].startswith("trial-")


def test_killed_after_any_event_it_goes_on_without_an_image_twice():
    """Every place at which a whole study can be cut, once each."""
    plan = plan_of(pack())
    whole, complete = [], False
    while not complete:
        _, whole, complete = go_on(plan, whole)
    files = [step.image_file for step in plan.trials]
    for cut in range(len(whole)):
        kept, complete = list(whole[:cut]), False
        while not complete:
            _, kept, complete = go_on(plan, kept)
        started = [event["trial"] for event in kept if event.event == "trial_start"]
        assert sorted(started) == list(range(1, 1 + len(files)))
        ended = {event["trial"] for event in kept if event.event == "trial_end"}
        assert len(set(started) - ended) <= 1

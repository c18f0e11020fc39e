"""Leaving for good: the closing, the question of the data, and what a resumed session does."""

import pytest

from participants.session import (
    FAREWELL,
    LEFT_FOR_GOOD,
    RENEWED,
    Around,
    Break,
    Consent,
    Page,
    Question,
    SessionAborted,
    done_steps,
    has_declined,
    has_left,
    is_leaving,
    run_session,
)
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.session.test_loop import Tap, Tapper, plan_of

CLOSING = (Page("debrief", "debrief"), Consent(RENEWED, renewed=True), Page("end", "end"))
STEPS = (
    Consent("consent"), Page("instructions", "instructions"), Tap("a"),
    Break("rest", "break", 1, 2, may_leave=True), Tap("b"), Question("last", "last", ("x",)),
    Page("debrief_sources", "debrief_people"), *CLOSING,
)  # fmt: skip
PLAN = plan_of(*STEPS)


class Leaver(ScriptedPresenter):
    """Leaves for good, or stops for now, on the pages that are named."""

    def __init__(self, leaves=(), stops=(), **more):
        super().__init__(**more)
        self.leaves, self.stops = set(leaves), set(stops)

    def _see(self, step):
        if step.step in self.leaves:
            self.leaves.remove(step.step)
            raise SessionAborted(LEFT_FOR_GOOD)
        if step.step in self.stops:
            self.stops.remove(step.step)
            raise SessionAborted("tired")
        super()._see(step)


def run(pages, recorder, plan=PLAN):
    before = tuple(recorder.events)
    done = done_steps(plan, before)
    return run_session(plan, done, pages, Tapper(), recorder, Around(before=before))


def test_who_leaves_hears_what_it_is_about_and_is_asked_for_the_data():
    pages, recorder = Leaver(leaves={"rest"}), MemoryRecorder()
    assert not run(pages, recorder)
    closing = ["debrief_sources", "debrief", RENEWED, FAREWELL]
    assert pages.steps == ["consent", "instructions", *closing]
    assert [abort["reason"] for abort in recorder.of("abort")] == [LEFT_FOR_GOOD]
    assert recorder.events[-1].event == "session_end"
    assert not recorder.events[-1]["complete"]
    assert is_leaving(recorder.events)
    assert has_left(recorder.events)


def test_who_leaves_before_agreeing_to_take_part_is_told_nothing():
    pages, recorder = Leaver(leaves={"consent"}), MemoryRecorder()
    assert not run(pages, recorder)
    assert pages.steps == [FAREWELL]


def test_what_was_read_already_does_not_come_again():
    """Somebody leaves on the last page of all, long debriefed."""
    pages, recorder = Leaver(leaves={"end"}), MemoryRecorder()
    assert not run(pages, recorder)
    assert pages.steps.count("debrief") == pages.steps.count(RENEWED) == 1
    assert pages.steps[-1] == FAREWELL


@pytest.mark.parametrize("cut_at", ["debrief_sources", "debrief", RENEWED, FAREWELL])
def test_a_closing_that_was_cut_off_goes_on_and_nothing_else_comes(cut_at):
    recorder = MemoryRecorder()
    assert not run(Leaver(leaves={"rest"}, stops={cut_at}), recorder)
    assert is_leaving(recorder.events)
    assert not has_left(recorder.events)
    pages = Leaver()
    assert not run(pages, recorder)
    closing = ["debrief_sources", "debrief", RENEWED, FAREWELL]
    assert pages.steps == closing[closing.index(cut_at) :]
    assert has_left(recorder.events)


def test_who_leaves_the_closing_too_has_left():
    pages, recorder = Leaver(leaves={"rest", "debrief"}), MemoryRecorder()
    assert not run(pages, recorder)
    assert pages.steps == ["consent", "instructions", "debrief_sources"]
    assert has_left(recorder.events)


def test_a_plan_that_asks_for_no_renewed_consent_ends_with_the_farewell():
    plan = plan_of(Consent("consent"), Tap("a"), Page("debrief", "debrief"), Page("end", "end"))
    pages, recorder = Leaver(leaves={"debrief"}), MemoryRecorder()
    assert not run(pages, recorder, plan)
    assert pages.steps == ["consent", "debrief", FAREWELL]


def test_who_declines_has_declined_until_they_agree():
    recorder = MemoryRecorder()
    assert not run(ScriptedPresenter(agrees=False), recorder)
    assert has_declined(recorder.events)
    again = ScriptedPresenter(agrees_again=False)
    assert run(again, recorder)
    assert not has_declined(recorder.events)
    # Nobody interrupted them: no page says that nothing is lost.
    assert again.seen[0] == Consent("consent")


def test_stopping_for_now_is_not_leaving():
    pages, recorder = Leaver(stops={"rest"}), MemoryRecorder()
    assert not run(pages, recorder)
    assert pages.steps == ["consent", "instructions"]
    assert not is_leaving(recorder.events)


def test_who_takes_the_data_back_is_thanked_once():
    pages, recorder = Leaver(leaves={"last"}, agrees_again=False), MemoryRecorder()
    assert not run(pages, recorder)
    assert pages.steps[-2:] == [RENEWED, "withdrawn"]

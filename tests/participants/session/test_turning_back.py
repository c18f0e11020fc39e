"""Pages in a row can be gone back to until what follows them begins."""

import pytest

from participants.session import (
    BACK,
    THEN,
    Around,
    Page,
    PageResult,
    Question,
    SessionAborted,
    done_steps,
    run_session,
)
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.session.test_loop import Tap, Tapper, plan_of

PLAN = plan_of(
    Page("a", "a"), Page("b", "b"), Page("c", "c"), Question("q", "q", ("x",)),
    Page("d", "d"), Page("call", "call", reader="experimenter"), Page("e", "e"), Tap("tap"),
    Page("f", "f"), Page("end", "end"),
)  # fmt: skip


class Turner(ScriptedPresenter):
    """Goes back from the pages that are named, once from each where it can."""

    def __init__(self, *back, home=""):
        super().__init__()
        self.back, self.home, self.can = list(back), home, {}
        self.read = []

    def page(self, page):
        self.read.append((page.step, page.from_end))
        self.can[page.step] = page.may_return
        if page.step == self.home:
            self.home = ""
            raise SessionAborted("home")
        if page.may_return and page.step in self.back:
            self.back.remove(page.step)
            return PageResult(1.0, {THEN: BACK})
        return PageResult(1.0)


def test_only_what_was_read_right_before_can_be_gone_back_to():
    turner = Turner()
    run_session(PLAN, frozenset(), turner, Tapper(), MemoryRecorder())
    possible = {step for step, can in turner.can.items() if can}
    assert possible == {"b", "c"}


def test_who_goes_back_reads_on_from_there():
    turner, recorder = Turner("c", "b"), MemoryRecorder()
    run_session(PLAN, frozenset(), turner, Tapper(), recorder)
    steps = [step for step, _ in turner.read]
    assert steps == ["a", "b", "a", "b", "c", "b", "c", "d", "call", "e", "f", "end"]
    assert [step for step, from_end in turner.read if from_end] == ["a", "b"]
    left = [(page["step"], page["answers"].get(THEN)) for page in recorder.of("page")]
    assert left[:5] == [("a", None), ("b", BACK), ("a", None), ("b", None), ("c", BACK)]


@pytest.mark.parametrize("home", ["b", "c"])
def test_after_an_interruption_the_pages_before_are_there_too(home):
    first, recorder = Turner("c", home=home), MemoryRecorder()
    run_session(PLAN, frozenset(), first, Tapper(), recorder)
    done = done_steps(PLAN, recorder.events)
    assert home not in done
    second = Turner(home)
    run_session(PLAN, done, second, Tapper(), recorder, Around(before=tuple(recorder.events)))
    before = {"b": "a", "c": "b"}[home]
    steps = [step for step, _ in second.read if step != "welcome_back"]
    assert steps[:3] == [home, before, home]


def test_a_page_that_was_left_backwards_is_not_done():
    recorder = MemoryRecorder()
    turner = Turner("c")
    plan = plan_of(*PLAN.steps[:3], Page("end", "end"))
    run_session(plan, frozenset(), turner, Tapper(), recorder)
    (at,) = (n for n, page in enumerate(recorder.events) if page.event == "page"
             and page["answers"].get(THEN) == BACK)  # fmt: skip
    assert done_steps(plan, recorder.events[: at + 1]) == {"a", "b"}

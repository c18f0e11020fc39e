"""Practice with a criterion, and sessions in which nobody answers, with tasks no study has."""

from dataclasses import dataclass

import pytest

from participants.session import (
    UNATTENDED,
    WELCOME_BACK,
    Around,
    Page,
    PageResult,
    SessionAborted,
    SessionPlan,
    checked_practice,
    done_steps,
    run_session,
    trial_step,
)
from stimuli.protocol import Practice
from tests.participants.session.scripted import MemoryRecorder

NONE = Practice(answered_share=0.0, right_share=0.0, repeats=0, then="call_experimenter")
RULE = NONE.model_copy(update={"answered_share": 0.75, "right_share": 0.5, "repeats": 1})
ONCE = 4


@dataclass(frozen=True)
class Sum:
    """A task with an answer: right, wrong or none."""

    trial: int

    @property
    def step(self):
        return trial_step(self.trial)

    def perform(self, presenter, recorder):
        recorder.append("trial_end", trial=self.trial, said=presenter.answer(self.trial))
        return frozenset({self.step})


class Pupil:
    """Answers by trial, rightly where nothing is said; may go home before one."""

    def __init__(self, answers=(), leaves_before=0):
        self.answers, self.leaves_before = dict(answers), leaves_before
        self.seen = []

    def page(self, page):
        self.seen.append(page.step)
        return PageResult(1.0)

    def answer(self, trial):
        if trial == self.leaves_before:
            raise SessionAborted("home")
        self.seen.append(trial)
        return self.answers.get(trial, "right")


def plan_of(rule=RULE, wait_after=0):
    """Four sums to practise, which come again as 8 to 11, and three that count: 5 to 7."""
    steps = (
        *checked_practice(
            rule,
            lambda before: [
                Sum((before * ONCE + 3 if before else 0) + n) for n in range(1, ONCE + 1)
            ],
            lambda end: end["said"] == "right",
        ),
        *map(Sum, (5, 6, 7)),
        Page("end", "end"),
    )
    answered = {"answered": lambda end: end["said"] != "none", "wait_after": wait_after}
    return SessionPlan("sums", "pack", "0" * 64, "l1", "", "en", steps, **answered)


def taken(pupil, plan, recorder=None):
    """Take a pupil through what is left of a plan; return whether it came to its end."""
    recorder = recorder or MemoryRecorder()
    before = tuple(recorder.events)
    done = done_steps(plan, before) if before else frozenset()
    return run_session(plan, done, pupil, pupil, recorder, Around(before=before)), recorder


AGAIN = ["practice_again-1", 8, 9, 10, 11]
MAIN = [5, 6, 7, "end"]


@pytest.mark.parametrize(
    ("answers", "passes"),
    [
        ({}, True),
        ({1: "wrong", 2: "wrong"}, True),
        ({1: "wrong", 2: "wrong", 3: "wrong"}, False),
        ({1: "none"}, True),
        ({1: "none", 2: "none"}, False),
        (dict.fromkeys(range(1, 5), "none"), False),
    ],
)
def test_who_reaches_the_shares_goes_on_and_who_does_not_practises_again(answers, passes):
    pupil = Pupil(answers)
    complete, recorder = taken(pupil, plan_of())
    assert complete
    assert pupil.seen == [1, 2, 3, 4, *([] if passes else AGAIN), *MAIN]
    checks = recorder.of("check")
    assert [(check["attempt"], check["passed"]) for check in checks] == (
        [(1, True)] if passes else [(1, False), (2, True)]
    )
    said = [answers.get(trial, "right") for trial in range(1, ONCE + 1)]
    assert checks[0]["answers"] == {
        "trials": ONCE,
        "answered": ONCE - said.count("none"),
        "right": said.count("right"),
    }


NEVER = dict.fromkeys((1, 2, 3, 4, 8, 9, 10, 11), "wrong")


def test_after_the_last_practice_the_experimenter_is_called_and_the_session_goes_on():
    pupil = Pupil(NEVER)
    complete, _ = taken(pupil, plan_of())
    assert complete
    assert pupil.seen == [1, 2, 3, 4, *AGAIN, "practice_call", *MAIN]
    (call,) = (step for step in plan_of().steps if step.step == "practice_call")
    assert call.reader == "experimenter"


def test_or_the_session_ends_and_does_not_go_on_when_it_is_begun_again():
    plan = plan_of(RULE.model_copy(update={"then": "end"}))
    pupil, back = Pupil(NEVER), Pupil()
    complete, recorder = taken(pupil, plan)
    assert not complete
    assert pupil.seen == [1, 2, 3, 4, *AGAIN, "practice_end"]
    assert [abort["reason"] for abort in recorder.of("abort")] == ["practice_end"]
    complete, _ = taken(back, plan, recorder)
    assert not complete
    assert back.seen == [WELCOME_BACK, "practice_end"]


@pytest.mark.parametrize("leaves_before", [1, 3, 5, 8, 10])
def test_who_left_in_practice_is_judged_by_all_of_it(leaves_before):
    """However a session is cut, what is done and what is judged are the same."""
    answers = {1: "wrong", 2: "wrong", 3: "none"}
    whole = Pupil(answers)
    taken(whole, plan_of())
    first, second = Pupil(answers, leaves_before), Pupil(answers)
    _, recorder = taken(first, plan_of())
    complete, _ = taken(second, plan_of(), recorder)
    assert complete
    assert first.seen + [step for step in second.seen if step != WELCOME_BACK] == whole.seen


def test_a_trial_that_was_killed_counts_as_not_answered():
    recorder = MemoryRecorder()
    for trial in (1, 2):
        recorder.append("trial_end", trial=trial, said="right")
    plan = plan_of()
    pupil = Pupil()
    done = done_steps(plan, recorder.events) | {trial_step(3), trial_step(4)}
    run_session(plan, done, pupil, pupil, recorder, Around(before=tuple(recorder.events)))
    assert pupil.seen[:2] == [WELCOME_BACK, "practice_again-1"]


@pytest.mark.parametrize("rule", [NONE, NONE.model_copy(update={"repeats": 2})])
def test_without_a_criterion_practice_is_as_it_was(rule):
    assert [step.step for step in plan_of(rule).steps] == [*map(trial_step, range(1, 8)), "end"]


def test_a_session_waits_before_the_next_trial_where_nobody_answers():
    nobody = Pupil(dict.fromkeys(range(1, 12), "none"))
    _, recorder = taken(nobody, plan_of(NONE, wait_after=3))
    assert nobody.seen == [1, 2, 3, UNATTENDED, 4, 5, 6, UNATTENDED, 7, "end"]
    assert [page["name"] for page in recorder.of("page")] == [UNATTENDED, UNATTENDED, "end"]


def test_an_answer_or_a_page_says_that_somebody_is_there():
    some = Pupil({1: "none", 2: "none", 4: "none", 5: "none", 7: "none"})
    taken(some, plan_of(NONE, wait_after=3))
    assert UNATTENDED not in some.seen
    turned = Pupil({3: "none", 4: "none", 8: "none", 9: "none", 10: "none"})
    taken(turned, plan_of(wait_after=3))
    assert turned.seen == [1, 2, 3, 4, *AGAIN[:-1], UNATTENDED, 11, "practice_call", *MAIN]

"""The loop with tasks that no study has: who shows what, what is settled, what is left."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from participants.journal import read_journal
from participants.session import (
    WELCOME_BACK,
    Around,
    Consent,
    Page,
    SessionAborted,
    SessionPlan,
    done_steps,
    ended_trials,
    repeat_step,
    run_session,
    settled_by,
    settled_choices,
    trial_step,
)
from participants.studies.progressive_reveal.rounds import begun_rounds, settled_rounds
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter

GOLDEN = Path(__file__).parents[2] / "golden"


@dataclass(frozen=True)
class Tap:
    """A task that taps, and settles itself and other steps."""

    step: str
    settles: frozenset[str] = frozenset()

    def perform(self, presenter, recorder):
        presenter.tap(self)
        recorder.append("tap", step=self.step)
        return self.settles | {self.step}


@dataclass(frozen=True)
class Numbered:
    """A trial that may lose a frame, and its possible repeat."""

    step: str
    trial: int
    repeat_of: int | None = None

    def perform(self, presenter, recorder):
        flagged = presenter.tap(self)
        recorder.append("trial_end", trial=self.trial, repeat_of=self.repeat_of, flagged=flagged)
        return settled_by(self.trial, self.repeat_of, flagged=flagged)


@dataclass
class Tapper:
    """Taps; loses a frame in some trials, and goes home before a step."""

    flagged: frozenset[int] = frozenset()
    leaves_before: str = ""
    tapped: list[str] = field(default_factory=list)

    def tap(self, task):
        if task.step == self.leaves_before:
            raise SessionAborted("home")
        self.tapped.append(task.step)
        return getattr(task, "trial", None) in self.flagged


def plan_of(*steps, **changes):
    return SessionPlan("taps", "pack", "0" * 64, "l1", "", "en", tuple(steps), **changes)


def trials_and_repeats(count):
    trials = [Numbered(trial_step(number), number) for number in range(1, count + 1)]
    repeats = [Numbered(repeat_step(n), count + n, n) for n in range(1, count + 1)]
    return *trials, *repeats


def test_pages_go_to_one_presenter_and_tasks_to_the_other():
    pages, tasks, recorder = ScriptedPresenter(), Tapper(), MemoryRecorder()
    plan = plan_of(Consent("consent"), Tap("a"), Page("between", "between"), Tap("b"))
    assert run_session(plan, frozenset(), pages, tasks, recorder)
    assert pages.steps == ["consent", "between"]
    assert tasks.tapped == ["a", "b"]
    kinds = [event.event for event in recorder.events]
    assert kinds == ["consent", "tap", "page", "tap", "session_end"]


def test_a_step_that_an_earlier_task_settled_is_not_shown():
    pages, tasks = ScriptedPresenter(), Tapper()
    settles = frozenset({"c", "page"})
    plan = plan_of(Tap("a", settles), Tap("b"), Tap("c"), Page("page", "p"), Page("end", "end"))
    assert run_session(plan, frozenset(), pages, tasks, MemoryRecorder())
    assert (tasks.tapped, pages.steps) == (["a", "b"], ["end"])


def test_what_a_journal_settles_is_the_plans_matter():
    """A rule of the study's own: a tap settles the next one too."""

    def by_two(events):
        tapped = [event["step"] for event in events if event.event == "tap"]
        return frozenset(tapped) | frozenset(chr(ord(step) + 1) for step in tapped)

    recorder = MemoryRecorder()
    steps = Page("start", "start"), Tap("a"), Tap("b"), Tap("c")
    plan = plan_of(*steps, settled=by_two, welcome_back="again")
    pages, first = ScriptedPresenter(), Tapper(leaves_before="b")
    assert not run_session(plan, frozenset(), pages, first, recorder)
    done = done_steps(plan, recorder.events)
    assert done == {"start", "a", "b"}
    pages, second = ScriptedPresenter(), Tapper()
    assert run_session(plan, done, pages, second, recorder)
    assert second.tapped == ["c"]
    assert pages.seen == [Page(WELCOME_BACK, "again")]


def test_the_usual_rule_is_that_a_trials_end_settles_it():
    recorder = MemoryRecorder()
    for number in (1, 3):
        recorder.append("trial_start", trial=number + 1)
        recorder.append("trial_end", trial=number)
    assert plan_of().settled is ended_trials
    assert done_steps(plan_of(), recorder.events) == {"trial-0001", "trial-0003"}


def test_a_task_that_is_left_ends_the_session_and_says_why():
    recorder, seen_at_end = MemoryRecorder(), []
    complete = run_session(
        plan_of(Tap("a"), Tap("b")),
        frozenset(),
        ScriptedPresenter(),
        Tapper(leaves_before="b"),
        recorder,
        Around(at_end=lambda: seen_at_end.append([event.event for event in recorder.events])),
    )
    assert not complete
    assert seen_at_end == [["tap", "abort"]]
    abort, end = recorder.events[-2:]
    assert (abort["reason"], end.event, end["complete"]) == ("home", "session_end", False)


@pytest.mark.parametrize(
    ("flagged", "shown"),
    [
        (set(), ["trial-0001", "trial-0002", "trial-0003"]),
        ({2}, ["trial-0001", "trial-0002", "trial-0003", "repeat-0002"]),
        ({1, 3, 6}, ["trial-0001", "trial-0002", "trial-0003", "repeat-0001", "repeat-0003"]),
    ],
)
def test_a_trial_is_repeated_once_if_it_was_flagged_and_never_else(flagged, shown):
    plan = plan_of(*trials_and_repeats(3), settled=settled_choices)
    tasks, recorder = Tapper(frozenset(flagged)), MemoryRecorder()
    assert run_session(plan, frozenset(), ScriptedPresenter(), tasks, recorder)
    assert tasks.tapped == shown
    assert {step.step for step in plan.steps} == done_steps(plan, recorder.events)


def test_a_plans_trials_are_its_numbered_tasks_without_repeats():
    plan = plan_of(Page("start", "start"), Tap("a"), *trials_and_repeats(2))
    assert [trial.step for trial in plan.trials] == ["trial-0001", "trial-0002"]


def former_rule(events):
    """What a journal settled before each plan had a rule of its own, word by word."""
    done = set(begun_rounds(events))
    for event in events:
        match event.event:
            case "page" | "answer" | "copy":
                done.add(event["step"])
            case "check" if event["passed"]:
                done.add(event["step"])
            case "consent" if event["agreed"]:
                done.add(event["text"])
            case "trial_end":
                done.add(trial_step(event["trial"]))
                done |= set() if event["flagged"] else {repeat_step(event["trial"])}
    return done - {WELCOME_BACK}


def former_left(planned, events):
    """The planned trials and repeats that were left: a repeat had the id of its own number."""
    done = former_rule(events)
    trials = {trial_step(number) for number in range(1, planned + 1)} - done
    repeats = {
        repeat_step(number)
        for number in range(1, planned + 1)
        if trial_step(planned + number) not in done and repeat_step(number) not in done
    }
    return trials | repeats


JOURNALS = [
    (path, rule)
    for name, rule in (
        ("journal", settled_choices),
        ("annotation", ended_trials),
        ("bubbling", ended_trials),
        ("progressive_reveal", settled_rounds),
    )
    for path in (GOLDEN / "journals" / f"{name}.jsonl",)
]


@pytest.mark.parametrize(("path", "rule"), JOURNALS, ids=[str(path) for path, _ in JOURNALS])
def test_released_journals_leave_what_they_left_before(path, rule):
    """Cut after any event: the same steps are done, the same trials and repeats are left."""
    events = read_journal(path).events
    ends = [event for event in events if event.event == "trial_end"]
    planned = sum(end.fields.get("repeat_of") is None for end in ends)
    assert planned
    plan = plan_of(settled=rule)
    for cut in range(len(events) + 1):
        done, former = done_steps(plan, events[:cut]), former_rule(events[:cut])
        numbered = {*map(trial_step, range(1, 10)), *map(repeat_step, range(1, 10))}
        assert done - numbered == former - numbered
        left = {trial_step(number) for number in range(1, planned + 1)} - done
        assert left == former_left(planned, events[:cut]) & {*map(trial_step, range(1, 10))}
        if rule is settled_choices:
            repeats = {repeat_step(number) for number in range(1, planned + 1)}
            assert left | (repeats - done) == former_left(planned, events[:cut])

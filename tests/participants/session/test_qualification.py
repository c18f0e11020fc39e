"""Looking back at validation: who answered enough rightly, by a task no study has."""

import pytest

from participants.session import Around, Page, Qualification, SessionPlan, done_steps, run_session
from tests.participants.session.scripted import MemoryRecorder
from tests.participants.session.test_practice import Pupil, Sum

TRIALS = (1, 2, 3, 4)


def plan_of(needed=3, skips=frozenset()):
    """Four sums of validation, a look back, two that count, a page."""
    look = Qualification("look", TRIALS, needed, lambda end: end["said"] == "right", skips)
    steps = (*map(Sum, TRIALS), look, *map(Sum, (5, 6)), Page("end", "end"))
    return SessionPlan("sums", "pack", "0" * 64, "l1", "", "en", steps)


def taken(pupil, plan, before=()):
    recorder = MemoryRecorder(list(before))
    done = done_steps(plan, before) if before else frozenset()
    assert run_session(plan, done, pupil, pupil, recorder, Around(before=before))
    return recorder


@pytest.mark.parametrize("wrong", range(len(TRIALS) + 1))
@pytest.mark.parametrize("needed", [0, 3, 4])
def test_so_many_right_answers_qualify(wrong, needed):
    pupil = Pupil(dict.fromkeys(TRIALS[:wrong], "wrong"))
    (look,) = taken(pupil, plan_of(needed)).of("qualification")
    right = len(TRIALS) - wrong
    assert look.fields == {
        "step": "look", "trials": 4, "right": right, "needed": needed,
        "qualified": right >= needed,
    }  # fmt: skip


@pytest.mark.parametrize("skips", [frozenset(), frozenset({"trial-0005", "trial-0006"})])
def test_who_fails_goes_on_or_skips_what_counts(skips):
    failing = Pupil({1: "wrong", 2: "none"})
    taken(failing, plan_of(skips=skips))
    assert failing.seen == [*TRIALS, *([] if skips else [5, 6]), "end"]
    passing = Pupil({1: "wrong"})
    taken(passing, plan_of(skips=skips))
    assert passing.seen == [*TRIALS, 5, 6, "end"]


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_session_that_goes_on_looks_back_once_at_all(cut):
    """Answers from before the interruption count, and skipped steps stay skipped."""
    plan = plan_of(skips=frozenset({"trial-0005", "trial-0006"}))
    answers = {1: "wrong", 4: "wrong"}
    whole = taken(Pupil(answers), plan).events
    assert [event.event for event in whole[:5]] == ["trial_end"] * 4 + ["qualification"]
    pupil = Pupil(answers)
    events = taken(pupil, plan, tuple(whole[:cut])).events
    looks = [event for event in events if event.event == "qualification"]
    assert [look["right"] for look in looks] == [2]
    assert 5 not in pupil.seen

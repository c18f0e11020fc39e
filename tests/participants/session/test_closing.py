"""How a session closes: the last screen is the experimenter's, and says what holds."""

import pytest

from participants.session import (
    LEAVE,
    LEAVE_FOR_GOOD,
    RENEWED,
    THEN,
    Around,
    Page,
    PageResult,
    Qualification,
    SessionPlan,
    SittingEnd,
    run_session,
)
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.session.test_leaving import PLAN
from tests.participants.session.test_loop import Tapper, plan_of
from tests.participants.session.test_practice import Sum


class Person(ScriptedPresenter):
    """Takes breaks and consents as told; knows of each page who can leave it."""

    def __init__(self, then="", declines=(), wrong=False):
        super().__init__(agrees=RENEWED in declines or not declines, agrees_again=not declines)
        self.then, self.wrong, self.shown = then, wrong, []

    def page(self, page):
        self.shown.append((page.text, page.reader))
        return super().page(page)

    def rest(self, pause):
        return PageResult(1.0, {THEN: self.then} if self.then else {})

    def answer(self, trial):
        return "wrong" if self.wrong else "right"


def closed(person, plan, tasks=None):
    """Return the texts that a session's caller closes it with."""
    texts: list[str] = []
    run_session(
        plan, frozenset(), person, tasks or Tapper(), MemoryRecorder(), Around(close=texts.append)
    )
    return texts


@pytest.mark.parametrize(
    ("how", "last", "closing"),
    [
        ({}, "end", []),
        ({"declines": {"consent"}}, "declined", []),
        ({"declines": {"consent_renewed"}}, "withdrawn", []),
        ({"then": LEAVE_FOR_GOOD}, "farewell", []),
        ({"then": LEAVE}, "instructions", ["stopped"]),
    ],
)
def test_the_last_screen_stays_until_the_experimenter_comes(how, last, closing):
    person = Person(**how)
    assert closed(person, PLAN) == closing
    assert person.shown[-1] == (last, "participant" if closing else "experimenter")
    assert {reader for _, reader in person.shown[:-1]} <= {"participant"}


def test_the_end_of_a_sitting_and_a_session_without_a_last_page_close_too():
    person, end = Person(), Page("end", "end")
    assert closed(person, plan_of(SittingEnd("sitting_end-1", 1, 2), end)) == []
    assert person.shown == [("sitting_end", "experimenter")]
    person = Person()
    assert closed(person, plan_of(Page("hello", "hello"), Sum(1)), person) == ["end"]


@pytest.mark.parametrize(("said", "text"), [("wrong", "end_early"), ("right", "end")])
def test_only_who_completed_a_session_reads_that_it_is_complete(said, text):
    look = Qualification("look", (1,), 1, lambda end: end["said"] == "right", frozenset({"s"}))
    plan = SessionPlan(
        "sums", "pack", "0" * 64, "l1", "", "en", (Sum(1), look, Page("s", "s"), Page("end", "end"))
    )
    person = Person(wrong=said == "wrong")
    assert closed(person, plan, person) == []
    assert person.shown[-1] == (text, "experimenter")

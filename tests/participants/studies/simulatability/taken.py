"""Sessions in memory: packs, plans, and a robot that is taken through one."""

from functools import cache
from types import SimpleNamespace

from participants.journal import Event
from participants.journal.events import EVERY_STUDY, checked
from participants.lists import Assignment
from participants.session import Around, done_steps, run_session
from participants.simulate.presenters import Reader, VirtualClock
from participants.studies.simulatability.events import case_events
from participants.studies.simulatability.plan import plan_session
from participants.studies.simulatability.robots.predictors import SimulatedCases, predictors
from stimuli.studies.simulatability.sketch import sketch
from tests.participants.session.scripted import MemoryRecorder
from tests.stimuli.studies.simulatability.small import protocol_of

CODE = "CDF34HK"
EVENTS = {**EVERY_STUDY, **case_events()}
METHODS = ("lime", "anchor", "prototype", "decision_boundary", "composite", "omission", "ours",
           "no_explanation")  # fmt: skip
ARMS = tuple(f"{domain}_{method}" for domain in ("text", "tabular") for method in METHODS)
EVERYTHING = {
    "design": {"second_test": True, "post_in_second_sitting": True},
    "question": {
        "confidence_steps": 4, "learning_at_hand": True, "exposure_limit_s": 5.0,
        "learning_limit_s": 30.0,
    },
    "assignment": {"drop_after_s": 1e6},
    "session": {"break_every_trials": 3},
}  # fmt: skip
"""Every option that adds steps."""


class CheckedRecorder(MemoryRecorder):
    """Refuses what a journal would refuse."""

    def append(self, event, *, t_monotonic_s=None, durable=False, **fields):
        _, fields = checked(EVENTS, event, fields)
        super().append(event, t_monotonic_s=t_monotonic_s, durable=durable, **fields)


@cache
def _pack(changes):
    return sketch(protocol_of(**{name: dict(section) for name, section in changes}))


def pack_of(**changes):
    """Return a small sketch of all arms, with changes of the protocol."""
    changes = {**changes, "design": {"methods": METHODS, **changes.get("design", {})}}
    return _pack(tuple((name, tuple(section.items())) for name, section in changes.items()))


def plan_of(pack, arm="text_lime", language="en", sheet="sheet-01", side="left"):
    return plan_session(pack, Assignment(sheet, arm, side), language, CODE)


class Answering:
    """A robot that gives some questions answers of its own, by the question's name."""

    def __init__(self, robot, **answers):
        self._robot, self._answers = robot, answers

    def __call__(self, question):
        return self._answers.get(question.question) or self._robot.choose(question)


def taken(plan, pack, robot="practice", before=(), seed=1, stops_at=frozenset(), **answers):
    """Take a robot through what is left of a plan, over all sittings; return all events."""
    predictor = predictors(pack, plan.language)(robot, CODE, seed)
    events = list(before)
    while True:
        clock, recorder = VirtualClock(), CheckedRecorder(list(events))
        tasks = SimulatedCases(predictor, None, clock, recorder)
        done = done_steps(plan, events) if events else frozenset()
        pages = Reader(plan, Answering(predictor, **answers), clock, stops_at)
        over = run_session(plan, done, pages, tasks, recorder, Around(before=tuple(events)))
        events = recorder.events
        if over:
            return events


def journal_of(events, sheet="sheet-01"):
    """Return events as a whole session's journal."""
    part = Event(
        "session", 1, 0.0, "",
        {"participant": "P1", "session": "S", "purpose": "study", "rig": "r", "pack_id": "p",
         "protocol_hash": "h", "robot": "", "order": "text_lime", "list": sheet},
    )  # fmt: skip
    every = [part, *events]
    return SimpleNamespace(
        header=part, events=every, of=lambda *kinds: [one for one in every if one.event in kinds]
    )


def of(events, kind):
    return [event for event in events if event.event == kind]

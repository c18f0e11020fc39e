"""A short protocol, and screenings that robots go through without a window."""

from functools import cache
from types import SimpleNamespace

from participants.journal import Event
from participants.screening.plan import plan_screening
from participants.screening.robots import robots
from participants.session import Around, Choice, Presented, done_steps, run_session
from stimuli.protocol import load_protocol
from stimuli.screening.rules import STAGES, screening_pack
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter

STUDY = "accept_reject"
CODE = "K7Q2M4P"
SHORT = {
    "plates": {"source": "uci"},
    "solutions": {"trials_per_run": 40, "least_matched": 1},
    "trial": {"fixation_s": 0.1, "cutoff_s": 4.0, "limit_s": 25.0},
    "screening": {
        "reversals": 6, "most_trials": 20, "ceiling_errors": 3,
        # A dichromat is a lead here, whatever the plates: so few trials are far from exact.
        "expert_red_green_1e4": 300.0, "lead_red_green_1e4": 300.0, "lead_cap_1e4": 1000.0,
        "tritan_1e4": 150.0, "d15_confusion_index": 9.0,
    },
    "titration": {
        "trials": 12, "verify_trials": 6,
        "accept_low": 0.0, "accept_high": 0.9, "long_share": 0.0,
    },
}  # fmt: skip


def short_pack(stages=STAGES, attempt=1, axis=None, **changed):
    changes = {**SHORT, **{name: {**SHORT[name], **more} for name, more in changed.items()}}
    return screening_pack(load_protocol(STUDY, None, changes), stages, axis, attempt)


class Stopped(BaseException):
    """The end of the process, as far as a test can have it."""


class CutRecorder(MemoryRecorder):
    """Ends the process after some events."""

    def __init__(self, events, last):
        super().__init__(list(events))
        self._last = last

    def append(self, event, **fields):
        super().append(event, **fields)
        if len(self.events) == self._last:
            raise Stopped


class Window(ScriptedPresenter):
    """Shows a screening to a robot."""

    def __init__(self, robot):
        super().__init__()
        self.robot, self.plates, self.scores = robot, [], []

    def question(self, question):
        self._see(question)
        return self.robot.choose(question)

    def plate(self, trial):
        answer, rt_s = self.robot.plate(trial)
        self.plates.append(trial)
        return Choice(answer, rt_s, 0.0, Presented(1.0, None, 60, 0, 1 / 60, flagged=False))

    def caps(self, task, arrangement, recorder):
        for cap in self.robot.caps():
            if cap not in arrangement.row:
                place = len(arrangement.row) + 1
                arrangement = arrangement.moved(cap, place)
                recorder.append("cap_moved", cap=cap, place=place)
        return arrangement

    def score(self, edition):
        self.scores.append(edition.plates)
        return self.robot.score(edition)


def screened(name, pack=None, before=(), last=0, code=CODE):
    """Take a robot through a screening, from what a journal holds on, to the end or to an event."""
    pack = pack or short_pack()
    plan = plan_screening(pack, None, "en", code)
    return gone_through(plan, robots(pack, "en")(name, code, 1), before, last)


def gone_through(plan, robot, before=(), last=0):
    """Take a robot through a plan, from what a journal holds on, to the end or to an event."""
    window = Window(robot)
    recorder = CutRecorder(before, last) if last else MemoryRecorder(list(before))
    done = done_steps(plan, before) if before else frozenset()
    try:
        complete = run_session(plan, done, window, window, recorder, Around(before=tuple(before)))
    except Stopped:
        complete = False
    results = {e["procedure"]: e["result"] for e in recorder.of("screened")}
    return SimpleNamespace(
        plan=plan, window=window, recorder=recorder, complete=complete, results=results,
        steps=window.steps, texts=[step.text for step in window.seen if hasattr(step, "text")],
    )  # fmt: skip


@cache
def whole(name):
    """Return a robot's whole screening; the tests of a process share it, so none changes it."""
    return screened(name)


def event(kind, **fields):
    return Event(kind, 1, 0.0, "", fields)

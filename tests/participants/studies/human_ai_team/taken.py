"""Sessions in memory: packs, plans, and a robot that is taken through one."""

from functools import cache

from participants.journal.events import EVERY_STUDY, checked
from participants.lists import Assignment
from participants.session import Around, done_steps, run_session
from participants.simulate.presenters import Reader, VirtualClock
from participants.studies.human_ai_team.events import team_events
from participants.studies.human_ai_team.plan import plan_session
from participants.studies.human_ai_team.robots import SimulatedTeam, judges
from stimuli.studies.human_ai_team.sketch import sketch
from tests.participants.session.scripted import MemoryRecorder
from tests.stimuli.studies.human_ai_team.small import protocol_of

CODE = "CDF34HK"
ARMS = (
    "confidence", "gradcam", "extremal_perturbation", "salient_object", "nearest_neighbours",
    "human_alone", "text", "our_maps",
)  # fmt: skip
EVENTS = {**EVERY_STUDY, **team_events()}
ALL_ASKED = {"decision": "two_stage", "confidence_steps": 4}


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
    changes = {**changes, "help": {"arms": ARMS, **changes.get("help", {})}}
    return _pack(tuple((name, tuple(section.items())) for name, section in changes.items()))


def plan_of(pack, arm="gradcam", language="en", sheet="sheet-01", side="left"):
    return plan_session(pack, Assignment(sheet, arm, side), language, CODE)


def taken(plan, pack, robot="careful", before=(), seed=1):
    """Take a robot through what is left of a plan; return all events."""
    clock, recorder = VirtualClock(), CheckedRecorder(list(before))
    judge = judges(pack, plan.language)(robot, CODE, seed)
    tasks = SimulatedTeam(judge, None, clock, recorder)
    done = done_steps(plan, before) if before else frozenset()
    pages = Reader(plan, judge.choose, clock)
    assert run_session(plan, done, pages, tasks, recorder, Around(before=tuple(before)))
    return recorder.events


def of(events, kind):
    return [event for event in events if event.event == kind]

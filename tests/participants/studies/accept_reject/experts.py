"""Experts by script: a bare task pack, and sessions of answers that are written down."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from participants.dataset.table_files import get_table
from participants.journal import JournalWriter, read_journal
from participants.session import (
    ConsentResult,
    PageResult,
    Presented,
    SessionAborted,
    StrokeResult,
    done_steps,
    run_session,
)
from participants.strokes import Act
from participants.studies.accept_reject.annotation import plan_annotation
from participants.studies.accept_reject.expert_sessions import ANNOTATIONS, EXPERTS
from participants.studies.accept_reject.robots.expert import RobotExpert
from stimuli.images.sets import NO_SOLUTION
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.tables import TASKS
from tests.participants.studies.accept_reject.packs import protocol_of

HASH = "0" * 64
USES = {
    "main": 6,
    "practice": 5,
    "no_numeral": 2,
    "expert_no_numeral": 6,
    "expert_high_contrast": 2,
}


def task_pack(uses=USES, **changes):
    """A task pack without a single plate file; every numeral is a 7."""
    protocol = protocol_of(**changes)
    rows = [
        {
            "item": f"i-{use}-{number}",
            "plate_file": f"assets/plates/{use}{number}.plate",
            "use": use,
            "true_label": "no_numeral" if use.endswith("no_numeral") else "7",
            "source": None,
            "source_index": None,
            "plate_seed": 1,
            "packing_seed": 1,
        }
        for use, count in uses.items()
        for number in range(count)
    ]
    files = {"tasks.csv": TASKS.to_csv(rows)}
    return pack_in_memory(protocol, protocol_hash(protocol), "tasks", files)


def dab(x=512, y=512, t_ms=2000, radius=64):
    return Act("brush", t_ms, radius, ((t_ms, x, y), (t_ms + 500, x + 100, y)))


@dataclass
class ScriptedExpert:
    """Reads 7 wherever the item doesn't say that there is no numeral; may err, may be stopped."""

    recorder: object = None
    blind: bool = False
    withdraws: bool = False
    stop_before: int | None = None
    fed_back: tuple = ()

    def page(self, page):
        return PageResult(1.0)

    def consent(self, consent):
        return ConsentResult(not (self.withdraws and consent.renewed), "1.0", HASH)

    def question(self, question):
        return question.choices[0]

    def rest(self, pause):
        return PageResult(1.0)

    def strokes(self, task):
        if task.trial == self.stop_before:
            raise SessionAborted("test")
        task.record_start(self.recorder, HASH)
        silent = "no_numeral" in task.item and not self.blind
        acts = () if silent else (dab(), Act("undo", 2900), dab(x=400 + 10 * task.trial, t_ms=3000))
        return StrokeResult(
            label=NO_SOLUTION if silent else "7",
            rt_s=1.25,
            acts=acts,
            done_s=4.5,
            interruptions=0,
            presented=Presented(10.0 * task.trial, None, 270, 0, 0.017, flagged=False),
        )

    def stroke_feedback(self, task, result):
        self.fed_back += ((task.item, result.label, task.right_label),)


@dataclass
class SeeingExpert(ScriptedExpert):
    """Answers as its robot would at the screen; paints a dab where it saw a numeral.

    It doesn't look at the items of ``told``, whose answers it is told.
    """

    robot: RobotExpert | None = None
    told: Mapping[str, str] = field(default_factory=dict)

    def strokes(self, task):
        told = self.told.get(task.item)
        label = self.robot.reads(task) if told is None else told
        acts = () if label == NO_SOLUTION else (dab(),)
        return replace(super().strokes(task), label=label, acts=acts)


def read_annotations(data):
    """Rows of the table of experts' answers."""
    return get_table(data.tables, ANNOTATIONS.name, ANNOTATIONS)


def read_experts(data):
    """Rows of the table of experts."""
    return get_table(data.tables, EXPERTS.name, EXPERTS)


def header_of(plan, session, code, purpose="main", robot=""):
    return {
        "session": session, "participant": code, "role": "expert", "study": plan.study,
        "purpose": purpose, "pack_id": plan.pack_id, "protocol_hash": plan.protocol_hash,
        "list": "", "order": "", "language": "en", "rig": "rig-1", "robot": robot,
        "refresh_hz": 60.0, "pacing": "vsync", "keyboard_backend": "test", "clock": "test",
        "clock_resolution_s": 0.0, "display": {"profile_hash": "", "calibrated": False},
        "versions": {}, "accept_key": "", "reject_key": "", "time_zone": "UTC",
    }  # fmt: skip


def annotate(data, pack, code="CDF34HK", expert=None, session=None, **header):
    """Take a scripted expert through a session, or on with one; return the expert."""
    expert = expert or ScriptedExpert()
    session = session or f"s-{code}"
    plan = plan_annotation(pack, None, "en", code)
    path = data.session(session).journal
    data.copy_pack(pack)
    begun = path.exists()
    done = done_steps(plan, read_journal(path).events) if begun else frozenset()
    begin = JournalWriter.resume if begun else JournalWriter.create
    with begin(path, header_of(plan, session, code, **header)) as journal:
        expert.recorder = journal
        run_session(plan, done, expert, expert, journal)
    return expert
